/** Drives the Python runner by its wire alone, without the host of the product. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as Path from "node:path"
import type { Readable, Writable } from "node:stream"
import { StringDecoder } from "node:string_decoder"
import { fileURLToPath } from "node:url"

const runner = fileURLToPath(new URL("../../kernels/python/runner.py", import.meta.url))

/** The interpreter of the tests: `LIVETOOLS_TEST_PYTHON`, else `python3`. */
export const python = process.env["LIVETOOLS_TEST_PYTHON"] ?? "python3"

/** Its minor version: 11 of Python 3.11. */
export const minor = Number(
  execFileSync(python, ["-c", "import sys; print(sys.version_info[1])"], { encoding: "utf8" })
)

export type Frame = { readonly t: string } & { readonly [key: string]: unknown }
export type Bundle = { readonly [mime: string]: unknown }

export type Output =
  | { readonly kind: "stdout" | "stderr"; readonly text: string }
  | { readonly kind: "frame"; readonly frame: Frame }

export interface Result {
  readonly outputs: ReadonlyArray<Output>
  readonly status: string
  readonly exitCode: number | undefined
  readonly rss: number | undefined
  readonly millis: number
  /** Milliseconds to the first output. */
  readonly first: number | undefined
}

const bundles = (result: Result, kind: string): ReadonlyArray<Bundle> =>
  result.outputs.flatMap((output) =>
    output.kind === "frame" && output.frame.t === kind ? [(output.frame["data"] ?? {}) as Bundle] : []
  )

export const results = (result: Result) => bundles(result, "result")
export const displays = (result: Result) => bundles(result, "display")
export const echo = (result: Result) => results(result).at(-1)?.["text/plain"] as string | undefined
export const stream = (result: Result, kind: "stdout" | "stderr") =>
  result.outputs.map((output) => (output.kind === kind ? output.text : "")).join("")
export const stdout = (result: Result) => stream(result, "stdout")
export const stderr = (result: Result) => stream(result, "stderr")
export const errorOf = (result: Result) =>
  result.outputs
    .flatMap((output) => (output.kind === "frame" && output.frame.t === "error" ? [output.frame] : []))
    .at(-1)
export const notices = (result: Result) =>
  result.outputs.flatMap((output) =>
    output.kind === "frame" && output.frame.t === "notice" ? [String(output.frame["text"])] : []
  )
export const images = (result: Result) =>
  [...displays(result), ...results(result)].filter((data) =>
    Object.keys(data).some((mime) => mime === "image/png" || mime === "image/jpeg")
  )
/** Everything that a reader of the cell sees as text, in order. */
export const allText = (result: Result) =>
  result.outputs
    .map((output) => {
      if (output.kind !== "frame") return output.text
      const { frame } = output
      if (frame.t === "error") return String(frame["traceback"])
      if (frame.t === "notice") return String(frame["text"])
      return Object.entries((frame["data"] ?? {}) as Bundle)
        .map(([mime, content]) =>
          mime.startsWith("image/") ? "" : typeof content === "string" ? content : JSON.stringify(content)
        )
        .join("\n")
    })
    .join("")

/** One of the two pipes: its text, cut at the marks. */
class Pipe {
  readonly sections = new Map<number, string>()
  /** The marks of which the runner says that no frame belongs to them. */
  readonly switches = new Set<number>()
  seen = 0
  bytes = 0
  private open = ""
  private held = ""
  private readonly decoder = new StringDecoder("utf8")
  constructor(marker: string, readable: Readable, changed: () => void) {
    const start = `\0${marker}:`
    readable.on("data", (chunk: Buffer) => {
      this.bytes += chunk.length
      let text = this.held + this.decoder.write(chunk)
      this.held = ""
      for (;;) {
        const at = text.indexOf("\0")
        if (at < 0) break
        this.open += text.slice(0, at)
        text = text.slice(at)
        if (text.length < start.length ? start.startsWith(text) : text.startsWith(start) && !text.includes("\0", 1)) {
          this.held = text
          text = ""
          break
        }
        if (!text.startsWith(start)) {
          this.open += "\0"
          text = text.slice(1)
          continue
        }
        const end = text.indexOf("\0", 1)
        this.seen = Number.parseInt(text.slice(start.length, end), 10)
        if (text[end - 1] === "~") this.switches.add(this.seen)
        this.sections.set(this.seen, this.open)
        this.open = ""
        text = text.slice(end + 1)
      }
      this.open += text
      changed()
    })
    readable.on("error", () => undefined)
  }
  /** Text behind the last mark. */
  rest() {
    const text = this.open
    this.open = ""
    return text
  }
  get pending() {
    return this.open.length > 0
  }
}

