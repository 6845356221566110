/**
 * What somebody wants done to files: text edits and file operations, in order, each seeing what those before it did (an
 * edit after a rename addresses the new path). A plan writes nothing; `Edits` stages, applies and undoes it.
 *
 * Paths are relative to the working directory or absolute. A *text* is a file's content without its byte order mark, which
 * a file keeps; a *hash* is `Edits.hash` of such a text.
 */
import type * as Positions from "./Positions.ts"
import type { TextEdit } from "./TextEdits.ts"

/**
 * - `edit`: text edits, all made for the text with this hash. Several `edit`s of one file with one hash are one array of
 *   edits; a later one may instead carry the hash of the text that the earlier ones give.
 *   `encoding` is that of LSP positions (default `utf-16`). With `adaptLineEnds` the line ends of new texts become those of
 *   the file (C89); without it they are written as given.
 * - `write`: the whole text; the file and its parents are made where missing. With `hash` the file must be there and have that
 *   text; without it what is there is replaced.
 * - `create`, `rename`, `delete`: as in LSP. `overwrite` wins over `ignoreIfExists`; with neither, something that exists is
 *   refused. Parents are made. A directory is never overwritten; one that is not empty is deleted only with `recursive`.
 *   `rename` and `delete` of a symbolic link act on the link.
 */
export type Operation =
  | {
      readonly kind: "edit"
      readonly path: string
      readonly hash: string
      readonly edits: ReadonlyArray<TextEdit>
      readonly encoding?: Positions.Encoding
      readonly adaptLineEnds?: boolean
    }
  | {
      readonly kind: "write"
      readonly path: string
      readonly text: string
      readonly hash?: string
      readonly adaptLineEnds?: boolean
    }
  | {
      readonly kind: "create"
      readonly path: string
      readonly text?: string
      readonly overwrite?: boolean
      readonly ignoreIfExists?: boolean
    }
  | {
      readonly kind: "rename"
      readonly from: string
      readonly to: string
      readonly overwrite?: boolean
      readonly ignoreIfExists?: boolean
    }
  | {
      readonly kind: "delete"
      readonly path: string
      readonly recursive?: boolean
      readonly ignoreIfNotExists?: boolean
    }

export interface Plan {
  readonly operations: ReadonlyArray<Operation>
  /**
   * Whether paths that ignore files, `.git` or `node_modules` exclude may be touched. Default `refuse`: an edit there, made by
   * a server or a search, is a mistake (C97). The file tools allow what a model names outright.
   */
  readonly ignored?: "refuse" | "allow"
  /** What the edit is, in a few words, for lists and messages. */
  readonly label?: string
}

/** The paths that an operation names. */
export const pathsOf = (operation: Operation): ReadonlyArray<string> =>
  operation.kind === "rename" ? [operation.from, operation.to] : [operation.path]
