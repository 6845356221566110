/**
 * The guardian of a run: a shell in a session of its own that holds the read end of a pipe. When the pipe ends without a
 * word from the host, the host is gone, and the guardian kills what the run started until nothing is left.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { Socket } from "node:net"
import { Effect } from "effect"
import { onRealClock } from "./Tree.ts"

/**
 * It reads `+ ID PID START PIPE,…` (a child began; PID 0: its group is gone), `- ID` (nothing of it is left) and
 * `q` (the run ended in order). Then it looks for members as `Tree.members` does: by mark, group, session, pipe and
 * descent; stops them until a look shows no new one; kills them; and is done after two looks that show none.
 * It knows again who it has stopped: their parent may have died since.
 * The awk programs take lines as in /proc/PID/stat, whose name field may contain anything, line ends included.
 */
const script = String.raw`
trap '' HUP INT QUIT TERM PIPE TSTP
held=' '
while read -r op id pid start pipes; do
  case $op in q) exit 0 ;; esac
  case $held in *" $id:"*) rest=\${held#*" $id:"}; held="\${held%%" $id:"*} \${rest#* }" ;; esac
  case $op in +) held="$held$id:$pid:$start:$pipes " ;; esac
done

mark="^LIVETOOLS_RUN=(.*:)?$1(:|$)"
if [ -r /proc/self/stat ]; then
  stats() { cat /proc/[0-9]*/stat; }
  marked() { grep -lzE "$mark" /proc/[0-9]*/environ; }
  holders() {
    ls -l /proc/[0-9]*/fd/[0-9] | awk -v held="$held" '
      BEGIN { n = split(held, h, " "); for (i = 1; i <= n; i++) { split(h[i], f, ":"); m = split(f[4], s, ",")
              for (j = 1; j <= m; j++) wanted[s[j] ~ /^[0-9]+$/ ? "socket:[" s[j] "]" : "/" s[j] "/"] = 1 } }
      { for (w in wanted) if (index($0, w)) { match($0, "/proc/[0-9]+/"); split(substr($0, RSTART), path, "/"); print path[3]; break } }'
  }
else
  stats() { ps -ax -o pid= -o ppid= -o pgid= -o state= | awk '{ print $1 " (x) " $4, $2, $3, $3, "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0" }'; }
  marked() { ps -axEww -o pid= -o command= | grep -E "[ ]LIVETOOLS_RUN=([^ ]*:)?$1( |:|$)" | awk '{ print "/proc/" $1 }'; }
  holders() { :; }
fi
members() {
  stats | awk -v held="$held" -v known="$known" -v seeds="$(echo $(marked "$1") $(holders))" '
    BEGIN { n = split(held, h, " "); for (i = 1; i <= n; i++) { split(h[i], f, ":"); if (f[2] > 1) began[f[2]] = f[3] }
            n = split(seeds, h, "[^0-9]+"); for (i = 1; i <= n; i++) if (h[i] > 1) seed[h[i]] = 1
            n = split(known, h, " "); for (i = 1; i <= n; i++) { split(h[i], f, ":"); before[f[1]] = f[2] } }
    { text = text " " $0; if (!match(text, /.*\) /)) next
      rest = substr(text, RLENGTH + 1); if (split(rest, f, " ") < 20) next
      split(text, first, " "); pid = first[1]; text = ""; if (f[1] ~ /^[ZX]/) next
      parent[pid] = f[2]; group[pid] = f[3]; session[pid] = f[4]; start[pid] = f[20] }
    function ours(g) { return (g in began) && !((g in start) && began[g] > 0 && start[g] != began[g]) }
    function seen(p) { return (p in before) && before[p] == start[p] }
    END { for (p in parent) if ((p in seed) || seen(p) || ours(group[p]) || ours(session[p])) found[p] = 1
          do { more = 0; for (p in parent) if (!(p in found) && (parent[p] in found)) { found[p] = 1; more = 1 } } while (more)
          for (p in found) if (p > 1) print p ":" start[p] }'
}

looks=0 clean=0 known=' '
while [ $clean -lt 2 ] && [ $looks -lt 500 ]; do
  looks=$((looks + 1))
  found=$(members "$1")
  if [ -z "$found" ]; then clean=$((clean + 1)); continue; fi
  clean=0 new= all=
  for process in $found; do
    all="$all \${process%:*}"
    case $known in *" $process "*) ;; *) new="$new \${process%:*}"; known="$known$process " ;; esac
  done
  if [ -n "$new" ] && [ $((looks % 10)) -ne 0 ]; then
    kill -STOP $new
  else
    kill -KILL $all
    if [ $looks -gt 50 ]; then sleep 1; fi
  fi
done
`.replaceAll("\\$", "$")

interface Held {
  readonly pid: number
  readonly start: number
  readonly pipes: ReadonlySet<string>
  readonly groupIsGone: boolean
}

export interface Guardian {
  /** Starts it, unless it runs. */
  readonly start: () => void
  /** Tells it about a child. */
  readonly hold: (id: number, child: Held) => void
  /** The child, if it is still held, has changed. */
  readonly update: (id: number) => void
  /** Nothing of this child is left. */
  readonly release: (id: number) => void
  /** Ends it in order; children that are still held are left to it to kill. */
  readonly close: Effect.Effect<void>
}

const line = (id: number, child: Held): string =>
  `+ ${id} ${child.groupIsGone ? 0 : child.pid} ${child.start} ${[...child.pipes].join(",")}\n`

const launch = (runId: string): ChildProcess => {
  const guardian = spawn("/bin/sh", ["-c", script, "livetools-guardian", runId], {
    cwd: "/",
    detached: true,
    // No mark: neither this run nor one above it may take it for one of its children.
    env: { PATH: `/usr/bin:/bin:${process.env["PATH"] ?? ""}`, LC_ALL: "C" },
    stdio: ["pipe", "ignore", "ignore"]
  })
  guardian.stdin?.on("error", () => {})
  guardian.unref()
  if (guardian.stdin instanceof Socket) guardian.stdin.unref()
  return guardian
}

/** `unprotected` is called when the guardian cannot be started: a host that is killed then leaves its children. */
export const make = (runId: string, unprotected: (why: string) => void): Guardian => {
  const held = new Map<number, Held>()
  let guardian: ChildProcess | undefined
  let closed = false
  let restarts = 0

  const tell = (text: string) => guardian?.stdin?.write(text)
  const start = () => {
    if (guardian !== undefined) return
    const started = launch(runId)
    guardian = started
    started.once("error", (error) => {
      guardian = undefined
      unprotected(error.message)
    })
    started.once("exit", () => {
      guardian = undefined
      if (!closed && held.size > 0 && restarts++ < 5) start()
    })
    for (const [id, child] of held) tell(line(id, child))
  }
  const update = (id: number) => {
    const child = held.get(id)
    if (child !== undefined) tell(line(id, child))
  }

  return {
    start,
    hold: (id, child) => {
      held.set(id, child)
      update(id)
    },
    update,
    release: (id) => {
      if (held.delete(id)) tell(`- ${id}\n`)
    },
    close: Effect.suspend(() => {
      closed = true
      const last = guardian
      if (last === undefined || last.pid === undefined) return Effect.void
      if (held.size > 0) return Effect.sync(() => last.stdin?.end())
      return Effect.callback<void>((resume) => {
        last.ref()
        last.once("exit", () => resume(Effect.void))
        last.stdin?.end("q\n")
      }).pipe(
        Effect.timeoutOption("1 second"),
        Effect.andThen(Effect.sync(() => last.kill("SIGKILL"))),
        Effect.asVoid,
        onRealClock
      )
    })
  }
}
