// @effect-diagnostics missingEffectContext:off
/** Compositions that must not compile; checked by `npm run check`. */
import { Context, Effect, Layer, Schema } from "effect"
import * as LiveTool from "../../src/LiveTool.ts"
import * as Surface from "../../src/Surface.ts"

class Lamp extends Context.Service<Lamp, { readonly on: Effect.Effect<void> }>()("test/Lamp") {}
class Door extends Context.Service<Door, { readonly open: Effect.Effect<void> }>()("test/Door") {}
declare const lamp: Layer.Layer<Lamp>
declare const door: Layer.Layer<Door>

const common = {
  description: "",
  parameters: Schema.Struct({ n: Schema.Finite }),
  success: Schema.Void,
  text: () => ""
}

export const unlisted = LiveTool.make("unlisted", {
  ...common,
  tier: "read",
  requires: [Lamp],
  // @ts-expect-error the handler uses a service that it does not list
  handler: () => Effect.flatMap(Door, (d) => d.open)
})

const look = LiveTool.make("look", { ...common, tier: "read", requires: [Lamp], handler: () => Lamp.use((l) => l.on) })
const pass = LiveTool.make("pass", {
  ...common,
  tier: "exec",
  requires: [Door],
  handler: () => Door.use((d) => d.open)
})

const all = Effect.scoped(Effect.flatMap(Surface.make([look, pass]), (surface) => surface.call("pass", { n: 1 })))
export const complete = Effect.runPromise(Effect.provide(all, Layer.merge(lamp, door)))
// @ts-expect-error the layer of Door is missing
export const incomplete = Effect.runPromise(Effect.provide(all, lamp))

const capped = Surface.make([look, pass], { cap: "read" })
export const underCap = Effect.runPromise(
  Effect.provide(Effect.scoped(Effect.flatMap(capped, (surface) => surface.call("look", { n: 1 }))), lamp)
)
// @ts-expect-error a call above the cap
export const aboveCap = Effect.flatMap(capped, (surface) => surface.call("pass", { n: 1 }))
// @ts-expect-error above the cap a tool is not in the toolkit either
export const aboveCapTool = Effect.map(capped, (surface) => surface.ready.tools.pass)
// @ts-expect-error wrong parameters
export const wrong = Effect.flatMap(capped, (surface) => surface.call("look", { m: 1 }))