export interface Options {
  readonly python?: string
  readonly cwd?: string
  readonly env?: { readonly [name: string]: string | undefined }
  readonly tools?: (
    name: string,
    params: unknown,
    call: Frame
  ) => Promise<{ readonly value: unknown } | { readonly code: string; readonly message: string }>
}

export class Kernel {
  readonly child: ChildProcess
  readonly ready: Promise<Frame>
  readonly frames: Array<Frame> = []
  readonly cancelled: Array<unknown> = []
  died: { readonly code: number | null; readonly signal: string | null } | undefined
  private readonly out: Pipe
  private readonly err: Pipe
  private readonly requests: Writable
  private readonly listeners = new Set<() => void>()
  private readonly options: Options
  private taken = 0
  private cells = 0
  private queue: Promise<unknown> = Promise.resolve()

  constructor(options: Options = {}) {
    this.options = options
    const marker = randomBytes(9).toString("hex")
    const cwd = options.cwd ?? process.cwd()
    this.child = spawn(options.python ?? python, [runner], {
      cwd,
      env: { ...process.env, ...options.env } as NodeJS.ProcessEnv,
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"]
    })
    this.child.on("exit", (code, signal) => {
      this.died = { code, signal }
      setTimeout(() => this.changed(), 50)
    })
    const changed = () => this.changed()
    this.out = new Pipe(marker, this.child.stdio[1] as Readable, changed)
    this.err = new Pipe(marker, this.child.stdio[2] as Readable, changed)
    this.requests = this.child.stdio[4] as Writable
    this.requests.on("error", () => undefined)
    let parts: Array<string> = []
    const frames = this.child.stdio[3] as Readable
    frames.setEncoding("latin1")
    frames.on("error", () => undefined)
    frames.on("data", (chunk: string) => {
      parts.push(chunk)
      if (!chunk.includes("\n")) return
      const lines = parts.join("").split("\n")
      parts = [lines.pop() ?? ""]
      for (const line of lines) this.take(JSON.parse(line) as Frame)
      this.changed()
    })
    this.send({ t: "init", marker, cwd, tools: options.tools !== undefined })
    this.ready = this.until(() => this.frames.find((frame) => frame.t === "ready") ?? this.deathFrame())
  }

  private deathFrame(): Frame | undefined {
    return this.died === undefined ? undefined : { t: "died", ...this.died }
  }

  private take(frame: Frame) {
    this.frames.push(frame)
    if (frame.t === "cancel") this.cancelled.push(frame["id"])
    const { tools } = this.options
    if (frame.t === "call" && tools !== undefined) {
      void tools(String(frame["name"]), frame["params"], frame).then((answer) =>
        this.send({ t: "reply", id: frame["id"], ok: "value" in answer, ...answer })
      )
    }
  }

  private changed() {
    for (const listener of this.listeners) listener()
  }

  send(frame: object) {
    this.requests.write(
      `${JSON.stringify(frame).replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`
    )
  }

