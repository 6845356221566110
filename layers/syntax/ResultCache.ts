/** What recent searches found in files that have not changed since. Bounded; the least recently used search goes first. */
import type { FileOutcome, LanguageOutcome } from "../../src/syntax/Outcome.ts"

/** Searches that are remembered, and what they may remember together: files, and characters of matches. */
const mostSearches = 4
const mostFiles = 60_000
const mostCharacters = 8_000_000

interface Entry {
  readonly stamp: string
  /** `undefined`: nothing is to be found. */
  readonly outcome: FileOutcome | undefined
  readonly size: number
}

interface Search {
  readonly files: Map<string, Entry>
  /** By language. */
  readonly languages: Map<string, LanguageOutcome>
  characters: number
}

/** Roughly how many characters an outcome takes. */
const sizeOf = (outcome: FileOutcome | undefined): number => {
  let size = 100
  for (const { found } of outcome?.readings ?? []) for (const { text } of found) size += 200 + 2 * text.length
  for (const inner of outcome?.inner ?? []) size += sizeOf(inner)
  return size
}

export class ResultCache {
  readonly #searches = new Map<string, Search>()
  #files = 0
  #characters = 0

  /** How a language took the pattern of a search. */
  language(search: string, language: string): LanguageOutcome | undefined {
    return this.#searches.get(search)?.languages.get(language)
  }

  setLanguage(search: string, outcome: LanguageOutcome): void {
    this.#of(search).languages.set(outcome.language, outcome)
  }

  /** What a search (by a text that tells it from others) found in a file, if it is still as it was. */
  get(
    search: string,
    path: string,
    stampOf: (path: string) => string | undefined
  ): { readonly outcome: FileOutcome | undefined } | undefined {
    const entry = this.#searches.get(search)?.files.get(path)
    return entry !== undefined && entry.stamp === stampOf(path) ? entry : undefined
  }

  set(search: string, path: string, stamp: string | undefined, outcome: FileOutcome | undefined): void {
    const known = this.#of(search)
    this.#drop(known, path)
    if (stamp === undefined) return
    const size = sizeOf(outcome)
    known.files.set(path, { stamp, outcome, size })
    known.characters += size
    this.#characters += size
    this.#files++
    for (const [oldest, { characters, files }] of this.#searches) {
      const isFull = this.#searches.size > mostSearches || this.#files > mostFiles || this.#characters > mostCharacters
      if (!isFull || (oldest === search && this.#searches.size > 1)) break
      this.#searches.delete(oldest)
      this.#files -= files.size
      this.#characters -= characters
    }
  }

  /** The search of this name, now the most recent one. */
  #of(search: string): Search {
    const known = this.#searches.get(search) ?? { files: new Map(), languages: new Map(), characters: 0 }
    this.#searches.delete(search)
    this.#searches.set(search, known)
    return known
  }

  #drop(search: Search, path: string): void {
    const entry = search.files.get(path)
    if (entry === undefined) return
    search.files.delete(path)
    search.characters -= entry.size
    this.#characters -= entry.size
    this.#files--
  }
}
