/**
 * The structural search engine as a resource (DESIGN, "Resources"): parsers that search and rewrite files without holding up
 * the host. A harness may give its own.
 */
import { Context, type Effect } from "effect"
import type { ToolError } from "../ToolError.ts"
import type { Grammars } from "./Grammar.ts"
import type { Outcome } from "./Outcome.ts"
import type { Request, RewriteRequest } from "./Request.ts"
import type { RewriteOutcome } from "./RewriteOutcome.ts"

/**
 * Both fail with `unknown_language` (no such grammar, or none for the file), `not_covered` (the grammar cannot be loaded),
 * `unparseable_pattern` (no language that was asked for or met accepts the pattern), `internal` (a worker crashed).
 * Interrupting a call stops the work.
 */
export class Parsers extends Context.Service<
  Parsers,
  {
    readonly grammars: Grammars
    /** Searches for a pattern. It stops early once more matches are known than are wanted. */
    readonly search: (request: Request) => Effect.Effect<Outcome, ToolError>
    /** Rewrites what the first reading of the pattern matches. Nothing is written; `rewrite` must be a valid template. */
    readonly rewrite: (request: RewriteRequest) => Effect.Effect<RewriteOutcome, ToolError>
  }
>()("livetools/Parsers") {}
