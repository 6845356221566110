/** The limits of a debug session (SPEC §13). */
import type { Duration } from "effect"

export interface Policy {
  /** From the start of the adapter to the answer to `launch` or `attach`: builds take long. */
  readonly launch: Duration.Input
  readonly request: Duration.Input
  /** For a stop, where the call says nothing else. */
  readonly wait: Duration.Input
  /** For a stop after `attach`: the program may go on for ever. */
  readonly attached: Duration.Input
  /** Of a session, whatever happens in it. */
  readonly ttl: Duration.Input
  readonly outputBytes: number
  /** How long a port is knocked at until something listens there. */
  readonly connect: Duration.Input
  /** Real time: for the answer to `disconnect`, and then for the adapter to end by itself. */
  readonly disconnect: Duration.Input
  readonly exit: Duration.Input
  /** Real time: for a request that is taken back to be given up. */
  readonly cancel: Duration.Input
}

export const defaults: Policy = {
  launch: "120 seconds",
  request: "15 seconds",
  wait: "30 seconds",
  attached: "2 seconds",
  ttl: "30 minutes",
  outputBytes: 256 * 1024,
  connect: "5 seconds",
  disconnect: "2 seconds",
  exit: "1 second",
  cancel: "3 seconds"
}

/** Frames of a `stack`. */
export const mostFrames = 30
/** Threads of a `threads`. */
export const mostThreads = 200
/** Children of a `variables`. */
export const mostVariables = 50
/** UTF-16 units of a variable's value. */
export const longestValue = 400
/** UTF-16 units of the result of `evaluate`. */
export const longestResult = 4000
/** Bytes of output in one answer. */
export const outputBytes = 32 * 1024
/** UTF-16 units of output shown when a program has ended. */
export const outputTail = 2000
/** Locals shown at a stop. */
export const mostLocals = 12
/** Lines of source shown before and after the line of a stop. */
export const sourceAround = 3
