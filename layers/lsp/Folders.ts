/** The folders of a project that are not ignored, those near the top first. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Effect } from "effect"
import type { Workspace } from "../../src/Workspace.ts"

export interface Folder {
  readonly path: string
  readonly entries: ReadonlyArray<Fs.Dirent>
}

/** How many are looked into. */
export const most = 3000

/** None where it cannot be read. */
export const entriesOf = (folder: string): ReadonlyArray<Fs.Dirent> => {
  try {
    return Fs.readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** Links are not followed. `isWhole`: there are no more than were looked into. */
export const all = Effect.fnUntraced(function* ({
  isIgnored,
  root
}: Workspace["Service"]): Effect.fn.Return<{ readonly folders: ReadonlyArray<Folder>; readonly isWhole: boolean }> {
  const folders: Array<Folder> = []
  const pending = [root]
  for (const path of pending) {
    if (path !== root && (yield* isIgnored(path))) continue
    if (folders.length === most) return { folders, isWhole: false }
    const entries = entriesOf(path)
    folders.push({ path, entries })
    for (const entry of entries) if (entry.isDirectory()) pending.push(Path.join(path, entry.name))
    if (folders.length % 64 === 0) yield* Effect.yieldNow
  }
  return { folders, isWhole: true }
})
