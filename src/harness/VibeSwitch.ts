/** Vibe mode of a run, on and off (SPEC §1.3, 10): with the mode the surface is made anew, and without it its workers end. */
import { Context, Effect, Exit, Layer, Scope, Semaphore } from "effect"
import type * as LiveTool from "../LiveTool.ts"
import * as Surface from "../Surface.ts"
import type * as Tier from "../Tier.ts"
import { type Listed, Roster, VibeMode } from "../vibe/Roster.ts"

export class VibeSwitch extends Context.Service<
  VibeSwitch,
  {
    readonly isOn: Effect.Effect<boolean>
    /** Ends every worker when the mode is left, and begins without any when it is entered. Switching to what is, does nothing. */
    readonly set: (isOn: boolean) => Effect.Effect<void>
    /** The workers that are at work, or ended with something that was not waited for; none while the mode is off. */
    readonly undelivered: Effect.Effect<ReadonlyArray<Listed>>
    /** Is told, as long as the scope is open, each time the surface was made anew. */
    readonly onChange: (listener: Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
  }
>()("livetools/harness/VibeSwitch") {}

const off = "vibe mode is off: start with `--vibe` (in the console `:vibe on`, over serve `vibe.set`)"
const whileOff = new Map([Roster, VibeMode].map(({ key }) => [key, off]))

/** The surface of a run, whose tools come and go with the mode: `Surface.Wired` is always the one of now. */
export const layer = <R>(options: {
  readonly tools: ReadonlyArray<LiveTool.Any>
  readonly cap: Tier.Tier
  readonly isOn: boolean
  readonly roster: Layer.Layer<Roster, never, R>
}): Layer.Layer<Surface.Wired | VibeSwitch, Surface.DuplicateTool, R> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { cap, tools } = options
      const scope = yield* Effect.scope
      const context = yield* Effect.context<R>()
      const turn = Semaphore.makeUnsafe(1)
      const listeners = new Set<Effect.Effect<void>>()
      const base = yield* Surface.makeWired(tools, { cap, missing: whileOff })
      let current = base
      let mode: Scope.Closeable | undefined
      let undelivered: Effect.Effect<ReadonlyArray<Listed>> = Effect.succeed([])

      // Each surface lives as long as the run: what is called through one goes on when the next is made.
      const enter = Effect.gen(function* () {
        const roster = yield* Scope.fork(scope)
        const services = yield* Layer.buildWithScope(Layer.fresh(options.roster), roster)
        current = yield* Effect.orDie(Surface.makeWired(tools, { cap })).pipe(
          Effect.provideContext(Context.merge(services, Context.make(VibeMode, { cap })))
        )
        mode = roster
        undelivered = Context.get(services, Roster).undelivered
      }).pipe(Effect.provideContext(context), Effect.provideService(Scope.Scope, scope))

      const leave = Effect.suspend(() => {
        const left = mode
        mode = undefined
        current = base
        undelivered = Effect.succeed([])
        return left === undefined ? Effect.void : Scope.close(left, Exit.void)
      })

      if (options.isOn) yield* enter

      const wired: Surface.Surface = {
        cap,
        get absent() {
          return current.absent
        },
        get entries() {
          return current.entries
        },
        get ready() {
          return current.ready
        },
        get toolkit() {
          return current.toolkit
        },
        get layer() {
          return current.layer
        },
        toFunctions: () => current.toFunctions(),
        call: (name, params) => current.call(name, params),
        dispatch: (name, params) => current.dispatch(name, params)
      }
      return Context.make(Surface.Wired, wired).pipe(
        Context.add(VibeSwitch, {
          isOn: Effect.sync(() => mode !== undefined),
          set: (isOn) =>
            Effect.suspend(() =>
              isOn === (mode !== undefined)
                ? Effect.void
                : Effect.andThen(
                    isOn ? enter : leave,
                    Effect.forEach(listeners, (listener) => listener, { discard: true })
                  )
            ).pipe(turn.withPermits(1), Effect.uninterruptible),
          undelivered: Effect.suspend(() => undelivered),
          onChange: (listener) =>
            Effect.acquireRelease(
              Effect.sync(() => void listeners.add(listener)),
              () => Effect.sync(() => void listeners.delete(listener))
            )
        })
      )
    })
  )
