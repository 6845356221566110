/** The conversation that a run belongs to: what outlives a call, as a debug session, belongs to it (SPEC §7.1). */
import { Context, Layer } from "effect"

export class Conversation extends Context.Service<Conversation, { readonly id: string }>()("livetools/Conversation") {}

export const layer = (id: string): Layer.Layer<Conversation> => Layer.succeed(Conversation, { id })
