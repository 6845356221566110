/** What is expected of one adapter on the program of one language, and how its tests start. */
import { Context, Effect, Layer } from "effect"
import type * as Rows from "../../../src/debug/adapters/Rows.ts"
import type * as Values from "../../../src/debug/Values.ts"
import * as Checkout from "./Checkout.ts"

export interface Spec {
  /** As the table calls it. */
  readonly name: string
  /** The id of the adapter. */
  readonly adapter: string
  /** What must be installed. */
  readonly programs: ReadonlyArray<string>
  readonly program: Checkout.Program
  readonly overrides?: Rows.Overrides
  /** How the frames of `add`, `fact`, `work` and the program's entry are called. */
  readonly frame: (name: string) => string
  /** Names of the functions as `functions` takes them. */
  readonly function: string
  /** An uncaught exception: what the stop says of it, and the exit code after it. */
  readonly uncaught: { readonly description: RegExp; readonly exit?: number }
  /** Whether a caught exception stops the program with `exceptions: all`. */
  readonly stopsAtCaught: boolean
  /** Whether a caught one looks like one that nobody catches. */
  readonly takesCaughtForUncaught?: boolean
  /** What the crash says, where it stops; else how it ends. */
  readonly crash: { readonly description: RegExp } | { readonly exit: number | undefined }
  /** The children of `numbers`, and how many there are; absent where the adapter shows how a list is made instead. */
  readonly elements?: { readonly name: (index: number) => string; readonly total: number; readonly before?: number }
  /** Whether a text is shown as one. Default `true`. */
  readonly showsTexts?: boolean
  /** Sets a local variable. */
  readonly setsVariables: boolean
  /** What the program writes with the argument `environment` and `a b`. */
  readonly environment: (folder: string) => string
  /** An expression that does not come back for long, if it can be stopped by nothing but the end. */
  readonly endless?: string
  readonly threadsAtLeast: number
  /** Whether a breakpoint far below the end of a file stays unbound; else the adapter moves it to the last line, and says so. */
  readonly leavesUnbound: boolean
}

/** Of one test, in milliseconds. */
export const within = 180_000

export class Here extends Context.Service<Here, Checkout.Checkout>()("test/Here") {}

/** The program in a folder of its own, with a run on it. */
export const here = (spec: Spec): Layer.Layer<Here> =>
  Layer.effect(
    Here,
    Effect.flatMap(Checkout.copy(spec.program), (root) => open(spec, root))
  )

/** Another run on the same folder. */
export const open = (spec: Spec, root: string, policy: Checkout.Options["policy"] = {}) =>
  Checkout.open({ root, program: spec.program, overrides: spec.overrides ?? {}, policy })

export const launch =
  (spec: Spec) =>
  (mode: string, ...args: ReadonlyArray<string>): Checkout.Params => ({
    op: "launch",
    program: spec.program.target,
    adapter: spec.adapter,
    args: [mode, ...args]
  })

export const names = (frames: Values.Value["frames"]) => (frames ?? []).map(({ name }) => name)
