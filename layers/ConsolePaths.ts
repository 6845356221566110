/** Paths that begin as a typed one does, for the completion of the console. */
import * as Fs from "node:fs"
import * as Path from "node:path"

const most = 200

/** Relative to the working directory; folders end with `/`. Hidden names only where the last part begins with a dot. */
export const near = (cwd: string, prefix: string): ReadonlyArray<string> => {
  const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1)
  const start = prefix.slice(folder.length)
  try {
    return Fs.readdirSync(Path.resolve(cwd, folder), { withFileTypes: true })
      .filter(({ name }) => name.startsWith(start) && (start.startsWith(".") || !name.startsWith(".")))
      .slice(0, most)
      .map((entry) => `${folder}${entry.name}${isFolder(entry, Path.resolve(cwd, folder, entry.name)) ? "/" : ""}`)
  } catch {
    return []
  }
}

const isFolder = (entry: Fs.Dirent, path: string): boolean => {
  if (!entry.isSymbolicLink()) return entry.isDirectory()
  try {
    return Fs.statSync(path).isDirectory()
  } catch {
    return false
  }
}
