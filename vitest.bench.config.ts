import "./test/support/groupBy.ts"
import { defineConfig } from "vitest/config"

/** Benchmarks print ratios against a floor or a peer measured in the same run; none gates by the clock. */
export default defineConfig({
  test: {
    include: ["test/bench/**/*.bench.ts"],
    globalSetup: ["test/support/build.ts"],
    testTimeout: 1_800_000,
    pool: "forks",
    maxWorkers: 1,
    fileParallelism: false,
    disableConsoleIntercept: true
  }
})
