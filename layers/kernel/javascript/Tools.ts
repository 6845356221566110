/** `tool` and `tools`: calls that go to the host, over the wire, and come back by their number. */
import type { Wire } from "./Wire.ts"

const { stringify } = JSON
const { create, keys } = Object
const NativePromise = Promise
const then = Function.prototype.call.bind(Promise.prototype.then) as (
  promise: unknown,
  settled: () => void,
  failed: () => void
) => unknown
const ignore = () => {}

/** What the host answers a call with when it failed. `code` is the tool's. */
export class ToolError extends Error {
  readonly code: string
  readonly tool: string
  constructor(tool: string, code: string, message: string) {
    super(message)
    this.name = "ToolError"
    this.code = code
    this.tool = tool
  }
}

interface Options {
  /** Gives the call up. */
  readonly signal?: AbortSignal
}

interface Pending {
  readonly tool: string
  readonly cell: number
  /** Where the cell called it. */
  readonly trace: Error
  promise?: Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

export interface Tools {
  readonly tool: (name: string, params?: unknown, options?: Options) => Promise<unknown>
  readonly tools: () => Promise<unknown>
  readonly reply: (reply: {
    readonly id: number
    readonly ok: boolean
    readonly value?: unknown
    readonly code?: string
    readonly message?: string
  }) => void
  /** Gives up the calls of a cell that is over; the names of the tools, `tools()` for the list of them. */
  readonly giveUp: (cell: number, why: string) => ReadonlyArray<string>
}

const encode = (tool: string, params: unknown): string => {
  if (params === null || typeof params !== "object") {
    throw new TypeError(`the parameters of a tool are an object, as in tool(${stringify(tool)}, { path: "a.txt" })`)
  }
  return (
    stringify(params, (key, value: unknown) => {
      if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") {
        throw new TypeError(`a ${typeof value} cannot be given to a tool: \`${key}\``)
      }
      return value
    }) ?? "{}"
  )
}

/** `running` is the cell that runs, and 0 where what asks belongs to none that does. */
export const make = (wire: Wire, running: () => number, isOffered: () => boolean): Tools => {
  const pending: Record<number, Pending> = create(null)
  let last = 0

  const call = (name: string, params: string, options: Options | undefined): Promise<unknown> => {
    const cell = running()
    const called = name === "" ? "tools()" : name
    if (!isOffered()) throw new ToolError(called, "not_covered", "This kernel has no tools to call.")
    if (cell === 0) {
      const message = `The cell that calls ${called} has ended; call tools from a cell that runs.`
      throw new ToolError(called, "cancelled", message)
    }
    options?.signal?.throwIfAborted()
    const id = ++last
    const promise = new NativePromise<unknown>((resolve, reject) => {
      pending[id] = { tool: called, cell, trace: new Error(), resolve, reject }
    })
    pending[id]!.promise = promise
    options?.signal?.addEventListener("abort", () => {
      const found = take(id)
      if (found === undefined) return
      wire.send({ t: "cancel", id })
      found.reject(options.signal?.reason)
    })
    try {
      wire.send({ t: "call", id, cell, name }, params)
    } catch (error) {
      take(id)
      throw error
    }
    return promise
  }

  /** The error of a call, with the stack of the place that made it. */
  const errorOf = ({ tool, trace }: Pending, code: string, message: string): ToolError => {
    const error = new ToolError(tool, code, message)
    error.stack = `${error.name}: ${message}${String(trace.stack).slice("Error".length)}`
    return error
  }

  const take = (id: number): Pending | undefined => {
    const found = pending[id]
    delete pending[id]
    return found
  }

  const byName = (name: string, params: unknown = {}, options?: Options): Promise<unknown> => {
    try {
      return call(String(name), encode(String(name), params), options)
    } catch (error) {
      return NativePromise.reject(error)
    }
  }

  const tool = new Proxy(byName, {
    get: (target, name, receiver) => {
      // `then`: a tool is no promise. `toJSON` and the like are asked for by whoever shows it.
      const isOwn = typeof name === "symbol" || name in target || name === "then" || name === "toJSON"
      if (isOwn) return Reflect.get(target, name, receiver) as unknown
      return (params?: unknown, options?: Options) => byName(name, params, options)
    }
  })

  return {
    tool,
    tools: async () => call("", "null", undefined),
    reply: ({ code, id, message, ok, value }) => {
      const found = take(id)
      if (ok) found?.resolve(value)
      else if (found !== undefined) found.reject(errorOf(found, code ?? "internal", message ?? "the call failed"))
    },
    giveUp: (cell, why) => {
      const names: Array<string> = []
      const ids = keys(pending)
      for (let at = 0; at < ids.length; at++) {
        const id = Number(ids[at])
        if (pending[id]?.cell !== cell) continue
        const found = take(id)!
        names[names.length] = found.tool
        wire.send({ t: "cancel", id })
        // Told with the end of the cell; nobody may be waiting for it.
        void then(found.promise, ignore, ignore)
        found.reject(errorOf(found, "cancelled", why))
      }
      return names
    }
  }
}
