/** One search or rewrite as a worker sees it. Free of Effect: it runs in a worker thread. */
import type * as Crypto from "node:crypto"
import { createRequire } from "node:module"
import { relative, sep } from "node:path"
import picomatch from "picomatch"
import * as Embedded from "../../src/syntax/Embedded.ts"
import type { Span } from "../../src/syntax/Goal.ts"
import type { Grammar, Grammars } from "../../src/syntax/Grammar.ts"
import type { Language } from "../../src/syntax/Language.ts"
import type { FileOutcome, LanguageOutcome } from "../../src/syntax/Outcome.ts"
import * as Metavariable from "../../src/syntax/Metavariable.ts"
import * as Pattern from "../../src/syntax/Pattern.ts"
import type { FileRewrite } from "../../src/syntax/RewriteOutcome.ts"
import * as Scan from "../../src/syntax/Scan.ts"
import * as Template from "../../src/syntax/Template.ts"
import * as FileReader from "./FileReader.ts"
import type { Loader } from "./Loader.ts"
import type { Scanned, Work } from "./Protocol.ts"
import type { ResultCache } from "./ResultCache.ts"
import * as Walk from "./Walk.ts"

const require = createRequire(import.meta.url)

// Loaded when it is needed: it takes longer to load than most searches take.
const sha256 = (text: string): string =>
  (require("node:crypto") as typeof Crypto).createHash("sha256").update(text).digest("hex")

/** Near misses that one worker looks for while it has found nothing, and the files in which it does. */
const mostNear = 5
const mostNearFiles = 50

/** A parser that failed leaves memory in a state that nobody knows. */
export class ParserFailed extends Error {}

interface Ready {
  readonly language: Language
  readonly prepared: Scan.Prepared
  readonly template: Template.Template | undefined
  readonly filters: ReadonlyArray<{
    readonly literals: ReadonlyArray<Buffer>
    readonly isLikely: (text: string) => boolean
  }>
}

export interface Job {
  readonly isStopped: () => boolean
  /** Lists the files that belong to the job, in the order of their paths. */
  readonly list: (emit: (paths: ReadonlyArray<string>) => void) => ReadonlyMap<string, number>
  /** Compiles the pattern for a language; the loader must be ready. */
  readonly compile: (language: string) => void
  /** Searches a file, or says that it needs the loader for that. */
  readonly scan: (path: string) => Scanned<FileOutcome | FileRewrite> | typeof needsLoader
  /** Languages compiled since this was last asked. */
  readonly takeCompiled: () => ReadonlyArray<LanguageOutcome>
}

export const needsLoader = Symbol("needsLoader")

/** How many files are told of at once while a directory is listed: few at first, so that the search can begin. */
const firstListed = 64
const mostListed = 1024

