/** Builds what the tests need beside the sources: the command, the worker of the structural search, the grammars. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const cwd = fileURLToPath(new URL("../..", import.meta.url))

export const setup = async (): Promise<void> => {
  for (const script of ["build:grammars", "build:bin"]) {
    await promisify(execFile)("npm", ["run", "--silent", script], { cwd })
  }
}
