// A debug adapter whose behaviour is a function in a file: `node FakeDebugAdapter.mjs BEHAVIOUR.mjs LOG [--listen | --serve | --dial ADDRESS]`.
// What it may do is typed in FakeDebugAdapter.ts. It logs what it receives, one JSON a line, and shares no code with the client.
import { spawn } from "node:child_process"
import { appendFileSync, writeSync } from "node:fs"
import * as Net from "node:net"
import { pathToFileURL } from "node:url"

const [behaviourFile, logFile, mode, address] = process.argv.slice(2)
const log = (entry) => appendFileSync(logFile, `${JSON.stringify(entry)}\n`)
log({ pid: process.pid, parent: process.ppid, cwd: process.cwd(), mark: process.env.LIVETOOLS_RUN ?? null })

const noReply = Symbol("no reply")
const { default: behave } = await import(pathToFileURL(behaviourFile).href)

// One conversation with a client over a stream.
const converse = async (input, output, session) => {
  const handlers = new Map()
  const waiting = new Map()
  let splitAt = 0
  let isReading = true
  let seq = 0
  let isZero = false
  let hasCommand = true
  let written = Promise.resolve()

  const raw = (data) => {
    const bytes = Buffer.from(data)
    written = written.then(async () => {
      const size = splitAt || bytes.length || 1
      for (let at = 0; at < bytes.length; at += size) {
        const isTaken = output.write(bytes.subarray(at, at + size))
        if (splitAt) await new Promise((resolve) => setImmediate(resolve))
        if (!isTaken) await new Promise((resolve) => output.once("drain", resolve))
      }
    })
    return written
  }
  const frame = (message) => {
    const body = JSON.stringify({ seq: isZero ? 0 : ++seq, ...message })
    return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  }
  const send = (message) => raw(frame(message))
  const event = (name, body) => send({ type: "event", event: name, ...(body === undefined ? {} : { body }) })
  const respond = (request, body) =>
    send({
      type: "response",
      request_seq: request.seq,
      command: hasCommand ? request.command : "",
      success: true,
      ...(body === undefined ? {} : { body })
    })
  const fail = (request, message, error) =>
    send({
      type: "response",
      request_seq: request.seq,
      command: hasCommand ? request.command : "",
      success: false,
      ...(message === undefined ? {} : { message }),
      ...(error === undefined ? {} : { body: { error } })
    })

  // A program of 20 lines in `program`, function `main`, with one thread; `x` is the number of the line.
  const program = {
    path: "",
    last: 20,
    line: 0,
    code: 0,
    order: "debugpy",
    isOver: false,
    breakpoints: new Map(),
    capabilities: {
      supportsConfigurationDoneRequest: true,
      supportsConditionalBreakpoints: true,
      supportsHitConditionalBreakpoints: true,
      supportsLogPoints: true,
      supportsFunctionBreakpoints: true,
      supportsDelayedStackTraceLoading: true,
      supportsSetVariable: true,
      supportTerminateDebuggee: true,
      exceptionBreakpointFilters: [
        { filter: "raised", label: "Raised" },
        { filter: "uncaught", label: "Uncaught", default: true }
      ]
    }
  }
  const stop = (reason, more) => event("stopped", { reason, threadId: 1, allThreadsStopped: true, ...more })
  const end = async (code = program.code) => {
    if (program.isOver) return
    program.isOver = true
    await event("exited", { exitCode: code })
    await event("terminated")
  }
  const run = async () => {
    const lines = (program.breakpoints.get(program.path) ?? []).map(({ line }) => line)
    const next = lines.filter((line) => line > program.line).toSorted((a, b) => a - b)[0]
    if (next === undefined || next > program.last) return end()
    program.line = next
    await stop("breakpoint", { hitBreakpointIds: [next] })
  }
  const step = async () => {
    program.line++
    if (program.line > program.last) return end()
    await stop("step")
  }
  const resumed = (go) => async (_, request) => {
    await respond(request, request.command === "continue" ? { allThreadsContinued: true } : undefined)
    await event("continued", { threadId: 1, allThreadsContinued: true })
    await go()
    return noReply
  }

  let pendingLaunch
  const begin = async (args, request) => {
    program.path = args.program ?? program.path
    switch (program.order) {
      case "delve":
        await event("initialized")
        await respond(request)
        return noReply
      case "lldb19":
        await respond(request)
        await event("initialized")
        return noReply
      case "dart":
        pendingLaunch = request
        return noReply
      default:
        pendingLaunch = request
        await event("initialized")
        return noReply
    }
  }
  const base = {
    initialize: async (_, request) => {
      await respond(request, program.capabilities)
      if (program.order === "dart") await event("initialized")
      return noReply
    },
    launch: begin,
    attach: begin,
    setBreakpoints: ({ breakpoints, source }) => {
      program.breakpoints.set(source.path, breakpoints)
      return { breakpoints: breakpoints.map(({ line }) => ({ id: line, verified: line <= program.last, line })) }
    },
    setFunctionBreakpoints: ({ breakpoints }) => ({
      breakpoints: breakpoints.map((_, i) => ({ id: 900 + i, verified: true }))
    }),
    setExceptionBreakpoints: () => {},
    configurationDone: async (_, request) => {
      await respond(request)
      if (pendingLaunch !== undefined) await respond(pendingLaunch)
      await run()
      return noReply
    },
    continue: resumed(run),
    next: resumed(step),
    stepIn: resumed(step),
    stepOut: resumed(step),
    pause: async (_, request) => {
      await respond(request)
      await stop("pause")
      return noReply
    },
    threads: () => ({ threads: [{ id: 1, name: "main" }] }),
    stackTrace: () => ({
      stackFrames: [
        { id: 1000, name: "main", line: program.line, column: 1, source: { name: "a", path: program.path } }
      ],
      totalFrames: 1
    }),
    scopes: () => ({
      scopes: [{ name: "Locals", presentationHint: "locals", variablesReference: 1, expensive: false }]
    }),
    variables: ({ variablesReference }) => ({
      variables:
        variablesReference === 1
          ? [
              { name: "x", value: String(program.line), type: "int", variablesReference: 0 },
              { name: "list", value: "[…]", type: "list", variablesReference: 2 }
            ]
          : [{ name: "0", value: "zero", variablesReference: 0 }]
    }),
    setVariable: ({ value }) => ({ value, type: "int", variablesReference: 0 }),
    evaluate: ({ expression }) => {
      if (expression === "x") return { result: String(program.line), type: "int", variablesReference: 0 }
      if (expression === "list") return { result: "[…]", type: "list", variablesReference: 2 }
      throw new Error(`NameError: name '${expression}' is not defined`)
    },
    disconnect: async (_, request) => {
      await respond(request)
      if (session === 1) setImmediate(() => process.exit(0))
      return noReply
    }
  }

  const children = []
  const adapter = {
    session,
    noReply,
    program,
    base: (command, args, request) => base[command](args, request),
    on: (command, handler) => handlers.set(command, handler),
    send,
    raw,
    frame,
    event,
    respond,
    fail,
    stop,
    end,
    run,
    output: (text, category) => event("output", { ...(category === undefined ? {} : { category }), output: text }),
    reverse: (command, args) =>
      new Promise((resolve) => {
        const mine = ++seq
        waiting.set(mine, resolve)
        void raw(
          ((body) => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)(
            JSON.stringify({ seq: mine, type: "request", command, arguments: args })
          )
        )
      }),
    split: (size) => (splitAt = size),
    zeroSeq: () => (isZero = true),
    emptyCommand: () => (hasCommand = false),
    stderr: (text) => writeSync(2, text),
    stdout: (text) => writeSync(1, text),
    sleep: (millis) => new Promise((resolve) => setTimeout(resolve, millis)),
    exit: (code) => process.exit(code),
    kill: (signal) => process.kill(process.pid, signal),
    stopReading: () => {
      isReading = false
      input.pause()
    },
    // A debuggee: in a session of its own, it ignores the end of its input and SIGTERM.
    fork: (env) => {
      const code = `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)`
      const child = spawn(process.execPath, ["-e", code], {
        stdio: "ignore",
        detached: true,
        ...(env === undefined ? {} : { env })
      })
      children.push(child)
      log({ child: child.pid })
      return child.pid
    },
    ignoreTermination: () => process.on("SIGTERM", () => {}),
    keepAlive: () => setInterval(() => {}, 1000),
    port: () => globalThis.fakePort,
    log
  }
  await behave(adapter)

  const receive = async (message) => {
    if (message.type === "response") {
      waiting.get(message.request_seq)?.(message)
      waiting.delete(message.request_seq)
      return
    }
    const handler = handlers.get(message.command) ?? base[message.command]
    if (handler === undefined) return fail(message, `unknown request ${message.command}`)
    try {
      const body = await handler(message.arguments ?? {}, message)
      if (body !== noReply) await respond(message, body)
    } catch (error) {
      await fail(message, error.message, error.error)
    }
  }

  let pending = Buffer.alloc(0)
  input.on("data", (chunk) => {
    pending = Buffer.concat([pending, chunk])
    for (;;) {
      if (!isReading) return
      const end = pending.indexOf("\r\n\r\n")
      if (end < 0) return
      const length = Number(/content-length: (\d+)/i.exec(pending.toString("latin1", 0, end))[1])
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
      log({ received: message, session })
      void receive(message)
    }
  })
  input.on("error", () => {})
  output.on("error", () => {})
  input.on("end", () => {
    log({ end: true, session })
    const handler = handlers.get("$end")
    if (handler !== undefined) return handler()
    if (mode !== "--serve" && session === 1) process.exit(0)
  })
}

if (mode === "--listen" || mode === "--serve") {
  let sessions = 0
  const server = Net.createServer((socket) => void converse(socket, socket, ++sessions))
  server.listen(0, "127.0.0.1", () => {
    globalThis.fakePort = server.address().port
    process.stdout.write(`DAP server listening at: 127.0.0.1:${server.address().port}\n`)
  })
} else if (mode === "--dial") {
  const [host, port] = address.split(":")
  const socket = Net.connect({ host, port: Number(port) }, () => void converse(socket, socket, 1))
} else await converse(process.stdin, process.stdout, 1)
