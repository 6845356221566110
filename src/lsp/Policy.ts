/** How patient a client of language servers is (SPEC §13), in one place. A harness changes what it needs. */
import { Duration } from "effect"

export interface Policy {
  /** From the start of the process to the answer to `initialize`. */
  readonly start: Duration.Input
  /** A call without a `timeout`. */
  readonly call: Duration.Input
  /** A server that nobody asks is ended after this time. */
  readonly idle: Duration.Input
  /**
   * A server that ended by itself is started again when it is asked, at most so often in a time, and never before a pause
   * that doubles with each time.
   */
  readonly restarts: { readonly times: number; readonly within: Duration.Input; readonly pause: Duration.Input }
  /** For how long a start that failed is not tried again, and a binary that was not found not looked for. */
  readonly failed: Duration.Input
  /** How long it has to answer `shutdown`. Real time. */
  readonly shutdown: Duration.Input
  /** How long it has to exit by itself, and again between SIGTERM and SIGKILL. Real time. */
  readonly exit: Duration.Input
  /** Resident memory of the processes of one server, in bytes, above which they are ended. Default: no limit. */
  readonly memory: number | undefined
  /** For how long after its start the first empty answer of a server that never tells its progress is not believed. */
  readonly silent: Duration.Input
  /** How long it must be quiet after its work before it counts as loaded. */
  readonly quiet: Duration.Input
  /** After how long without a word a piece of its work counts as forgotten. */
  readonly forgotten: Duration.Input
  /** How long a pushed set of diagnostics must stand, and a doubtful one (`Diagnostics.Settling`). */
  readonly settle: Duration.Input
  readonly settleDoubtful: Duration.Input
  /** How long a server may take to push again after another file changed; then what it pushed before still holds. */
  readonly elsewhere: Duration.Input
  /** How long the first push of a server, and a later one, is waited for while it says that it does nothing. */
  readonly firstPush: Duration.Input
  readonly push: Duration.Input
  /** How many servers run at once: for one more, that which was not asked for longest is ended. */
  readonly servers: number
  /** How many documents are open in a server at once. */
  readonly documents: number
  /** How much may wait to be read by it, in bytes, and for how long one message. */
  readonly backlog: number
  readonly stuck: Duration.Input
}

export const defaults: Policy = {
  start: "30 seconds",
  call: "20 seconds",
  idle: "10 minutes",
  restarts: { times: 4, within: "3 minutes", pause: "250 millis" },
  failed: "30 seconds",
  shutdown: "1500 millis",
  exit: "700 millis",
  memory: undefined,
  silent: "3 seconds",
  quiet: "200 millis",
  forgotten: "2 minutes",
  settle: "300 millis",
  settleDoubtful: "1 second",
  elsewhere: "1500 millis",
  firstPush: "15 seconds",
  push: "10 seconds",
  servers: 24,
  documents: 100,
  backlog: 64 * 1024 * 1024,
  stuck: "30 seconds"
}

export const millis = (duration: Duration.Input): number => Duration.toMillis(Duration.fromInputUnsafe(duration))
