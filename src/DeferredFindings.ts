/** What an earlier write turned out to have caused, told once with a later answer (SPEC §3a, §11). */
import { Context, type Effect, type Scope } from "effect"

export interface Deferred {
  /** The tool that wrote. */
  readonly tool: string
  readonly edit_id?: string
  /** What it wrote, as shown. */
  readonly files: ReadonlyArray<string>
  /** Each a `diagnostic` of SPEC §11. */
  readonly introduced: ReadonlyArray<unknown>
  /** For the model. */
  readonly text: string
}

/** Where it is wired, a surface adds what `take` gives to each answer of a call that no other call makes. */
export class DeferredFindings extends Context.Service<
  DeferredFindings,
  {
    /** What is known by now and still holds; each once. Waits for nothing but the disk. */
    readonly take: Effect.Effect<ReadonlyArray<Deferred>>
    /** From now on, until the scope closes, each is given to this as soon as it is known, and `take` gives none. */
    readonly divert: (sink: (deferred: Deferred) => Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
  }
>()("livetools/DeferredFindings") {}
