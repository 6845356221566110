/** Folders for what a process keeps only while it runs; what a killed one left is removed by a later one. */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

const day = 24 * 60 * 60 * 1000

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/** Removes folders of processes that ended a day ago or more; `now`: one that is new. */
const sweep = (prefix: string, now: string) => {
  try {
    const { mtimeMs } = Fs.statSync(now)
    for (const name of Fs.readdirSync(Path.dirname(now))) {
      const owner = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN
      const path = Path.join(Path.dirname(now), name)
      if (Number.isNaN(owner) || isRunning(owner) || mtimeMs - Fs.statSync(path).mtimeMs < day) continue
      Fs.rmSync(path, { recursive: true, force: true })
    }
  } catch {
    // Somebody else's, or gone meanwhile: the next run looks again.
  }
}

/** Makes a private one, symbolic links resolved, which the caller removes. Throws where none can be made. */
export const make = (prefix: string): string => {
  const folder = Fs.mkdtempSync(Path.join(Fs.realpathSync(Os.tmpdir()), `${prefix}${process.pid}-`))
  sweep(prefix, folder)
  return folder
}
