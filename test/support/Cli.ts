/** Runs the bundled command as a person or a program would. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"

export const bin = fileURLToPath(new URL("../../dist/bin/livetools.js", import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const environment = (home: string) => ({ ...process.env, HOME: home, XDG_CONFIG_HOME: "", XDG_STATE_HOME: "" })

/** A folder with these files; a value that is `null` makes a folder. Removed by `remove`. */
export const folder = (files: { readonly [path: string]: string | Uint8Array | null }) => {
  const root = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "livetools-test-")))
  for (const [name, content] of Object.entries(files)) {
    const path = Path.join(root, name)
    Fs.mkdirSync(content === null ? path : Path.dirname(path), { recursive: true })
    if (content !== null) Fs.writeFileSync(path, content)
  }
  return {
    root,
    path: (name: string) => Path.join(root, name),
    read: (name: string) => Fs.readFileSync(Path.join(root, name), "utf8"),
    remove: () => Fs.rmSync(root, { recursive: true, force: true })
  }
}

/** Runs to the end; `input` is written to standard input, which is then closed. */
export const run = (
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly input?: string; readonly home?: string }
): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [bin, ...args], {
      cwd: options.cwd,
      env: environment(options.home ?? options.cwd)
    })
    let out = ""
    let err = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text))
    child.on("close", (code) => resolve({ code, out, err }))
    child.stdin.on("error", () => {})
    child.stdin.end(options.input ?? "")
  })

export type Message = { readonly id?: unknown; readonly method?: string; readonly [key: string]: unknown }

/** A `livetools serve` to talk to. */
export const serve = (args: ReadonlyArray<string>, cwd: string) => {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [bin, "serve", ...args], {
    cwd,
    env: environment(cwd)
  })
  const received: Array<Message> = []
  const waiting = new Set<() => void>()
  let rest = ""
  let err = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text))
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    received.push(...lines.map((line) => JSON.parse(line) as Message))
    for (const wake of waiting) wake()
  })
  const closed = new Promise<number | null>((resolve) => child.on("close", resolve))
  let lastId = 0
  const find = (matches: (message: Message) => boolean): Promise<Message> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const at = received.findIndex(matches)
        if (at < 0) return
        waiting.delete(look)
        resolve(received.splice(at, 1)[0]!)
      }
      waiting.add(look)
      void closed.then(() => reject(new Error(`serve ended: ${err}`)))
      look()
    })
  const write = (text: string | Uint8Array) => child.stdin.write(text)
  const request = (method: string, params: object) => {
    const id = ++lastId
    write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
    return { id, answer: find((message) => message.id === id) }
  }
  return {
    pid: child.pid!,
    write,
    find,
    request,
    notify: (method: string, params: object) => write(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`),
    /** The answer of one tool call. */
    call: async (tool: string, params: object) => {
      const { result } = await request("tools.call", { tool, params }).answer
      return result as { isFailure: boolean; code?: string; text: string; value?: unknown }
    },
    end: () => child.stdin.end(),
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    closed,
    errors: () => err
  }
}
