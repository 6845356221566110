/** The port `Debuggers` on Node: one debugger a conversation, made when it is first asked for, ended with the run (SPEC §7). */
import { Effect, Layer, Scope, Semaphore } from "effect"
import { type Debugger, Debuggers } from "../../src/debug/Debuggers.ts"
import * as Policy from "../../src/debug/Policy.ts"
import { Processes } from "../../src/Processes.ts"
import { Workspace } from "../../src/Workspace.ts"
import type { Finder } from "./adapters/Find.ts"
import * as Debug from "./Debugger.ts"

export interface Options {
  /** Which adapters can be used, in the order of preference. */
  readonly find: Finder
  /** What differs from the defaults of SPEC §13. */
  readonly policy?: Partial<Policy.Policy> | undefined
}

/** Acquires the port for one run. No adapter is started before it is asked; all are ended with the scope. */
export const layer = (options: Options): Layer.Layer<Debuggers, never, Processes | Workspace> =>
  Layer.effect(
    Debuggers,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const processes = yield* Processes
      const { root } = yield* Workspace
      const policy = { ...Policy.defaults, ...options.policy }
      const debuggers = new Map<string, Debugger>()
      const one = yield* Semaphore.make(1)
      const make = Effect.fnUntraced(function* (conversation: string) {
        const known = debuggers.get(conversation)
        if (known !== undefined) return known
        const made = yield* Scope.provide(Debug.make({ root, processes, policy, find: options.find }), scope)
        debuggers.set(conversation, made)
        return made
      })
      const of = (conversation: string) => one.withPermit(Effect.uninterruptible(make(conversation)))
      return Debuggers.of({ of })
    })
  )
