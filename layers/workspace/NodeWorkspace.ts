/** The working directory of a run, on this machine's file system. */
import { Effect, Layer } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as ToolError from "../../src/ToolError.ts"
import { Workspace } from "../../src/Workspace.ts"
import * as Confine from "./Confine.ts"
import * as FileLocks from "./FileLocks.ts"
import * as Globs from "./Globs.ts"
import * as IgnoreRules from "./IgnoreRules.ts"
import * as NearNames from "./NearNames.ts"
import * as Paths from "./Paths.ts"

/** As git sees it: a link to a directory is not one. */
const isDirectory = (absolute: string): boolean => {
  try {
    return Fs.lstatSync(absolute).isDirectory()
  } catch {
    return false
  }
}

/**
 * `Workspace` for one directory. `root` may be relative to the process' own directory and may be a symbolic link. Fails
 * with `not_found` when it is not a directory that exists.
 */
export const layer = (options: { readonly root: string }): Layer.Layer<Workspace, ToolError.ToolError> =>
  Layer.effect(
    Workspace,
    Effect.gen(function* () {
      const root = yield* Effect.try({
        try: () => Fs.realpathSync(options.root),
        catch: () => ToolError.make("not_found", `The working directory ${options.root} does not exist.`)
      })
      if (!Fs.statSync(root).isDirectory()) {
        return yield* ToolError.make("not_found", `The working directory ${options.root} is not a directory.`)
      }
      const rules = IgnoreRules.make(root)
      const locks = FileLocks.make()
      const show = (absolute: string) => Paths.show(Path, root, absolute)
      const isIgnored = (absolute: string) => rules.isIgnored(absolute, isDirectory(absolute))

      const resolve = (path: string) => Effect.suspend(() => Effect.fromResult(Confine.resolve(root, path)))
      const existing = Effect.fnUntraced(function* (path: string) {
        const resolved = yield* resolve(path)
        if (resolved.kind !== "missing") return resolved
        const near = NearNames.near(root, resolved.path, isIgnored).map(show)
        const next = near.length === 0 ? "Nothing of a like name is near it." : `Near it: ${near.join(", ")}.`
        return yield* ToolError.make("not_found", `${path} does not exist. ${next}`)
      })

      return Workspace.of({
        root,
        resolve,
        existing,
        show,
        files: Effect.fnUntraced(function* (glob) {
          const { base, matches } = Globs.make(root, glob)
          const from = yield* resolve(base)
          if (from.kind === "file") return matches(from.path) && !isIgnored(from.path) ? [from.path] : []
          return from.kind === "directory" ? yield* Globs.walk(from.path, matches, rules.isIgnored) : []
        }),
        isIgnored: (absolute) => Effect.sync(() => isIgnored(absolute)),
        withLocks: locks.withLocks
      })
    })
  )
