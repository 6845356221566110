/** The bundled command on a pseudo-terminal (python3's `pty`), driven as a person does: type, and wait for what is shown. */
import { spawn, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { bin } from "./Cli.ts"

const script = fileURLToPath(new URL("pseudoterminal.py", import.meta.url))

/** Why there is no pseudo-terminal here, if there is none. */
export const missing: string | undefined =
  spawnSync("python3", ["-c", "import pty"]).status === 0 ? undefined : "python3 with pty is not installed"

export interface Screen {
  readonly pid: number
  /** Types; `\r` is Enter, `\u0003` Ctrl-C, `\u0004` Ctrl-D, `\t` Tab. */
  readonly type: (text: string) => void
  /** Waits until something that was not waited for before is shown, and gives what was shown up to its end. */
  readonly see: (wanted: RegExp) => Promise<string>
  /** Everything that was shown, without what moves the cursor. */
  readonly all: () => string
  /** Closes the terminal, as closing its window does. */
  readonly hangUp: () => void
  readonly closed: Promise<number | null>
}

// oxlint-disable-next-line no-control-regex
const escapes = /\u001b\[[0-9;?]*[A-Za-z]/g

export const open = (args: ReadonlyArray<string>, cwd: string, environment: NodeJS.ProcessEnv = {}): Screen => {
  const child = spawn("python3", [script, process.execPath, bin, ...args], {
    cwd,
    env: { ...process.env, HOME: cwd, XDG_CONFIG_HOME: "", XDG_STATE_HOME: "", TERM: "xterm", ...environment }
  })
  let shown = ""
  let seen = 0
  const waiting = new Set<() => void>()
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text
    for (const look of waiting) look()
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => (shown += text))
  child.stdin.on("error", () => {})
  const closed = new Promise<number | null>((resolve) => child.on("close", resolve))
  const plain = () => shown.replaceAll(escapes, "").replaceAll("\r", "")
  return {
    pid: child.pid!,
    type: (text) => child.stdin.write(text),
    see: (wanted) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const text = plain()
          const found = wanted.exec(text.slice(seen))
          if (found === null) return false
          waiting.delete(look)
          clearTimeout(timer)
          const until = seen + found.index + found[0].length
          resolve(text.slice(seen, until))
          seen = until
          return true
        }
        const fail = (why: string) => {
          waiting.delete(look)
          reject(new Error(`${why}; ${wanted} was not shown after:\n${plain().slice(seen)}`))
        }
        const timer = setTimeout(() => fail("60 s are over"), 60_000)
        if (look()) return
        waiting.add(look)
        void closed.then(() => {
          clearTimeout(timer)
          if (waiting.has(look) && !look()) fail("the command has ended")
        })
      }),
    all: plain,
    hangUp: () => child.stdin.end(),
    closed
  }
}
