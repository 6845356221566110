/** A cell as it was rewritten for V8, and the way back to its source. */
import * as Edits from "./Edits.ts"
import * as Transpiler from "./Transpiler.ts"

export interface Rewritten {
  /** Runs before the code, and fails never: loads what it imports under a name that these modules may use themselves. */
  readonly ahead?: string
  readonly code: string
  /** What of the code stands in the source, or in the JavaScript that was made of it. */
  readonly segments: ReadonlyArray<Edits.Segment>
  /** How much stood before the source when it was read. */
  readonly prefix: number
  readonly transpiled?: Transpiler.Transpiled
  /** The cell could not be read: V8 says what is wrong with it, or, where it comes further, the transpiler. */
  readonly unreadable?: Transpiler.Unreadable
  /** Why it was not read as TypeScript. */
  readonly untried?: string
}

/** Where in the source of a cell a place of its code was. */
export const placeOf = (source: string, rewritten: Rewritten, place: Edits.Position): Edits.Position => {
  const { code, prefix, segments, transpiled } = rewritten
  const text = transpiled?.code ?? " ".repeat(prefix) + source
  let { column, line } = Edits.positionOf(text, Edits.origin(segments, Edits.offsetOf(code, place)))
  if (transpiled !== undefined) ({ column, line } = Transpiler.placeOf(transpiled.map, { column, line }))
  return { line, column: line === 0 ? Math.max(0, column - prefix) : column }
}
