/** What a structural search finds, file by file and in all: plain data that can be sent between threads. */
import type { Where } from "./Request.ts"

/** A match as it is told. Lines and columns are 1-based; columns count UTF-16 units. */
export interface Found {
  readonly path: string
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly text: string
  /** By the names of metavariables, so no key is anybody's free choice. */
  readonly captures: { readonly [name: string]: string | ReadonlyArray<string> }
}

/** A place that would match if the pattern had what was passed over there. */
export interface NearMiss {
  readonly path: string
  readonly line: number
  readonly missing: ReadonlyArray<{ readonly kind: string; readonly field: string | undefined; readonly text: string }>
}

/** A file that was searched. */
export interface FileOutcome {
  readonly language: string
  /** By reading of the language's pattern; `found` has the first ones only. */
  readonly readings: ReadonlyArray<{ readonly count: number; readonly found: ReadonlyArray<Found> }>
  readonly hasErrors: boolean
  /** Candidates that were given up as too costly to decide. */
  readonly givenUp: number
  readonly near: ReadonlyArray<NearMiss>
  /** The same in other languages that the file has inside. */
  readonly inner?: ReadonlyArray<FileOutcome>
  /** What it has inside without a grammar for it, as the file calls it. */
  readonly uncovered?: ReadonlyArray<string>
}

/** How a language took the pattern. */
export type LanguageOutcome = { readonly language: string } & (
  | {
      readonly status: "accepted"
      readonly readings: ReadonlyArray<{
        readonly context: string
        /** The kinds that the pattern was parsed into. */
        readonly kinds: string
        /** Metavariables that are only a part of a token, and so literal text. */
        readonly literal: ReadonlyArray<string>
      }>
    }
  | { readonly status: "unparseable"; readonly reason: string; readonly completion: string | undefined }
  | { readonly status: "failed"; readonly reason: string }
)

/** A reading with its count over the files that were visited. */
export interface ReadingTotal {
  readonly language: string
  readonly context: string
  readonly total: number
  readonly isExact: boolean
  /** Whether its matches are those that are shown. */
  readonly shown: boolean
}

export interface Outcome {
  readonly where: Where
  readonly matches: ReadonlyArray<Found>
  /** Of the readings that are shown. */
  readonly total: number
  readonly isExact: boolean
  readonly readings: ReadonlyArray<ReadingTotal>
  readonly languages: ReadonlyArray<LanguageOutcome>
  readonly filesSearched: number
  readonly filesWithErrors: number
  readonly givenUp: number
  readonly skipped: ReadonlyMap<string, number>
  readonly near: ReadonlyArray<NearMiss>
}

/** Near misses that are kept. */
const mostNear = 20

/** Collects the outcomes of files in the order of their paths. */
export class Tally {
  readonly #limit: number
  readonly #languages = new Map<string, LanguageOutcome>()
  readonly #counts = new Map<string, Array<number>>()
  readonly #found = new Map<string, Array<Array<{ readonly order: number; readonly found: Found }>>>()
  readonly #visited = new Set<string>()
  readonly #skipped = new Map<string, number>()
  readonly #near: Array<NearMiss> = []
  #searched = 0
  #withErrors = 0
  #givenUp = 0
  constructor(limit: number) {
    this.#limit = limit
  }

  language(outcome: LanguageOutcome): void {
    if (this.#languages.has(outcome.language)) return
    this.#languages.set(outcome.language, outcome)
    const readings = outcome.status === "accepted" ? outcome.readings : []
    this.#counts.set(
      outcome.language,
      readings.map(() => 0)
    )
    this.#found.set(
      outcome.language,
      readings.map(() => [])
    )
  }

  /** A file of this language was reached. */
  visit(language: string): void {
    this.#visited.add(language)
  }

  /**
   * Languages that were met without the pattern being read in them, because no file has its words. It matters only
   * where nothing was found.
   */
  unknown(): ReadonlyArray<string> {
    const hasMatch = [...this.#counts.values()].some((counts) => counts.some((count) => count > 0))
    return hasMatch ? [] : [...this.#visited].filter((language) => !this.#languages.has(language))
  }

  skip(reason: string, count = 1): void {
    this.#skipped.set(reason, (this.#skipped.get(reason) ?? 0) + count)
  }

  /** A file in which nothing is to be found. */
  empty(): void {
    this.#searched++
  }

  file(outcome: FileOutcome): void {
    const all = [outcome, ...(outcome.inner ?? [])]
    const hasErrors = all.some((one) => one.hasErrors)
    this.counts(
      all.map(({ language, readings }) => ({ language, counts: readings.map(({ count }) => count) })),
      hasErrors
    )
    for (const { givenUp, language, near, readings } of all) {
      this.#givenUp += givenUp
      if (this.#near.length < mostNear) this.#near.push(...near)
      readings.forEach(({ found }, index) => {
        const kept = this.#found.get(language)?.[index] ?? []
        for (const match of found) {
          if (kept.length < this.#limit) kept.push({ order: this.#searched, found: match })
        }
      })
    }
  }

  /** A file with so many matches in each reading of its languages. */
  counts(
    all: ReadonlyArray<{ readonly language: string; readonly counts: ReadonlyArray<number> }>,
    hasErrors: boolean
  ): void {
    this.#searched++
    if (hasErrors) this.#withErrors++
    for (const { counts, language } of all) {
      this.visit(language)
      const totals = this.#counts.get(language)
      counts.forEach((count, index) => {
        if (totals?.[index] !== undefined) totals[index] += count
      })
    }
  }

  /** Whether more files could not change what is shown: the preferred readings have more matches than are wanted. */
  get isEnough(): boolean {
    let total = 0
    for (const [first = 0] of this.#counts.values()) total += first
    return total > this.#limit
  }

  /** The result; `isComplete`: every file was visited. */
  result(where: Where, isComplete: boolean): Outcome {
    const readings: Array<ReadingTotal> = []
    const shown: Array<{ readonly order: number; readonly found: Found }> = []
    const languages = [...this.#languages]
      .filter(([language]) => this.#visited.has(language) || this.#visited.size === 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    for (const [language, outcome] of languages) {
      if (outcome.status !== "accepted") continue
      const counts = this.#counts.get(language)!
      const first = counts.findIndex((count) => count > 0)
      // Before every file was visited it is not known that a preferred reading finds nothing.
      const chosen = isComplete ? first : counts[0]! > 0 ? 0 : -1
      outcome.readings.forEach(({ context }, index) => {
        const isShown = index === chosen
        // Of the readings that find nothing only the preferred one is told.
        if (index > 0 && counts[index] === 0) return
        readings.push({ language, context, total: counts[index]!, isExact: isComplete, shown: isShown })
        if (isShown) shown.push(...this.#found.get(language)![index]!)
      })
    }
    // In one file the languages take turns.
    shown.sort((a, b) => a.order - b.order || a.found.line - b.found.line || a.found.column - b.found.column)
    return {
      where,
      matches: shown.slice(0, this.#limit).map(({ found }) => found),
      total: readings.reduce((sum, reading) => sum + (reading.shown ? reading.total : 0), 0),
      isExact: isComplete && this.#givenUp === 0,
      readings,
      languages: languages.map(([, outcome]) => outcome),
      filesSearched: this.#searched,
      filesWithErrors: this.#withErrors,
      givenUp: this.#givenUp,
      skipped: this.#skipped,
      near: this.#near
    }
  }
}
