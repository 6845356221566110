/** V8's REPL mode, through an inspector session inside of this process: no port is opened. */
import { Session } from "node:inspector"
import { helper } from "./Messages.ts"

const { apply } = Reflect
const { defineProperty, getOwnPropertyDescriptor } = Object
const objects = Object.prototype
const remove = Reflect.deleteProperty

export type Outcome =
  | { readonly kind: "value"; readonly raw?: string }
  | { readonly kind: "thrown"; readonly error: unknown; readonly line: number; readonly column: number }
  /** Its code was stopped. */
  | { readonly kind: "stopped" }

interface Remote {
  readonly type: string
  readonly objectId?: string
  readonly value?: unknown
  readonly unserializableValue?: string
  readonly description?: string
}

interface Evaluated {
  readonly result?: Remote
  readonly exceptionDetails?: {
    readonly text: string
    readonly lineNumber: number
    readonly columnNumber: number
    readonly exception?: Remote
  }
}

export interface Engine {
  /** Runs the code; the outcome comes when it is wholly evaluated, once. Never, where what it awaits does not come. */
  readonly evaluate: (code: string, name: string, done: (outcome: Outcome) => void) => void
  /** Forgets what is still being evaluated: nothing more is said of it. */
  readonly forget: () => void
  /** Stops the code that calls it, in this same thread. */
  readonly stop: () => never
  /** The helper of the cells hands over what was thrown. */
  readonly take: (value: unknown) => void
}

const group = "cell"

type Done = (error: unknown, result: Evaluated | undefined) => void

export const make = (): Engine => {
  let session = new Session()
  session.connect()
  const send = (method: string, params: object, done: Done) => {
    // Node's types have a signature for each method.
    const post: (method: string, params: object, done: Done) => void = session.post
    apply(post, session, [method, params, done])
  }
  let taken: unknown

  /**
   * Sends a command. Node makes it JSON in the realm of the cells: a `toJSON` on the prototype of all objects is out of the way
   * while that happens, and back before the command runs.
   */
  const post = (method: string, params: object, done: Done) => {
    const polluted = getOwnPropertyDescriptor(objects, "toJSON")
    if (polluted === undefined) return send(method, params, done)
    const restoring = { __proto__: null, ...params }
    const restore = () => {
      defineProperty(objects, "toJSON", polluted)
      return undefined
    }
    defineProperty(restoring, "last", { enumerable: true, get: restore })
    if (!remove(objects, "toJSON")) return send(method, params, done)
    send(method, restoring, done)
  }

  const valueOf = (remote: Remote): unknown => {
    if (remote.objectId === undefined) {
      const { unserializableValue: text } = remote
      if (text === undefined) return remote.value
      return text.endsWith("n") ? BigInt(text.slice(0, -1)) : Number(text)
    }
    taken = undefined
    const { objectId } = remote
    const functionDeclaration = `function () { "use strict"; ${helper}.take(this) }`
    post("Runtime.callFunctionOn", { objectId, functionDeclaration, silent: true }, () => {})
    const value = taken
    taken = undefined
    post("Runtime.releaseObjectGroup", { objectGroup: group }, () => {})
    return value
  }

  return {
    evaluate: (code, name, done) => {
      const expression = `${code}\n//# sourceURL=${name}`
      post("Runtime.evaluate", { expression, replMode: true, objectGroup: group, silent: true }, (error, evaluated) => {
        const details = evaluated?.exceptionDetails
        if (details?.exception !== undefined) {
          const { columnNumber: column, lineNumber: line } = details
          done({ kind: "thrown", error: valueOf(details.exception), line, column })
        } else if (error === null && evaluated !== undefined && details === undefined) {
          const { result } = evaluated
          const text = result?.type === "undefined" ? undefined : (result?.description ?? String(result?.value))
          done(text === undefined ? { kind: "value" } : { kind: "value", raw: text })
        } else done({ kind: "stopped" })
      })
    },
    forget: () => {
      session.disconnect()
      session = new Session()
      session.connect()
    },
    stop: () => {
      session.post("Runtime.terminateExecution")
      for (;;);
    },
    take: (value) => {
      taken = value
    }
  }
}
