/** The folders of FIFOs that are there: each is for a few ms, so those of others come and go. */
import * as fs from "node:fs"
import * as os from "node:os"

export const folders = (): ReadonlyArray<string> =>
  fs.readdirSync(os.tmpdir()).filter((name) => name.startsWith("livetools-fifo-"))

/** Those that were made since and stay. */
export const left = (before: ReadonlyArray<string>): ReadonlyArray<string> => {
  const now = folders().filter((name) => !before.includes(name))
  if (now.length === 0) return now
  // Longer than anybody needs.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
  const later = folders()
  return now.filter((name) => later.includes(name))
}
