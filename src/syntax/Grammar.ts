/**
 * What the structural search knows of a language (SPEC §5): plain data, one value a language. A harness adds a language
 * by giving a value of its own; nothing else has to change.
 */

/**
 * One rung of the ladder: the text around a fragment that makes it a whole file. Several rungs may have one name
 * (a statement with and without its `;`): the first that accepts the fragment stands for the name.
 */
export interface Context {
  /** `statement`, `expression`, `member`, `declaration`, then what the grammar adds (`type`, `case`, `pair` …). */
  readonly name: string
  readonly prefix: string
  readonly suffix: string
  /** The fragment must be one node here; otherwise it may be several siblings in a row. */
  readonly single?: boolean
  /** Spellings that are tried here before the grammar's own, where those would be read as something else. */
  readonly spellings?: ReadonlyArray<string>
}

/** Where the compiled grammar comes from. */
export interface Wasm {
  /** The npm package that the build copies it from; named in errors. */
  readonly package: string
  /** The path inside that package. */
  readonly path: string
  /** The file name under `grammars/`, or an absolute path for a grammar that a harness brings. */
  readonly file: string
}

export interface Grammar {
  /** The language id that tools take and give, such as `typescript`. */
  readonly id: string
  /** Other names that are understood, in lower case. */
  readonly aliases?: ReadonlyArray<string>
  /** File name extensions in lower case, without the dot. */
  readonly extensions: ReadonlyArray<string>
  /** Whole file names, such as `Gemfile`. */
  readonly filenames?: ReadonlyArray<string>
  readonly wasm: Wasm
  /** The ladder, in the order in which the readings are preferred. */
  readonly contexts: ReadonlyArray<Context>
  /**
   * How a metavariable is spelled while a pattern is parsed: `@` stands for an identifier, `Z@` for one with a capital
   * letter, `@;` for a statement, `@ @` for a parameter … The first spelling is the usual one; the others are tried where
   * it does not parse. Default `["@", "Z@"]`.
   */
  readonly spellings?: ReadonlyArray<string>
  /** Further spellings of runs only, such as `case @:` for the clauses of a switch. */
  readonly runSpellings?: ReadonlyArray<string>
  /** Node kinds whose inside is text: blanks count in comparisons, and a rewrite never re-indents their lines. */
  readonly strings: ReadonlyArray<string>
  /** Node kinds that only hold siblings together: a pattern that is one of these is read as its children. */
  readonly transparent?: ReadonlyArray<string>
  /** Node kinds whose closing `;` is a sibling of theirs, not a part of them. */
  readonly terminated?: ReadonlyArray<string>
  /** A line break ends a statement as a `;` does. */
  readonly lineEndsStatement?: boolean
  /**
   * Node kinds that continue the sibling before them instead of enclosing it (a Dart selector): a metavariable takes a
   * node together with the links that follow it.
   */
  readonly links?: ReadonlyArray<string>
  /**
   * How comments look. With it a file is parsed only where the pattern's neighbouring tokens are neighbours in its text;
   * leave it out where other text may stand between two tokens (heredocs).
   */
  readonly comments?: {
    readonly line?: ReadonlyArray<string>
    readonly block?: ReadonlyArray<readonly [open: string, close: string]>
  }
  /** Keywords are written in any case (PHP): they are no help in finding files. */
  readonly caseInsensitive?: boolean
}

/** A set of grammars, found by id, alias or file name. */
export interface Grammars {
  readonly all: ReadonlyArray<Grammar>
  /** By id or alias, in any case. */
  readonly named: (name: string) => Grammar | undefined
  /** By the last segment of a path. */
  readonly ofFile: (path: string) => Grammar | undefined
}

/** The set of these grammars; of two that claim one name or extension the later has it, so a harness can replace one. */
export const registry = (all: ReadonlyArray<Grammar>): Grammars => {
  const names = new Map<string, Grammar>()
  const extensions = new Map<string, Grammar>()
  const filenames = new Map<string, Grammar>()
  for (const grammar of all) {
    for (const name of [grammar.id, ...(grammar.aliases ?? [])]) names.set(name.toLowerCase(), grammar)
    for (const extension of grammar.extensions) extensions.set(extension, grammar)
    for (const filename of grammar.filenames ?? []) filenames.set(filename, grammar)
  }
  return {
    all: [...new Set(names.values())],
    named: (name) => names.get(name.trim().toLowerCase()),
    ofFile: (path) => {
      const base = path.slice(path.lastIndexOf("/") + 1)
      const byName = filenames.get(base)
      if (byName !== undefined) return byName
      const dot = base.lastIndexOf(".")
      return dot < 0 ? undefined : extensions.get(base.slice(dot + 1).toLowerCase())
    }
  }
}