  /** Resolves with the first defined answer, asked again whenever something arrives. */
  until<A>(find: () => A | undefined, millis = 60_000): Promise<A> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.listeners.delete(look)
        reject(new Error(`not seen in ${millis} ms; output so far: ${this.out.rest()}${this.err.rest()}`))
      }, millis)
      const look = () => {
        const found = find()
        if (found === undefined) return
        clearTimeout(timer)
        this.listeners.delete(look)
        resolve(found)
      }
      this.listeners.add(look)
      look()
    })
  }

  /** The `done` frame of the running cell, or how the kernel died. */
  private ended(cell: number) {
    return this.until(
      () => this.frames.find((frame) => frame.t === "done" && frame["cell"] === cell) ?? this.deathFrame(),
      90_000
    )
  }

  run(code: string, file?: string): Promise<Result> {
    const next = this.queue.then(() => this.runNow(code, file))
    this.queue = next.catch(() => undefined)
    return next
  }

  get cell() {
    return this.cells
  }

  private async runNow(code: string, file?: string): Promise<Result> {
    await this.ready
    const cell = ++this.cells
    const began = performance.now()
    let first: number | undefined
    const before = this.out.bytes + this.err.bytes
    const note = () => {
      if (first === undefined && (this.out.bytes + this.err.bytes > before || this.frames.length > seen)) {
        first = performance.now() - began
      }
    }
    const seen = this.frames.length
    this.listeners.add(note)
    this.send({ t: "run", cell, code, ...(file === undefined ? {} : { file }) })
    const done = await this.ended(cell)
    this.listeners.delete(note)
    const seq = done["seq"] as number | undefined
    if (seq !== undefined) {
      await this.until(() => (this.out.seen >= seq && this.err.seen >= seq ? true : undefined), 500).catch(
        () => undefined
      )
    }
    const millis = performance.now() - began
    return {
      outputs: this.collate(),
      status: done.t === "died" ? "died" : String(done["status"]),
      exitCode: done["exit_code"] as number | undefined,
      rss: done["rss"] as number | undefined,
      millis,
      first
    }
  }

  /** Text and frames in the order in which they were made. */
  private collate(): ReadonlyArray<Output> {
    const outputs: Array<Output> = []
    const say = (kind: "stdout" | "stderr", text: string) => {
      const last = outputs.at(-1)
      if (text === "") return
      if (last !== undefined && last.kind === kind) outputs[outputs.length - 1] = { kind, text: last.text + text }
      else outputs.push({ kind, text })
    }
    const shown = this.frames.slice(this.taken)
    this.taken = this.frames.length
    const marks = new Set([...this.out.sections.keys(), ...this.err.sections.keys()])
    const bySeq = new Map<number, ReadonlyArray<Frame>>()
    for (const frame of shown) {
      if (typeof frame["seq"] === "number") {
        bySeq.set(frame["seq"], [...(bySeq.get(frame["seq"]) ?? []), frame])
        marks.add(frame["seq"])
      } else if (frame.t === "notice") outputs.push({ kind: "frame", frame })
    }
    const numbers = new Set(this.frames.flatMap(({ seq }) => (typeof seq === "number" ? [seq] : [])))
    const last = Math.max(0, ...numbers)
    for (const { sections, switches } of [this.out, this.err]) {
      const wrong = [...sections.keys()].filter((seq) => seq <= last && switches.has(seq) === numbers.has(seq))
      if (wrong.length > 0) throw new Error(`marks that tell wrongly whether they have a frame: ${wrong.join(", ")}`)
    }
    for (const mark of [...marks].sort((a, b) => a - b)) {
      say("stdout", this.out.sections.get(mark) ?? "")
      say("stderr", this.err.sections.get(mark) ?? "")
      for (const frame of bySeq.get(mark) ?? []) if (frame.t !== "done") outputs.push({ kind: "frame", frame })
    }
    this.out.sections.clear()
    this.err.sections.clear()
    say("stdout", this.out.rest())
    say("stderr", this.err.rest())
    return outputs
  }

  /** Interrupts the running cell: the frame, then the signal. */
  interrupt(cell = this.cells) {
    this.send({ t: "interrupt", cell })
    if (this.child.pid !== undefined) process.kill(this.child.pid, "SIGINT")
  }

  /** A signal to the whole group, as the later rungs of the ladder send it. */
  interruptGroup() {
    if (this.child.pid !== undefined) process.kill(-this.child.pid, "SIGINT")
  }

  async close() {
    this.requests.end()
    if (this.died === undefined) {
      const timer = setTimeout(() => this.child.kill("SIGKILL"), 3_000)
      await new Promise((resolve) => (this.died === undefined ? this.child.once("exit", resolve) : resolve(undefined)))
      clearTimeout(timer)
    }
    try {
      if (this.child.pid !== undefined) process.kill(-this.child.pid, "SIGKILL")
    } catch {
      // The group is empty.
    }
  }
}

/** A fresh kernel, the cells in order, the results; the kernel is closed. */
export const cells = async (codes: ReadonlyArray<string>, options: Options = {}) => {
  const kernel = new Kernel(options)
  try {
    const all: Array<Result> = []
    for (const code of codes) all.push(await kernel.run(code))
    return all
  } finally {
    await kernel.close()
  }
}

export const runnerFolder = Path.dirname(runner)
