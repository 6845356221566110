// A runner whose cells are JavaScript function bodies that say, through `k`, exactly what goes over which pipe.
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"

const [mode = ""] = process.argv.slice(2)
if (mode === "silent") setInterval(() => {}, 1000)
if (mode === "crash") {
  fs.writeSync(2, "cannot begin\n")
  process.exit(4)
}

const write = (fd, data) => {
  let bytes = Buffer.from(data)
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(fs.writeSync(fd, bytes))
    } catch (error) {
      if (error.code !== "EAGAIN") throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

let marker = ""
let seq = 0
let cell = 0
let lastId = 0
let onInterrupt
const waiting = new Map()
const state = {}
const seen = []
const raw = (text) => write(3, text)
const send = (frame) => raw(`${JSON.stringify(frame)}\n`)

const k = {
  state,
  seen,
  out: (data) => write(1, data),
  err: (data) => write(2, data),
  raw,
  send,
  nextSeq: () => ++seq,
  marker: () => marker,
  /** Writes a mark to the given descriptors, and gives its number. */
  mark: ({ fds = [1, 2], isSwitch = false, number = ++seq } = {}) => {
    for (const fd of fds) write(fd, `\0${marker}:${number}${isSwitch ? "~" : ""}\0`)
    return number
  },
  frame: (frame, fds) => send({ cell, seq: k.mark({ fds }), ...frame }),
  display: (data, extra) => k.frame({ t: "display", data, ...extra }),
  result: (data) => k.frame({ t: "result", data }),
  done: (status = "ok", extra = {}) => {
    const ended = cell
    k.frame({ t: "done", cell: ended, status, ...extra })
    cell = 0
  },
  call: (name, params, of = cell) => {
    const id = ++lastId
    const reply = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
    send({ t: "call", id, cell: of, name, params })
    reply.catch(() => {})
    return Object.assign(reply, { id })
  },
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  forever: () => new Promise(() => {}),
  /** What happens instead of the end of the cell. */
  onInterrupt: (handler) => (onInterrupt = handler),
  spawn: (command, args, stdio = "ignore") => childProcess.spawn(command, args, { stdio }).pid,
  kill: (signal) => process.kill(process.pid, signal),
  exit: (code) => process.exit(code)
}

const AsyncFunction = (async () => {}).constructor
const run = async (request) => {
  cell = request.cell
  onInterrupt = undefined
  const mine = cell
  try {
    await new AsyncFunction("k", "state", request.code)(k, state)
    if (cell === mine) k.done()
  } catch (error) {
    if (cell !== mine) return
    k.frame({ t: "error", name: error.name, message: error.message, traceback: `Traceback: ${error.message}` })
    k.done("error")
  }
}

const interrupt = (how) => {
  seen.push(how)
  if (cell === 0) return
  if (onInterrupt !== undefined) return onInterrupt(how)
  k.done("interrupted")
}
process.on("SIGINT", () => interrupt("SIGINT"))

let rest = []
new net.Socket({ fd: 4 })
  .setEncoding("utf8")
  .on("data", (text) => {
    const [head, ...tail] = text.split("\n")
    rest.push(head)
    if (tail.length === 0) return
    const lines = [rest.join(""), ...tail]
    rest = [lines.pop()]
    for (const line of lines) {
      const request = JSON.parse(line)
      if (request.t === "init") {
        marker = request.marker
        if (mode !== "silent") {
          send({ t: "ready", language: "fake", version: "1", executable: process.execPath, pid: process.pid })
        }
      } else if (request.t === "run") void run(request)
      else if (request.t === "interrupt") seen.push("interrupt")
      else if (request.t === "reply") {
        const { resolve, reject } = waiting.get(request.id) ?? {}
        waiting.delete(request.id)
        if (request.ok) resolve?.(request.value)
        else reject?.(Object.assign(new Error(request.message), { name: request.code }))
      }
    }
  })
  .on("end", () => process.exit(0))
