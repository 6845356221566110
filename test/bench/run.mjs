// Runs the benchmarks; `--corpus DIR` gives a folder of TypeScript that the structural search is measured on as well.
import { spawnSync } from "node:child_process"
import { realpathSync } from "node:fs"
import { fileURLToPath } from "node:url"

const args = process.argv.slice(2)
const at = args.indexOf("--corpus")
const [, corpus] = at < 0 ? [] : args.splice(at, 2)
const env = corpus === undefined ? process.env : { ...process.env, LIVETOOLS_CORPUS: realpathSync(corpus) }
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url))
const command = [vitest, "run", "--config", "vitest.bench.config.ts", ...args]
const { status } = spawnSync(process.execPath, command, { stdio: "inherit", env })
process.exitCode = status ?? 1
