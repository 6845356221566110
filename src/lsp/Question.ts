/** A question: what is asked of one server about a document, and what its answer means. */
import type { Effect, Option } from "effect"
import type { ResponseError } from "../wire/JsonRpc.ts"
import type { Capabilities } from "./Capabilities.ts"
import type { Document } from "./Documents.ts"
import type { Diagnostic, Location } from "./LanguageServers.ts"
import type { AppliedEdit } from "./ServerRequests.ts"
import type { Position, Range } from "./TextPositions.ts"

/** The request was not answered because the connection ended, or the server sent something that cannot be read. */
export interface NoAnswer {
  readonly _tag: "NoAnswer"
  readonly message: string
}

export type AskError = ResponseError | NoAnswer

/** One server, ready and in step with the disk, while it is asked. */
export interface Asking {
  readonly capabilities: Capabilities
  /** The document asked about: absent in `askProject`. */
  readonly document: Document | undefined
  /** The place, as `Target.at` gave it. Only for questions about a place. */
  readonly offset: number
  /** `textDocument` and `position` of the place, as the server counts. */
  readonly place: { readonly textDocument: { readonly uri: string }; readonly position: Position }
  /** A range of UTF-16 offsets of the document, as the server counts. */
  readonly range: (start: number, end: number) => Range
  /** Sends a request; `ContentModified` is asked again, a few times. */
  readonly request: (method: string, params: unknown) => Effect.Effect<unknown, AskError>
  /** The locations of places, one for each, in the order given; texts are read from disk. */
  readonly locate: (places: ReadonlyArray<Place>) => Effect.Effect<ReadonlyArray<Location>>
  /** What the server has said of the document, with positions as the server counts in `raw`. */
  readonly diagnostics: Effect.Effect<ReadonlyArray<Diagnostic>>
  /** Every document that the server holds open: what an edit in its answer was made for. */
  readonly documents: Effect.Effect<ReadonlyArray<Document>>
  /** Shows the server the present texts of all it holds open and of these files. */
  readonly open: (paths: ReadonlyArray<string>) => Effect.Effect<void>
  readonly notify: (method: string, params: unknown) => Effect.Effect<void>
  /** While an effect runs, what the server sends with `workspace/applyEdit` is taken and answered by this. */
  readonly takingEdits: <A, E>(
    take: (params: unknown) => Effect.Effect<AppliedEdit>,
    self: Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
}

/** A place as it is on the wire. */
export interface Place {
  readonly uri: string
  readonly range: Range
}

export interface Question<A> {
  /** In messages: `definition`. */
  readonly name: string
  /** Whether the server provides it for this document. Where not, nothing is sent (C22). */
  readonly isProvided: (capabilities: Capabilities, document: Document | undefined) => boolean
  /**
   * `place`: any answer but an empty one is whole. `project`: an answer given while the server loads may lack some, so it is
   * held until it has loaded, or marked.
   */
  readonly scope: "place" | "project"
  /** `None`: the server knows that there is nothing. */
  readonly ask: (asking: Asking) => Effect.Effect<Option.Option<A>, AskError>
}
