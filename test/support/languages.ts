/** Loaded grammars for tests of the pure engine. */
import { all } from "../../grammars/index.ts"
import * as Loader from "../../layers/syntax/Loader.ts"
import * as Grammar from "../../src/syntax/Grammar.ts"
import type { Language } from "../../src/syntax/Language.ts"
import * as Pattern from "../../src/syntax/Pattern.ts"
import * as Rewrite from "../../src/syntax/Rewrite.ts"
import * as Scan from "../../src/syntax/Scan.ts"
import * as Template from "../../src/syntax/Template.ts"

export const grammars = Grammar.registry(all)
const loader = await Loader.make()

export const language = (name: string): Language => {
  const grammar = grammars.named(name)
  if (grammar === undefined) throw new Error(`no grammar ${name}`)
  const loaded = loader.load(grammar)
  if (typeof loaded === "string") throw new Error(loaded)
  return loaded
}

/** A match as the cases write it. */
export interface Found {
  readonly text: string
  readonly start_line: number
  readonly captures: { readonly [name: string]: string | ReadonlyArray<string> }
}

export interface Searched {
  readonly context: string
  readonly matches: ReadonlyArray<Found>
}

/** Compiles a pattern, or gives the reason why it is not one. */
export const compile = (name: string, pattern: string, context?: string): Pattern.Pattern | Pattern.Unparseable => {
  const compiled = Pattern.compile(language(name), pattern, context)
  return compiled.ok ? compiled.pattern : compiled.unparseable
}

/** All readings of a pattern with their matches in a text. The filters are asserted to let every match through. */
export const readings = (name: string, source: string, pattern: string, context?: string): ReadonlyArray<Searched> => {
  const compiled = compile(name, pattern, context)
  if ("reason" in compiled) throw new Error(compiled.reason)
  const prepared = Scan.prepare(compiled)
  const tree = compiled.language.parse(source)!
  try {
    return compiled.readings.map((reading, index) => {
      const { matches } = Scan.matches(prepared, index, tree.rootNode, source)
      const { isLikely, literals } = prepared.prefilters[index]!
      if (matches.length > 0) {
        for (const literal of literals) if (!source.includes(literal)) throw new Error(`filtered out by ${literal}`)
        if (!isLikely(source)) throw new Error("filtered out by its neighbouring tokens")
      }
      return {
        context: reading.context,
        matches: matches.map((match) => ({
          text: source.slice(match.start, match.end),
          start_line: source.slice(0, match.start).split("\n").length,
          captures: Object.fromEntries(
            compiled.variables.flatMap((variable, slot) => {
              const capture = match.captures[slot]
              if (capture === undefined) return []
              const { end, items, start } = capture
              const text = items?.map((item) => source.slice(item.start, item.end)) ?? source.slice(start, end)
              return [[variable.name, text]]
            })
          )
        }))
      }
    })
  } finally {
    tree.delete()
  }
}

/** The matches of the first reading that has any. */
export const search = (name: string, source: string, pattern: string, context?: string): ReadonlyArray<Found> =>
  readings(name, source, pattern, context).find(({ matches }) => matches.length > 0)?.matches ?? []

/** The texts of these matches. */
export const texts = (name: string, source: string, pattern: string, context?: string): ReadonlyArray<string> =>
  search(name, source, pattern, context).map(({ text }) => text)

/** How many matches the first reading has, and how many candidates were given up. */
export const count = (name: string, source: string, pattern: string) => {
  const compiled = compile(name, pattern)
  if ("reason" in compiled) throw new Error(compiled.reason)
  const tree = compiled.language.parse(source)!
  const { givenUp, matches } = Scan.matches(Scan.prepare(compiled), 0, tree.rootNode, source)
  tree.delete()
  return { matches: matches.length, givenUp }
}

/** What a rewrite makes of a text, in the first reading that matches, or what is wrong with the template. */
export const rewrite = (name: string, source: string, pattern: string, template: string) => {
  const compiled = compile(name, pattern)
  if ("reason" in compiled) throw new Error(compiled.reason)
  const { language: loaded, readings: all } = compiled
  const tree = loaded.parse(source)!
  try {
    for (const reading of all) {
      const only = { ...compiled, readings: [reading] }
      const filled = Template.compile(template, only)
      if (!filled.ok) return { error: filled.reason }
      const rewritten = Scan.rewrite(Scan.prepare(only), filled.template, "file", tree.rootNode, source)
      if (rewritten !== undefined) return { ...rewritten, output: Rewrite.apply(source, rewritten.edits) }
    }
    return { output: source }
  } finally {
    tree.delete()
  }
}
