/** The Python with libraries that `.ci/kernels` makes. */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

const cache = process.env["XDG_CACHE_HOME"] || Path.join(Os.homedir(), ".cache")
const python = Path.join(cache, "livetools-ci/kernels/venv/bin/python")

/** `undefined`: it is not installed. Where `LIVETOOLS_REQUIRE_REAL` is set, that is an error. */
export const libraries = (): string | undefined => {
  if (Fs.existsSync(python)) return python
  if (process.env["LIVETOOLS_REQUIRE_REAL"] === undefined) return undefined
  throw new Error(`there is no ${python}: run .ci/kernels`)
}
