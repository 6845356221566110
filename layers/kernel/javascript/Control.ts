/**
 * The control thread: reads the host's requests, rewrites cells, and stops what does not stop by itself. It has a realm of its own,
 * so nothing that a cell does to the built-in objects reaches it, and it goes on while a cell is busy.
 */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, writeSync } from "node:fs"
import { Session } from "node:inspector"
import { Socket } from "node:net"
import { workerData } from "node:worker_threads"
import { type ControlData, slot, type ToControl, type ToKernel } from "./Messages.ts"
import * as Source from "./Source.ts"

const newline = 10

/** How long the user's thread has to take up an interrupt by itself, before its code is stopped. */
const politeMs = 15
/** How often it is looked at until the cell has ended. */
const everyMs = 20
/** A child process that a cell waits for is first asked, then killed. */
const killChildrenAfterMs = 300
/** How long a cell waits for its turn, before what an earlier one has left running is stopped. */
const turnMs = 1000
/** How long that is tried. */
const hopelessMs = 5000

interface Request {
  readonly t: string
  readonly cell?: number
  readonly code?: string
  readonly file?: string
}

export const start = (): void => {
  const { port, shared, requests } = workerData as ControlData
  const known: Source.Known = new Map()
  const post = (message: ToKernel) => port.postMessage(message)
  const cellAt = (place: number) => Math.abs(Atomics.load(shared, place))

  let session: Session | undefined
  const connected = () => {
    if (session === undefined) {
      session = new Session()
      session.connectToMainThread()
    }
    return session
  }

  const terminate = (place: number, cell: number) => {
    // The kernel ends and begins no cell while one is on its way: it would hit what comes after.
    if (Atomics.compareExchange(shared, place, cell, -cell) !== cell) return
    connected().post("Runtime.terminateExecution", () => Atomics.compareExchange(shared, place, -cell, cell))
  }

  /** Stops what runs, again and again, as long as one of the places has this cell. `each` is told how long that takes by now. */
  const stopWhile = (places: ReadonlyArray<number>, cell: number, each: (ms: number) => void) => {
    let before = places[0]
    const began = performance.now()
    let asked = false
    const look = () => {
      const place = places.find((each) => cellAt(each) === cell)
      if (place === undefined) return
      const ms = performance.now() - began
      // What has just come further may go on by itself. Before its child, whose end would let it go on meanwhile.
      if (place === before) terminate(place, cell)
      before = place
      if (Atomics.load(shared, slot.waitsForChild) === 1) {
        const hasHadTime = ms > killChildrenAfterMs
        if (!asked || hasHadTime) signalChild(hasHadTime ? "SIGKILL" : "SIGINT")
        asked = true
      }
      each(ms)
      setTimeout(look, everyMs)
    }
    look()
  }

  const interrupt = (cell: number) => {
    const request: ToKernel = { t: "interrupt", cell }
    post(request)
    setTimeout(() => stopWhile([slot.running, slot.ending], cell, () => post(request)), politeMs)
  }

  let makeWay = () => {}
  let turn: NodeJS.Timeout | undefined

  const run = (cell: number, given: string, file: string | undefined) => {
    clearTimeout(turn)
    makeWay = () => {}
    // An interrupt may come while the cell is still being read.
    Atomics.store(shared, slot.running, cell)
    Atomics.store(shared, slot.waiting, cell)
    const source = given.replace(/^\uFEFF/, "")
    const rewritten = Source.rewrite(source, known)
    const message: ToKernel = { t: "run", cell, name: file ?? `<cell-${cell}>`, source, rewritten }
    post(message)
    let isMade = false
    makeWay = () => {
      if (isMade || cellAt(slot.waiting) !== cell) return
      isMade = true
      Atomics.store(shared, slot.madeWayFor, cell)
      stopWhile([slot.waiting], cell, (ms) => {
        // The one before may have been stopped together with what took it.
        post(message)
        if (ms < hopelessMs) return
        writeSync(2, "what an earlier cell has left running in the background cannot be stopped: the kernel is ended\n")
        process.kill(process.pid, "SIGTERM")
      })
    }
    turn = setTimeout(makeWay, turnMs)
  }

  const handle = (request: Request) => {
    if (request.t === "interrupt") {
      const { cell } = request
      if (cell === undefined || (cell !== cellAt(slot.running) && cell !== cellAt(slot.ending))) return
      if (cellAt(slot.waiting) !== cell) return interrupt(cell)
      Atomics.store(shared, slot.takenBack, cell)
      // It may have begun just now, without having seen that.
      if (cellAt(slot.waiting) !== cell) interrupt(cell)
      else setTimeout(makeWay, politeMs)
    } else if (request.t === "run") run(request.cell!, request.code ?? "", request.file)
    else post(request as ToKernel)
  }

  let pending: Array<Buffer> = []
  const read = (chunk: Buffer) => {
    let from = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      pending.push(chunk.subarray(from, end))
      from = end + 1
      const line = Buffer.concat(pending).toString("utf8")
      pending = []
      let request: Request | undefined
      try {
        request = JSON.parse(line) as Request
      } catch {
        // Not the host's: what it writes is JSON.
      }
      if (request !== undefined) handle(request)
    }
    if (from < chunk.length) pending.push(chunk.subarray(from))
  }

  port.on("message", ({ pid, signal }: ToControl) => {
    process.kill(pid, signal)
    Atomics.store(shared, slot.signalled, 1)
    Atomics.notify(shared, slot.signalled)
  })

  // The host is gone. Nothing of this process is worth a slower end, and its thread may be in a loop.
  const end = () => process.kill(process.pid, "SIGKILL")
  new Socket({ fd: requests, readable: true, writable: false }).on("data", read).on("end", end).on("error", end)
  setImmediate(connected)
}

interface Listed {
  readonly parent: number
  /** Later ones have larger numbers. */
  readonly order: number
}

/** The processes of this machine. */
const processes = (): ReadonlyMap<number, Listed> => {
  const table = new Map<number, Listed>()
  if (process.platform !== "linux") {
    const listing = spawnSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    for (const line of listing.stdout.split("\n")) {
      const [pid = 0, parent = 0] = line.trim().split(/\s+/).map(Number)
      if (pid !== listing.pid) table.set(pid, { parent, order: pid })
    }
    return table
  }
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "latin1").split(") ").at(-1)!.split(" ")
      table.set(Number(name), { parent: Number(fields[1]), order: Number(fields[19]) })
    } catch {
      // It has ended meanwhile.
    }
  }
  return table
}

/** Signals the child process that the user's thread waits for, the newest one, and what it has started. */
const signalChild = (signal: NodeJS.Signals): void => {
  const table = processes()
  const children = [...table].filter(([, { parent }]) => parent === process.pid)
  const newest = children.toSorted(([, a], [, b]) => b.order - a.order)[0]?.[0]
  if (newest === undefined) return
  const tree = new Set([newest])
  for (let size = 0; size !== tree.size;) {
    size = tree.size
    for (const [pid, { parent }] of table) if (tree.has(parent)) tree.add(pid)
  }
  for (const pid of tree) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended meanwhile.
    }
  }
}
