// A language server whose behaviour is a function in a file: `node FakeLanguageServer.mjs BEHAVIOUR.mjs LOG`. What it may do is
// typed in FakeLanguageServer.ts. It logs what it receives, one JSON a line, and shares no code with the client.
import { spawn } from "node:child_process"
import { appendFileSync, closeSync, writeSync } from "node:fs"
import { pathToFileURL } from "node:url"

const [behaviourFile, logFile] = process.argv.slice(2)
const log = (entry) => appendFileSync(logFile, `${JSON.stringify(entry)}\n`)
log({ pid: process.pid, parent: process.ppid, cwd: process.cwd() })

const handlers = new Map()
const documents = new Map()
const waiting = new Map()
let splitAt = 0
let isReading = true
let encoding = "utf-16"
let lastId = 0
let isClosed = false
let output = Promise.resolve()
const noReply = Symbol("no reply")

const raw = (data) => {
  const bytes = Buffer.from(data)
  output = output.then(async () => {
    if (isClosed) return
    const size = splitAt || bytes.length || 1
    for (let at = 0; at < bytes.length; at += size) {
      const isTaken = process.stdout.write(bytes.subarray(at, at + size))
      if (splitAt) await new Promise((resolve) => setImmediate(resolve))
      if (!isTaken) await new Promise((resolve) => process.stdout.once("drain", resolve))
    }
  })
  return output
}
const frame = (message) => {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message })
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}
const send = (message) => raw(frame(message))

const units = (text) =>
  encoding === "utf-8" ? Buffer.byteLength(text) : encoding === "utf-32" ? [...text].length : text.length
const offsetOf = (text, { line, character }) => {
  const lines = [...text.matchAll(/\r\n|\n|\r/g)]
  if (line > lines.length) return text.length
  const start = line === 0 ? 0 : lines[line - 1].index + lines[line - 1][0].length
  const end = lines[line]?.index ?? text.length
  let at = start
  for (const point of text.slice(start, end)) {
    if (units(text.slice(start, at + point.length)) > character) break
    at += point.length
  }
  return at
}
const positionOf = (text, offset) => {
  const before = text.slice(0, offset)
  const lines = before.split(/\r\n|\n|\r/)
  return { line: lines.length - 1, character: units(lines.at(-1)) }
}
const rangeOf = (uri, word) => {
  const text = documents.get(uri)?.text ?? ""
  const at = text.indexOf(word)
  return { start: positionOf(text, at), end: positionOf(text, at + word.length) }
}

const server = {
  noReply,
  documents,
  on: (method, handler) => handlers.set(method, handler),
  send,
  raw,
  frame,
  notify: (method, params) => send({ method, params }),
  request: (method, params, id = `server-${++lastId}`) =>
    new Promise((resolve) => {
      waiting.set(id, resolve)
      void send({ id, method, params })
    }),
  publish: (uri, messages, version) =>
    send({
      method: "textDocument/publishDiagnostics",
      params: {
        uri,
        ...(version === undefined ? {} : { version }),
        diagnostics: messages.map((message) => (typeof message === "string" ? server.diagnostic(message) : message))
      }
    }),
  diagnostic: (message, line = 0) => ({
    range: { start: { line, character: 0 }, end: { line, character: 1 } },
    severity: 1,
    message
  }),
  split: (size) => (splitAt = size),
  encode: (name) => (encoding = name),
  rangeOf,
  stderr: (text) => writeSync(2, text),
  sleep: (millis) => new Promise((resolve) => setTimeout(resolve, millis)),
  exit: (code) => process.exit(code),
  kill: (signal) => process.kill(process.pid, signal),
  stopReading: () => {
    isReading = false
    process.stdin.pause()
  },
  closeOutput: () => {
    isClosed = true
    closeSync(1)
  },
  // A child of its own, which ignores the end of its input and SIGTERM.
  fork: () => {
    const code = `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ["-e", code], { stdio: "ignore", detached: true })
    log({ child: child.pid })
  },
  ignoreTermination: () => process.on("SIGTERM", () => {}),
  keepAlive: () => setInterval(() => {}, 1000),
  log
}

const base = {
  initialize: () => ({ capabilities: { textDocumentSync: { openClose: true, change: 2 } } }),
  shutdown: () => null,
  exit: () => process.exit(0),
  "textDocument/didOpen": () => {},
  "textDocument/didChange": () => {},
  "textDocument/didClose": () => {}
}

const track = (method, params) => {
  if (method === "textDocument/didOpen") {
    const { languageId, text, uri, version } = params.textDocument
    documents.set(uri, { text, version, languageId })
  } else if (method === "textDocument/didClose") documents.delete(params.textDocument.uri)
  else if (method === "textDocument/didChange") {
    const document = documents.get(params.textDocument.uri)
    document.version = params.textDocument.version
    for (const { range, text } of params.contentChanges) {
      if (range === undefined) document.text = text
      else {
        const [start, end] = [range.start, range.end].map((position) => offsetOf(document.text, position))
        document.text = document.text.slice(0, start) + text + document.text.slice(end)
      }
    }
    log({ text: document.text, of: params.textDocument.uri })
  }
}

const receive = async (message) => {
  const { id, method, params } = message
  if (method === undefined) {
    waiting.get(id)?.(message.error === undefined ? message.result : { error: message.error })
    waiting.delete(id)
    return
  }
  track(method, params)
  const handler = handlers.get(method) ?? base[method]
  if (id === undefined) {
    await handler?.(params, message)
    return
  }
  if (handler === undefined) return send({ id, error: { code: -32601, message: `Unhandled method ${method}` } })
  try {
    const result = await handler(params, message)
    if (result !== noReply) await send({ id, result: result ?? null })
  } catch (error) {
    await send({ id, error: { code: error.code ?? -32603, message: error.message ?? String(error), data: error.data } })
  }
}

const { default: behave } = await import(pathToFileURL(behaviourFile).href)
await behave(server)

let pending = Buffer.alloc(0)
process.stdin.on("data", (chunk) => {
  pending = Buffer.concat([pending, chunk])
  for (;;) {
    if (!isReading) return
    const end = pending.indexOf("\r\n\r\n")
    if (end < 0) return
    const header = pending.toString("latin1", 0, end)
    const length = Number(/content-length: (\d+)/i.exec(header)[1])
    if (pending.length < end + 4 + length) return
    const body = pending.toString("utf8", end + 4, end + 4 + length)
    pending = pending.subarray(end + 4 + length)
    let message
    try {
      message = JSON.parse(body)
    } catch {
      log({ malformed: body.slice(0, 200), length })
      continue
    }
    log({ received: message, hasNullParams: /"params":null/.test(body) })
    void receive(message)
  }
})
process.stdin.on("end", () => {
  log({ end: true })
  if (!handlers.has("$stdin/end")) process.exit(0)
  handlers.get("$stdin/end")()
})
