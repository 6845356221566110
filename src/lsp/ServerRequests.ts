/** What a server is answered when it asks (C6–C8, C42, C66, C101). */
import { Effect, type Schema } from "effect"
import { errorCodes, ResponseError } from "../wire/JsonRpc.ts"
import * as Client from "./Client.ts"
import * as Configuration from "./Configuration.ts"
import * as Wire from "./Wire.ts"

/** The answer to `workspace/applyEdit` (C90). */
export interface AppliedEdit {
  readonly applied: boolean
  readonly failureReason?: string
}

export interface Handlers {
  readonly root: string
  readonly settings: Schema.Json | undefined
  /** Results of requests that are not in the protocol, by method. */
  readonly answers: Readonly<Record<string, Schema.Json>>
  readonly register: (params: unknown) => void
  readonly unregister: (params: unknown) => void
  /** Diagnostics that were pulled are out of date. */
  readonly refreshDiagnostics: () => void
  /** It says something to the user. */
  readonly message: (params: unknown) => void
  /** Takes the edits that it sends while a tool that writes runs a command of its; `undefined` at any other time. */
  readonly takeEdit?: () => ((params: unknown) => Effect.Effect<AppliedEdit>) | undefined
}

/** SPEC §3.8: a question changes no file. */
const notApplied: AppliedEdit = {
  applied: false,
  failureReason: "no edit is applied while the server is only asked a question"
}

/** Every request of the protocol is answered with success: an error here ends some servers (M, C7). */
export const answer =
  (handlers: Handlers) =>
  (method: string, params: unknown): Effect.Effect<unknown, ResponseError> =>
    Effect.suspend(() => {
      switch (method) {
        case "workspace/configuration":
          return Effect.succeed(Configuration.answer(handlers.settings, params))
        case "workspace/workspaceFolders":
          return Effect.succeed([Client.folder(handlers.root)])
        case "workspace/applyEdit":
          return handlers.takeEdit?.()?.(params) ?? Effect.succeed(notApplied)
        case "client/registerCapability":
          handlers.register(params)
          return Effect.succeed(null)
        case "client/unregisterCapability":
          handlers.unregister(params)
          return Effect.succeed(null)
        case "window/showMessageRequest":
          handlers.message(params)
          return Effect.succeed(null)
        case "window/showDocument":
          return Effect.succeed({ success: false })
        case "window/workDoneProgress/create":
          return Effect.succeed(null)
        case "workspace/diagnostic/refresh":
          handlers.refreshDiagnostics()
          return Effect.succeed(null)
      }
      if (/^workspace\/\w+\/refresh$/.test(method)) return Effect.succeed(null)
      const own = Wire.get(handlers.answers, method)
      if (own !== undefined) return Effect.succeed(own)
      return Effect.fail(
        new ResponseError({ code: errorCodes.methodNotFound, message: `this client does not know ${method}` })
      )
    })
