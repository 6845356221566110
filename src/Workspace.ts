/**
 * The working directory of a run: the only place where paths are resolved, confined, shown and ignored, and the one lock
 * per file (DESIGN, "The kernel of the library").
 */
import { Context, type Effect } from "effect"
import type { ToolError } from "./ToolError.ts"

/**
 * A path inside the working directory.
 *
 * - `path`: absolute, symbolic links resolved as far as it exists: where reads and writes go, and the key of its lock
 * - `entry`: absolute, links resolved up to its parent: what a rename or a delete acts on (the link itself)
 */
export interface Resolved {
  readonly path: string
  readonly entry: string
  readonly kind: "file" | "directory" | "other" | "missing"
}

export class Workspace extends Context.Service<
  Workspace,
  {
    /** Absolute, symbolic links resolved. */
    readonly root: string
    /**
     * Resolves a path that a model gave (relative to the root, or absolute; `~` is not expanded).
     * Fails with `outside_directory` when it leaves the root, also by a symbolic link or a loop of them.
     */
    readonly resolve: (path: string) => Effect.Effect<Resolved, ToolError>
    /** As `resolve`; fails with `not_found`, naming near paths that exist, when nothing is there. */
    readonly existing: (path: string) => Effect.Effect<Resolved, ToolError>
    /** How a path is shown to a model: relative to the root with `/`, absolute when outside it. */
    readonly show: (absolute: string) => string
    /**
     * The files that a glob from the root names (`*`, `**`, `?`, `[…]`, `{…}`, names with a leading dot included), absolute,
     * in the order of their paths, without what is ignored and without following links to directories. Fails with
     * `outside_directory` when it begins outside of the root.
     */
    readonly files: (glob: string) => Effect.Effect<ReadonlyArray<string>, ToolError>
    /** Whether ignore files (`.gitignore`, `.ignore`), `.git` or `node_modules` exclude this absolute path. */
    readonly isIgnored: (absolute: string) => Effect.Effect<boolean>
    /**
     * Runs an effect while holding the locks of these files (`Resolved.path`). Locks are taken in one order, so calls
     * over several files cannot deadlock; they are not re-entrant.
     */
    readonly withLocks: (paths: Iterable<string>) => <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("livetools/Workspace") {}
