/**
 * Loads compiled grammars, each on first use. A grammar that does not load breaks its own language only.
 *
 * Free of Effect: it runs in worker threads, which should start fast.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { isAbsolute } from "node:path"
import type * as V8 from "node:v8"
import { Language as Compiled, Parser } from "web-tree-sitter"
import type { Grammar } from "../../src/syntax/Grammar.ts"
import * as Language from "../../src/syntax/Language.ts"

export interface Loader {
  /** The language, or why it cannot be loaded. The same each time. */
  readonly load: (grammar: Grammar) => Language.Language | string
}

// The types of Node have no `WebAssembly` to call, and those of browsers would bring all of the DOM.
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: Imports) => object
}

/** What the runtime of web-tree-sitter is given by its loader. */
interface Imports {
  readonly env: { readonly memory: { readonly buffer: ArrayBuffer }; tree_sitter_parse_callback: Feed }
}

/** Writes the text from `index` on into a buffer of the runtime, as much as it takes, and how much there is. */
type Feed = (buffer: number, index: number, row: number, column: number, length: number) => void

/** UTF-16 units that the buffer of the runtime takes. */
const mostUnits = 5 * 1024 - 1

/** The text that is being parsed in this thread. */
let parsed = ""

/** Does what web-tree-sitter does itself unit by unit, which takes a twelfth of the time of a parse. */
const feed = (memory: Imports["env"]["memory"]): Feed => {
  let heap = Buffer.from(memory.buffer)
  return (buffer, index, _row, _column, length) => {
    if (heap.buffer !== memory.buffer) heap = Buffer.from(memory.buffer)
    heap.writeInt32LE(Math.max(0, parsed.length - index), length)
    heap.write(parsed.slice(index, index + mostUnits), buffer, "utf16le")
  }
}

const require = createRequire(import.meta.url)

/** Where a file of `grammars/` is; an absolute path is where it says. */
export const locate = (file: string): string => (isAbsolute(file) ? file : require.resolve(`#grammars/${file}`))

/** V8 keeps for a module how it was told to compile when the module was made. */
const moduleOf = (bytes: Uint8Array, isBaseline: boolean): object => {
  if (!isBaseline) return new WebAssembly.Module(bytes)
  // Loaded when it is needed: a worker starts faster without it.
  const { setFlagsFromString } = require("node:v8") as typeof V8
  setFlagsFromString("--liftoff-only")
  try {
    return new WebAssembly.Module(bytes)
  } finally {
    setFlagsFromString("--no-liftoff-only")
  }
}

/** What the loader of web-tree-sitter leaves unsaid: for a module of an old format its error has no message. */
const reasonOf = (cause: unknown, bytes: Uint8Array | undefined): string => {
  if (bytes === undefined) return `its file cannot be read (${String(cause)}); build the package's grammars first`
  const head = String.fromCharCode(...bytes.subarray(8, 24))
  if (head.includes("dylink") && !head.includes("dylink.0")) {
    return "it was built for an old loader (a `dylink` section instead of `dylink.0`); use a newer build of it"
  }
  return cause instanceof Error && cause.message !== "" ? cause.message : `not a tree-sitter grammar (${String(cause)})`
}

/** Starts the runtime of web-tree-sitter, once for all loaders of this thread. */
export const make = async (): Promise<Loader> => {
  await Parser.init({
    instantiateWasm: (imports: Imports, done: (instance: object, module: object) => void) => {
      const module = new WebAssembly.Module(readFileSync(locate("web-tree-sitter.wasm")))
      imports.env.tree_sitter_parse_callback = feed(imports.env.memory)
      done(new WebAssembly.Instance(module, imports), module)
    }
  })
  const loaded = new Map<Grammar, Language.Language | string>()
  const parser = new Parser()
  const fed: Language.Parser = {
    setLanguage: (compiled) => parser.setLanguage(compiled),
    reset: () => parser.reset(),
    parse: (text, options) => {
      parsed = text
      try {
        return parser.parse(text, null, options)
      } finally {
        parsed = ""
      }
    }
  }

  const load = (grammar: Grammar): Language.Language | string => {
    let bytes: Uint8Array<ArrayBuffer> | undefined
    try {
      bytes = new Uint8Array(readFileSync(locate(grammar.wasm.file)))
      // Compiled at once and not in the background: that can stall for seconds behind another grammar's optimisation.
      const module = moduleOf(bytes, grammar.wasm.isBaseline === true)
      const compiled = Compiled.loadSync(module)
      parser.setLanguage(compiled)
      return Language.make(grammar, compiled, fed)
    } catch (cause) {
      return `the grammar of ${grammar.id} (${grammar.wasm.file} of ${grammar.wasm.package}) cannot be loaded: ${reasonOf(cause, bytes)}`
    }
  }

  return {
    load: (grammar) => {
      const known = loaded.get(grammar)
      if (known !== undefined) return known
      const fresh = load(grammar)
      loaded.set(grammar, fresh)
      return fresh
    }
  }
}
