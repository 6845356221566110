/** The structural search engine in worker threads of this process. */
import { Effect, Layer } from "effect"
import { availableParallelism } from "node:os"
import { all } from "../../grammars/index.ts"
import * as Embedded from "../../src/syntax/Embedded.ts"
import * as Grammar from "../../src/syntax/Grammar.ts"
import { type FileOutcome, type LanguageOutcome, type Outcome, Tally } from "../../src/syntax/Outcome.ts"
import { Parsers } from "../../src/syntax/Parsers.ts"
import type { Request, RewriteRequest } from "../../src/syntax/Request.ts"
import type { FileRewrite, RewriteOutcome } from "../../src/syntax/RewriteOutcome.ts"
import * as ToolError from "../../src/ToolError.ts"
import * as FileReader from "./FileReader.ts"
import * as JobRun from "./JobRun.ts"
import type { Scanned, Work } from "./Protocol.ts"
import { WorkerPool } from "./WorkerPool.ts"

/** Workers are started up to this many, fewer where there are fewer cores. */
const mostWorkers = 4

export interface Options {
  /** Worker threads; default 2, never more than there are cores or 4. */
  readonly workers?: number
  /** Grammars beside those of the library; one with the id of a shipped grammar replaces it. */
  readonly grammars?: ReadonlyArray<Grammar.Grammar>
  /** Bytes; larger files are left out. Default 4 MiB. */
  readonly largestFile?: number | undefined
  /** The script of the workers; default that of the library. */
  readonly entry?: string
}

const crashed = (reason: string) =>
  ToolError.make(
    "internal",
    `The structural search engine stopped in the middle of the call: ${reason}. Nothing was changed. It is started anew with the next call; try a smaller path.`
  )

/** Ends a job where the language that was asked for does not take the pattern. */
const refusal = (request: Request | RewriteRequest, outcome: LanguageOutcome): ToolError.ToolError | undefined => {
  if (request.language === undefined || outcome.status === "accepted") return undefined
  if (outcome.status === "failed") return ToolError.make("not_covered", `${outcome.reason}.`)
  const complete = outcome.completion === undefined ? "" : ` It is incomplete; whole it is: ${outcome.completion}`
  return ToolError.make("unparseable_pattern", `The pattern is not ${outcome.language}: ${outcome.reason}.${complete}`)
}

const make = (options: Options) =>
  Effect.gen(function* () {
    const grammars = Grammar.registry([...all, ...(options.grammars ?? [])])
    const size = Math.max(1, Math.min(options.workers ?? 2, availableParallelism(), mostWorkers))
    const affinity = new JobRun.Affinity()
    const pool = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new WorkerPool(
            size,
            { grammars: grammars.all, largestFile: options.largestFile ?? FileReader.defaultLargest },
            options.entry
          )
      ),
      (pool) => Effect.promise(() => pool.close())
    )

    /** Runs a job; what it finds is given to `file` in the order of the paths. */
    const run = <A extends FileOutcome | FileRewrite>(
      work: Work,
      tally: Tally,
      file: (scanned: Scanned<A>) => boolean
    ): Effect.Effect<boolean, ToolError.ToolError> =>
      Effect.callback<boolean, ToolError.ToolError>((resume) => {
        let refused: ToolError.ToolError | undefined
        const stop = JobRun.start<A>(pool, affinity, work, {
          language: (outcome) => {
            tally.language(outcome)
            refused = refusal(work.request, outcome)
            return refused?.message
          },
          skipped: (reason, count) => tally.skip(reason, count),
          file: (path, scanned) => {
            const grammar = grammars.ofFile(path)
            const asked = work.request.language
            if (asked !== undefined) tally.visit(asked)
            else if (grammar !== undefined) for (const id of [grammar.id, ...Embedded.usualIn(grammar)]) tally.visit(id)
            if (scanned !== undefined && "skipped" in scanned) tally.skip(scanned.skipped)
            else for (const name of scanned?.outcome.uncovered ?? []) tally.skip(`embedded ${name}`)
            return file(scanned)
          },
          unknown: () => tally.unknown(),
          done: (isComplete) => resume(Effect.succeed(isComplete)),
          failed: (reason) => resume(Effect.fail(refused ?? crashed(reason)))
        })
        return Effect.sync(stop)
      })

    const search = Effect.fn("Parsers.search")(function* (request: Request) {
      const tally = new Tally(request.limit)
      const isComplete = yield* run<FileOutcome>({ kind: "search", request }, tally, (scanned) => {
        if (scanned === undefined) tally.empty()
        else if ("outcome" in scanned) tally.file(scanned.outcome)
        return !tally.isEnough
      })
      return tally.result(request.where, isComplete) satisfies Outcome
    })

    const rewrite = Effect.fn("Parsers.rewrite")(function* (request: RewriteRequest) {
      const tally = new Tally(0)
      const files: Array<FileRewrite> = []
      yield* run<FileRewrite>({ kind: "rewrite", request }, tally, (scanned) => {
        if (scanned === undefined) tally.empty()
        else if ("outcome" in scanned) {
          tally.counts([scanned.outcome, ...(scanned.outcome.inner ?? [])], scanned.outcome.errors.before > 0)
          files.push(scanned.outcome)
        }
        return true
      })
      const { matches: _, near: __, total: ___, isExact: ____, ...rest } = tally.result(request.where, true)
      return {
        ...rest,
        files: files.filter(({ edits, left }) => edits.length > 0 || left.length > 0)
      } satisfies RewriteOutcome
    })

    return Parsers.of({ grammars, search, rewrite })
  })

/** `Parsers` in worker threads, which start with the first call and end with the scope. */
export const layer = (options: Options = {}): Layer.Layer<Parsers> => Layer.effect(Parsers, make(options))
