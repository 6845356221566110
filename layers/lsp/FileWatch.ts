/**
 * Tells of changes below the working directory, whoever makes them (C41): a watch on every folder that is not ignored, from
 * the first listener on. Nothing is looked at until something changes.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Effect, type Scope } from "effect"
import type { FileEvent } from "../../src/lsp/LanguageServers.ts"
import type { Workspace } from "../../src/Workspace.ts"

export interface FileWatch {
  /** Starts to watch. Returns what ends it for this listener. */
  readonly listen: (listener: (event: FileEvent) => void) => Effect.Effect<() => void>
  /** Completes when the changes made so far have been told. */
  readonly caughtUp: Effect.Effect<void>
  /** Why some changes are not seen, if so. */
  readonly trouble: () => string | undefined
}

/** A turn of the event loop: what the kernel has queued is read in between. */
const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

interface Folder {
  readonly watcher: Fs.FSWatcher
  readonly files: Set<string>
}

const mostFolders = 8000

export const make = Effect.fnUntraced(function* (
  workspace: Workspace["Service"]
): Effect.fn.Return<FileWatch, never, Scope.Scope> {
  const folders = new Map<string, Folder>()
  const listeners = new Set<(event: FileEvent) => void>()
  let trouble: string | undefined
  let isOver = false
  let isStarted = false
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isOver = true
      for (const { watcher } of folders.values()) watcher.close()
      folders.clear()
    })
  )

  const tell = (path: string, event: FileEvent["event"]) => {
    for (const listener of listeners) listener({ path, event })
  }

  const forget = (folder: string, isTold: boolean) => {
    for (const [path, { files, watcher }] of folders) {
      if (path !== folder && !path.startsWith(folder + Path.sep)) continue
      watcher.close()
      folders.delete(path)
      if (!isTold) continue
      for (const name of files) tell(Path.join(path, name), "deleted")
      tell(path, "deleted")
    }
  }

  const look = (folder: string, name: string) => {
    const path = Path.join(folder, name)
    const files = folders.get(folder)?.files
    if (files === undefined) return
    const stat = Fs.lstatSync(path, { throwIfNoEntry: false })
    if (stat === undefined) {
      if (files.delete(name)) tell(path, "deleted")
      else if (folders.has(path)) forget(path, true)
    } else if (stat.isDirectory()) {
      if (!folders.has(path)) run(add(path, true))
    } else {
      tell(path, files.has(name) ? "changed" : "created")
      files.add(name)
    }
  }

  const open = (folder: string, isTold: boolean): ReadonlyArray<string> => {
    if (isOver || folders.has(folder)) return []
    if (folders.size >= mostFolders) {
      trouble = `only ${mostFolders} folders are watched: changes made in others by somebody else are not noticed`
      return []
    }
    try {
      const watcher = Fs.watch(folder, { persistent: false }, (_, name) => {
        try {
          if (name !== null) look(folder, name)
        } catch {
          // Gone, or not to be looked at: another event follows where that matters.
        }
      })
      watcher.on("error", () => forget(folder, false))
      const files = new Set<string>()
      folders.set(folder, { watcher, files })
      const inner: Array<string> = []
      for (const entry of Fs.readdirSync(folder, { withFileTypes: true })) {
        const path = Path.join(folder, entry.name)
        if (entry.isDirectory()) inner.push(path)
        else {
          files.add(entry.name)
          if (isTold) tell(path, "created")
        }
      }
      if (isTold) tell(folder, "created")
      return inner
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : String(error)
      if (code !== "ENOENT" && code !== "ENOTDIR") {
        trouble = `some folders cannot be watched (${code}): changes made there by somebody else are not noticed`
      }
      return []
    }
  }

  const add = Effect.fnUntraced(function* (top: string, isTold: boolean) {
    const left = [top]
    for (let count = 1; left.length > 0; count++) {
      const folder = left.pop()!
      if (folder !== workspace.root && (yield* workspace.isIgnored(folder))) continue
      left.push(...open(folder, isTold))
      if (count % 64 === 0) yield* turn
    }
  })

  return {
    listen: (listener) =>
      Effect.gen(function* () {
        listeners.add(listener)
        if (!isStarted) {
          isStarted = true
          yield* Effect.forkIn(add(workspace.root, false), scope, { startImmediately: true })
        }
        return () => {
          listeners.delete(listener)
        }
      }),
    caughtUp: Effect.andThen(turn, turn),
    trouble: () => trouble
  }
})
