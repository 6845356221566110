/** What a structural rewrite makes of each file, and in all: plain data. */
import type { LanguageOutcome, ReadingTotal } from "./Outcome.ts"
import type { TextEdit } from "./Rewrite.ts"
import type { Where } from "./Request.ts"

/** A file in which something is rewritten, or would be in another reading. */
export interface FileRewrite {
  readonly path: string
  readonly language: string
  /** SHA-256, in hex, of the text that was searched (without byte order mark, in UTF-8). */
  readonly hash: string
  /** For that text. */
  readonly edits: ReadonlyArray<TextEdit>
  /** How many matches each reading has; the first is the one that is rewritten. */
  readonly counts: ReadonlyArray<number>
  /** Matches inside rewritten ones, which stay as they are. */
  readonly nested: number
  /** Comments and keywords inside matches that the rewrite drops. */
  readonly lost: ReadonlyArray<{ readonly line: number; readonly text: string }>
  /** Lines of matches that are left because a part of them stands elsewhere. */
  readonly left: ReadonlyArray<number>
  /** Places that the parser cannot make sense of, before and after. */
  readonly errors: { readonly before: number; readonly after: number }
  /** The counts of other languages that the file has inside; their edits are among those of the file. */
  readonly inner?: ReadonlyArray<{ readonly language: string; readonly counts: ReadonlyArray<number> }>
  /** What it has inside without a grammar for it, as the file calls it. */
  readonly uncovered?: ReadonlyArray<string>
}

export interface RewriteOutcome {
  readonly where: Where
  readonly files: ReadonlyArray<FileRewrite>
  readonly readings: ReadonlyArray<ReadingTotal>
  readonly languages: ReadonlyArray<LanguageOutcome>
  readonly filesSearched: number
  readonly filesWithErrors: number
  readonly givenUp: number
  readonly skipped: ReadonlyMap<string, number>
}
