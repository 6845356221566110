/**
 * The port to the interpreters of a run (SPEC §8): one for each language, begun when a cell needs it, with state that lives
 * from cell to cell. A harness may have its own.
 */
import { Context, type Effect, Schema } from "effect"
import type { Call } from "../Call.ts"
import type { ToolError } from "../ToolError.ts"
import type { Output } from "./Outputs.ts"

export const Language = Schema.Literals(["python", "javascript"])
export type Language = typeof Language.Type

export interface Cell {
  readonly language: Language
  readonly code: string
  /** Begin with a new interpreter; one that runs is ended, with its cell. */
  readonly reset: boolean
  /** The call that runs the cell: what the cell calls is called through it. */
  readonly call: Call
}

/** How a cell ended. */
export type Ending =
  | { readonly status: "ok" }
  /** It raised; the error is among the outputs. */
  | { readonly status: "error" }
  /** The program asked to exit: the cell ended, the interpreter did not. */
  | { readonly status: "exit"; readonly code: number }
  /** By this side, `why` as a sentence. */
  | { readonly status: "interrupted"; readonly why: string; readonly isTimeout: boolean }
  /** With its interpreter; `why` as a sentence. `isTimeout`: it had to be killed when its time was over. */
  | { readonly status: "died"; readonly why: string; readonly isTimeout: boolean }

/** A call that the cell made. */
export interface Nested {
  readonly tool: string
  readonly outcome: "ok" | "failed" | "cancelled"
  readonly milliseconds: number
}

/** A cell that has run. */
export interface Ran {
  /** Numbers the cells of a language from 1. */
  readonly cell: number
  readonly ending: Ending
  readonly outputs: ReadonlyArray<Output>
  /** Where text of the outputs was left out: how much there was. */
  readonly cut?: { readonly totalBytes: number; readonly totalLines: number }
  /** The file with the whole text, absolute. */
  readonly spilledTo?: string
  /** What the model should know besides, a sentence each. */
  readonly notices: ReadonlyArray<string>
  /** The first of them. */
  readonly nested: ReadonlyArray<Nested>
  readonly nestedTotal: number
  readonly milliseconds: number
  /** Resident memory of the interpreter after the cell, in bytes. */
  readonly memory?: number
}

export class Kernels extends Context.Service<
  Kernels,
  {
    /**
     * Runs a cell after those that were asked for before it in its language; never twice. Fails only where it did not run
     * (`not_covered`: there is no interpreter; `kernel_died`: none would start). Interrupted, it interrupts the cell and
     * does not wait for that; the next cell does.
     */
    readonly run: (cell: Cell) => Effect.Effect<Ran, ToolError>
  }
>()("livetools/Kernels") {}
