/** What the two threads of the kernel say to each other: `Kernel` runs the user's code, `Control` reads the host's requests. */
import type { MessagePort } from "node:worker_threads"
import type { Rewritten } from "./Rewritten.ts"

/** The global through which rewritten code reaches the kernel. */
export const helper = "__cell"

/** Given to the control thread when it starts. */
export interface ControlData {
  readonly port: MessagePort
  readonly shared: Int32Array
  /** The descriptor of the host's requests. */
  readonly requests: number
}

/** Places of the shared memory. */
export const slot = {
  /**
   * The cell that runs, or 0; negative while a termination of its code is on its way. Set by `Control` with the cell, cleared by
   * `Kernel` once the cell is over, which it is not while that number is negative.
   */
  running: 0,
  /** 1 while the user's thread waits for a child process and runs no code. */
  waitsForChild: 1,
  /**
   * The cell that was sent and has not begun, or 0; negative while a termination of what runs before it is on its way. Set by
   * `Control`, cleared by `Kernel` when the cell begins, which it does not while that number is negative.
   */
  waiting: 2,
  /** The cell that ends when it begins: it was interrupted before. */
  takenBack: 3,
  /** The cell for which something that ran in the background was stopped. */
  madeWayFor: 4,
  /**
   * The cell that is over and of which that has not been told yet, or 0; negative while a termination of what runs before that is on
   * its way. Set and cleared by `Kernel`.
   */
  ending: 6,
  /** 1 when `Control` has sent the signal that it was asked for. */
  signalled: 5
} as const

/** Asks the control thread to send this process a signal. */
export interface ToControl {
  readonly t: "kill"
  readonly pid: number
  readonly signal: number
}

export type ToKernel =
  | { readonly t: "init"; readonly marker: string; readonly cwd: string; readonly tools: boolean }
  | {
      readonly t: "run"
      readonly cell: number
      /** Under which its stack frames appear. */
      readonly name: string
      readonly source: string
      readonly rewritten: Rewritten
    }
  | { readonly t: "interrupt"; readonly cell: number }
  | {
      readonly t: "reply"
      readonly id: number
      readonly ok: boolean
      readonly value?: unknown
      readonly code?: string
      readonly message?: string
    }
