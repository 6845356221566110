/**
 * An enclosure of Linux namespaces, by `bubblewrap`: the working directory can be written, the rest of the machine can be read or is
 * absent, other processes are out of sight, and there is no network unless it is allowed (SPEC §8.5).
 */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { Effect, Layer, Result } from "effect"
import * as Enclosure from "../../src/kernel/Enclosure.ts"
import * as Processes from "../../src/Processes.ts"

export interface Options {
  /** Default: `bwrap` on `PATH`. */
  readonly command?: string | undefined
  /** Default `false`: not even the loopback interface of the host. */
  readonly network?: boolean | undefined
  /** Folders besides the working directory that can be written, absolute. */
  readonly writable?: ReadonlyArray<string> | undefined
  /** Paths that are hidden, absolute. Default: where keys and credentials usually lie in the home directory. */
  readonly absent?: ReadonlyArray<string> | undefined
  /** Whether cells run on the host where namespaces are not allowed. Default `false`: then they do not run. */
  readonly isHostAllowed?: boolean | undefined
}

/** In the home directory. */
const secrets = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".config/gcloud",
  ".config/gh",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".git-credentials"
]

const stat = (path: string) => Fs.statSync(path, { throwIfNoEntry: false })

const isWithin = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

/** The arguments of `bwrap` for a program. */
export const args = (program: Enclosure.Program, options: Options = {}): ReadonlyArray<string> => {
  const { cwd } = program
  const home = program.env["HOME"] ?? Os.homedir()
  const absent = options.absent ?? secrets.map((name) => Path.join(home, name))
  const writable = [cwd, ...(options.writable ?? [])]
  // What lies in the folders that are emptied and is needed: the program, and what it is told to run.
  const needed = [program.command, ...program.args]
    .filter(
      (each) => Path.isAbsolute(each) && (isWithin(each, "/tmp") || isWithin(each, "/run")) && stat(each) !== undefined
    )
    .map((each) => {
      const environment = Path.dirname(Path.dirname(each))
      return stat(Path.join(environment, "pyvenv.cfg")) === undefined ? Path.dirname(each) : environment
    })
  const resolver = options.network === true ? ["/run/systemd/resolve"].filter((path) => stat(path) !== undefined) : []
  const binds = (kind: "--bind" | "--ro-bind", paths: ReadonlyArray<string>) => paths.map((path) => [kind, path, path])
  const hidden = absent.flatMap((path) => {
    const found = stat(path)
    if (found === undefined) return []
    // Nothing can be mounted on a link, and what it leads to can be read by its own name too.
    const real = Fs.realpathSync(path)
    if (isWithin(cwd, real)) return []
    return [found.isDirectory() ? ["--tmpfs", real] : ["--ro-bind", "/dev/null", real]]
  })
  return [
    // Ends all of it with the process that stands for it on the host.
    ["--die-with-parent"],
    ["--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    options.network === true ? [] : ["--unshare-net"],
    ["--ro-bind", "/", "/"],
    ["--dev", "/dev"],
    ["--proc", "/proc"],
    ["--tmpfs", "/tmp"],
    // The sockets of services: a file system that cannot be written does not keep a program from talking to them.
    ["--tmpfs", "/run"],
    ...binds("--ro-bind", [...resolver, ...needed, ...(program.readable ?? [])]),
    ...binds("--bind", writable),
    ...hidden,
    ["--chdir", cwd],
    ["--", program.command, ...program.args]
  ].flat()
}

/** An interrupt goes to the whole group: what stands for the enclosure must outlive it. */
const ignoringInterrupts = ["-c", `trap '' INT; exec "$@"`, "sh"]

const running = (command: string, options: Options): Enclosure.Running => ({
  enter: (program) => ({
    ...program,
    command: "/bin/sh",
    args: [...ignoringInterrupts, command, ...args(program, options)]
  })
})

/** Wires the enclosure for a run. It is there wherever `bwrap` can make namespaces, which is tried once. */
export const layer = (options: Options = {}): Layer.Layer<never, never, Processes.Processes> =>
  Layer.effect(
    Enclosure.Enclosure,
    Effect.gen(function* () {
      const command = options.command ?? "bwrap"
      const processes = yield* Processes.Processes
      const env = process.env
      const probed = { command: "/bin/sh", args: ["-c", "exit 0"], cwd: Os.tmpdir(), env }
      const attempt = Processes.run({ command, args: args(probed, options), cwd: probed.cwd, env }).pipe(
        Effect.provideService(Processes.Processes, processes),
        Effect.timeout("10 seconds"),
        Effect.match({
          onFailure: (error) => Result.fail(`bubblewrap cannot be started: ${error.message}`),
          onSuccess: ({ exit, stderr }) =>
            exit.code === 0
              ? Result.succeed(running(command, options))
              : Result.fail(
                  `bubblewrap cannot make the enclosure here: ${stderr.trim() || Processes.describeExit(exit)}`
                )
        })
      )
      return {
        running: yield* Effect.cached(attempt),
        isHostAllowed: options.isHostAllowed ?? false
      }
    })
  )