export const make = (options: {
  readonly work: Work
  readonly stop: SharedArrayBuffer
  readonly grammars: Grammars
  /** `undefined` while it is not ready. */
  readonly loader: () => Loader | undefined
  readonly cache: ResultCache
  /** Bytes; larger files are left out. */
  readonly largestFile: number
}): Job => {
  const { cache, grammars, largestFile, loader, work } = options
  const { request } = work
  const { where } = request
  const stop = new Int32Array(options.stop)
  const isStopped = () => Atomics.load(stop, 0) !== 0
  const search = JSON.stringify({ ...request, where: undefined })
  const words = Metavariable.words(request.pattern).map((word) => Buffer.from(word))
  const ready = new Map<string, Ready | undefined>()
  const told = new Set<string>()
  let fresh: Array<LanguageOutcome> = []
  let near = 0
  let nearFiles = 0
  let hasMatch = false

  const prepare = (grammar: Grammar): { readonly outcome: LanguageOutcome; readonly ready: Ready | undefined } => {
    const language = loader()!.load(grammar)
    if (typeof language === "string") {
      return { outcome: { language: grammar.id, status: "failed", reason: language }, ready: undefined }
    }
    const read = Pattern.compile(language, request.pattern, request.context)
    const compiled = wanted === undefined ? Pattern.asCode(read) : read
    const outcome = Scan.describe(compiled)
    if (!compiled.ok) return { outcome, ready: undefined }
    const prepared = Scan.prepare(compiled.pattern)
    const filled = work.kind === "rewrite" ? Template.compile(work.request.rewrite, compiled.pattern) : undefined
    if (filled?.ok === false) {
      return {
        outcome: { language: grammar.id, status: "unparseable", reason: filled.reason, completion: undefined },
        ready: undefined
      }
    }
    return {
      outcome,
      ready: {
        language,
        prepared,
        template: filled?.template,
        filters: prepared.prefilters.map(({ isLikely, literals }) => ({
          literals: literals.map((literal) => Buffer.from(literal)),
          isLikely
        }))
      }
    }
  }

  const readyFor = (grammar: Grammar): Ready | undefined => {
    if (!ready.has(grammar.id)) {
      const result = prepare(grammar)
      ready.set(grammar.id, result.ready)
      cache.setLanguage(search, result.outcome)
      tell(result.outcome)
    }
    return ready.get(grammar.id)
  }

  const tell = (outcome: LanguageOutcome): void => {
    if (told.has(outcome.language)) return
    told.add(outcome.language)
    fresh.push(outcome)
  }

  const wanted = request.language === undefined ? undefined : grammars.named(request.language)
  const mayHold = (grammar: Grammar) =>
    wanted === undefined || grammar === wanted || Embedded.languagesIn(grammar).has(wanted.id)

  const grammarOf = (path: string): Grammar | undefined => {
    const grammar = grammars.ofFile(path)
    const isForced = where.kind === "file" && wanted !== undefined && (grammar === undefined || !mayHold(grammar))
    return isForced ? wanted : grammar
  }

  const look = (path: string, text: string, now: Ready, within?: Span): FileOutcome | FileRewrite | undefined => {
    const tree = now.language.parse(text, isStopped, within)
    if (tree === undefined) return undefined
    try {
      const root = tree.rootNode
      if (now.template !== undefined) {
        const rewritten = Scan.rewrite(now.prepared, now.template, path, root, text, within)
        return rewritten && { ...rewritten, hash: sha256(text) }
      }
      const { limit } = request as { readonly limit: number }
      const isNearWanted = !hasMatch && near < mostNear && nearFiles < mostNearFiles
      const outcome = Scan.scan(now.prepared, path, root, text, { limit, near: isNearWanted })
      if (isNearWanted) nearFiles++
      near += outcome.near.length
      hasMatch ||= outcome.readings.some(({ count }) => count > 0)
      return outcome
    } finally {
      tree.delete()
    }
  }

  /** Searches what a file has inside, each part in its own language; `own`: what the file itself has. */
  const lookInside = (
    path: string,
    grammar: Grammar,
    text: string,
    isPossible: (now: Ready) => boolean,
    own: FileOutcome | FileRewrite | undefined
  ): FileOutcome | FileRewrite | undefined => {
    const host = loader()!.load(grammar)
    const tree = typeof host === "string" ? undefined : host.parse(text, isStopped)
    if (typeof host === "string" || tree === undefined) return own
    const parts = Embedded.parts(host, tree.rootNode)
    tree.delete()
    const uncovered = new Set<string>()
    const found = own === undefined ? [] : [own]
    for (const { language, rule, said, span } of parts) {
      const inner = language === undefined ? undefined : grammars.named(language)
      const isAsked = wanted === undefined || rule.languages.some(([, id]) => id === wanted.id)
      if (inner === undefined && isAsked) uncovered.add(said === "" ? language! : said)
      if (inner === undefined || (wanted !== undefined && inner !== wanted)) continue
      const now = readyFor(inner)
      const outcome = now !== undefined && isPossible(now) ? look(path, text, now, span) : undefined
      if (outcome !== undefined) found.push(outcome)
    }
    return work.kind === "rewrite"
      ? Embedded.rewrittenTogether(
          found.filter((one) => "edits" in one),
          [...uncovered]
        )
      : Embedded.together(
          grammar.id,
          found.filter((one): one is FileOutcome => !("edits" in one)),
          [...uncovered]
        )
  }

  return {
    isStopped,
    takeCompiled: () => {
      const taken = fresh
      fresh = []
      return taken
    },
    compile: (id) => {
      const grammar = grammars.named(id)
      if (grammar !== undefined) readyFor(grammar)
    },
    list: (emit) => {
      const skipped = new Map<string, number>()
      const skip = (reason: string) => void skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
      if (where.kind === "file") {
        emit([where.start])
        return skipped
      }
      const isMatch = where.glob === undefined ? undefined : picomatch(where.glob, { dot: true })
      let paths: Array<string> = []
      let listed = firstListed
      Walk.walk(where.start, where.root, {
        skip,
        file: (path, name) => {
          if (isMatch !== undefined && !isMatch(relative(where.root, path).replaceAll(sep, "/"))) return true
          const grammar = grammars.ofFile(name)
          if (grammar === undefined) skip("language unknown")
          else if (!mayHold(grammar)) skip("another language")
          else if (paths.push(path) >= listed) {
            emit(paths)
            paths = []
            listed = Math.min(mostListed, 2 * listed)
          }
          return !isStopped()
        }
      })
      if (paths.length > 0) emit(paths)
      return skipped
    },
    scan: (path) => {
      const grammar = grammarOf(path)
      if (grammar === undefined) return { skipped: "language unknown" }
      const known = work.kind === "search" ? cache.get(search, path, FileReader.stamp) : undefined
      if (known !== undefined) {
        for (const id of [grammar.id, ...Embedded.languagesIn(grammar)]) {
          const language = cache.language(search, id)
          if (language !== undefined) tell(language)
        }
        return known.outcome && { outcome: known.outcome }
      }
      const read = FileReader.read(path, largestFile)
      if ("skipped" in read) return read
      const finish = (outcome: FileOutcome | FileRewrite | undefined) => {
        if (work.kind === "search" && !isStopped())
          cache.set(search, path, read.stamp, outcome as FileOutcome | undefined)
        return outcome && { outcome }
      }
      const has = (literal: Buffer) => read.bytes.includes(literal)
      // Before anything is loaded: in most files the words of the pattern are not to be found.
      const hasWords = words.every(has)
      const isOwn = wanted === undefined || grammar === wanted
      const isInside = hasWords && grammar.embedded !== undefined && grammar !== wanted
      if (!hasWords && (!isOwn || grammar.caseInsensitive !== true)) return finish(undefined)
      if (loader() === undefined) return needsLoader
      let decoded: string | undefined
      const text = () => (decoded ??= FileReader.decode(read.bytes))
      const isPossible = ({ filters }: Ready) =>
        filters.some(({ isLikely, literals }) => literals.every(has) && isLikely(text()))
      const now = readyFor(isOwn ? grammar : wanted)
      if (now === undefined && !(isOwn && isInside)) return { skipped: "pattern not readable in its language" }
      const isLikely = now !== undefined && isPossible(now)
      if (!isLikely && !(isOwn && isInside)) return finish(undefined)
      try {
        const own = isLikely && isOwn ? look(path, text(), now) : undefined
        if (isInside && Embedded.mayBeIn(grammar, text()))
          return finish(lookInside(path, grammar, text(), isPossible, own))
        return now === undefined ? { skipped: "pattern not readable in its language" } : finish(own)
      } catch (cause) {
        throw new ParserFailed(`${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
      }
    }
  }
}
