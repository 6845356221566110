/** Folders of a test file, removed when its tests have ended. */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll } from "vitest"

const made: Array<string> = []
afterAll(() => {
  for (const folder of made.splice(0)) Fs.rmSync(folder, { recursive: true, force: true })
})

/** Makes an empty one whose name begins so. */
export const make = (prefix: string): string => {
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), prefix))
  made.push(folder)
  return folder
}
