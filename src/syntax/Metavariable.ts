/**
 * The spelling of metavariables in patterns and templates (SPEC §5.5): `$NAME`, `$$$NAME`, `$_`, `$$$`; `\$NAME` is the
 * literal text `$NAME`; `$_NAME`, `$abc`, `$1` are literal; `$$NAME` is an error.
 */

/** A literal stretch of the source, backslashes of escapes removed. */
export interface Text {
  readonly tag: "text"
  readonly text: string
  /** Offset in the source, in UTF-16 units. */
  readonly start: number
}

/** A metavariable. Without a name it binds nothing. */
export interface Variable {
  readonly tag: "variable"
  readonly run: boolean
  readonly name: string | undefined
  /** As it was written. */
  readonly text: string
  readonly start: number
}

export type Piece = Text | Variable

export interface Lexed {
  readonly pieces: ReadonlyArray<Piece>
  /** What is wrong with the spelling, if anything. */
  readonly error: string | undefined
}

const token = /(\\?)(\$+)(_(?![A-Za-z0-9_$])|[A-Z][A-Z0-9_]*)?/y
const wordBefore = /[\p{L}\p{N}_$]$/u
const wordAfter = /^[\p{L}\p{N}_$]/u

/** Cuts a pattern or a template into literal text and metavariables. */
export const lex = (source: string): Lexed => {
  const pieces: Array<Piece> = []
  const kinds = new Map<string, boolean>()
  let literal = ""
  let literalStart = 0
  let error: string | undefined
  const flush = (next: number) => {
    if (literal !== "") pieces.push({ tag: "text", text: literal, start: literalStart })
    literal = ""
    literalStart = next
  }
  let at = 0
  while (at < source.length) {
    token.lastIndex = at
    const match = token.exec(source)
    if (match === null) {
      literal += source[at]!
      at++
      continue
    }
    const [text, escape = "", dollars = "", name] = match
    const end = at + text.length
    const isWhole =
      !wordAfter.test(source.slice(end, end + 2)) && (escape !== "" || !wordBefore.test(literal.slice(-2)))
    const isVariable = isWhole && (dollars.length === 3 || (dollars.length <= 2 && name !== undefined && name !== ""))
    if (!isVariable || escape !== "") {
      literal += isVariable ? text.slice(1) : text
    } else if (dollars.length === 2) {
      if (name === "_") literal += text
      else {
        error ??= `\`${text}\` is not a metavariable: write \`$${name}\` for one node or \`$$$${name}\` for a run of nodes (\`\\${text}\` for the literal text)`
        literal += text
      }
    } else {
      flush(end)
      const run = dollars.length === 3
      const bound = name === undefined || name === "_" ? undefined : name
      pieces.push({ tag: "variable", run, name: bound, text, start: at })
      if (bound !== undefined) {
        if (kinds.has(bound) && kinds.get(bound) !== run) {
          error ??= `\`${bound}\` is used both as one node (\`$${bound}\`) and as a run (\`$$$${bound}\`): give one of them another name`
        }
        kinds.set(bound, run)
      }
    }
    at = end
  }
  flush(at)
  return { pieces, error }
}

/**
 * The words in the literal text of a pattern, the longest first: whatever the language, a text with a match contains them
 * (in any case, where the language's keywords are written in any).
 */
export const words = (source: string): ReadonlyArray<string> => {
  const found = lex(source).pieces.flatMap((piece) =>
    piece.tag === "text" ? (piece.text.match(/[\p{L}\p{N}_]+/gu) ?? []) : []
  )
  return [...new Set(found)].sort((a, b) => b.length - a.length)
}
