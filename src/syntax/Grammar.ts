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
  /** A regular expression: only a fragment that it matches is read here. For what another rung would misread. */
  readonly when?: string
}

/** Where the compiled grammar comes from. */
export interface Wasm {
  /** The npm package that the build copies it from; named in errors. */
  readonly package: string
  /** The path inside that package. */
  readonly path: string
  /** The file name under `grammars/`, or an absolute path for a grammar that a harness brings. */
  readonly file: string
  /**
   * Not to be optimised: for some grammars that takes V8 seconds, in which the process cannot end, and gains nothing.
   */
  readonly isBaseline?: boolean
}

/** Where files of a language have text of another one inside (a script in a page), which is searched in its own language. */
export interface Embedded {
  /** The node kind around such a text, such as `script_element`. */
  readonly element: string
  /** The kind of its child that is the text, such as `raw_text`. */
  readonly text: string
  /** Letters that every file with one contains, in lower or upper case, such as `<script`: others are not parsed for it. */
  readonly sign: string
  /** The node kind inside the element that says the language. */
  readonly label: string
  /** The label is an attribute, `name=value`: the first of these names that is there says it. */
  readonly attributes?: ReadonlyArray<string>
  /** Language ids by what the label says, in lower case, `""` where there is none. Others are not covered, and counted. */
  readonly languages: ReadonlyArray<readonly [label: string, language: string]>
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
  /** Named node kinds that are only punctuation, with how they are written: they are treated as that token (R's `comma`). */
  readonly tokens?: ReadonlyArray<readonly [kind: string, text: string]>
  /** Token kinds that are written in several ways, so that their text counts as that of a named node does (R's `%in%`). */
  readonly varied?: ReadonlyArray<string>
  /** Node kinds that are a list and nothing else, without brackets: `$NAME` is one of its items, never the list. */
  readonly sequences?: ReadonlyArray<string>
  /**
   * Node kinds whose inside is tokens that nobody parsed (the arguments of a Rust macro): a metavariable takes those up to
   * the next separator, as it would take the expression that they are.
   */
  readonly unparsed?: ReadonlyArray<string>
  /** Node kinds whose parentheses, if they have any, change nothing (the names of a Python import): a run takes them too. */
  readonly parenthesized?: ReadonlyArray<string>
  /** Node kinds that begin another part of their parent (an `else` among the statements of an `if`): no run takes them. */
  readonly clauses?: ReadonlyArray<string>
  /** Node kinds that must not be empty, though the parser takes them so (a Python block): an error in what a rewrite makes. */
  readonly filled?: ReadonlyArray<string>
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
  /**
   * What stands before the name of a member (`.`, `->`): a call of a bare name is not looked for behind one. Give it only
   * for a language in which a line that begins as a comment is one, or is inside a string between quotes.
   */
  readonly accessors?: ReadonlyArray<string>
  /** Text of other languages inside its files. */
  readonly embedded?: ReadonlyArray<Embedded>
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
