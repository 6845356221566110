import "./test/support/groupBy.ts"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/real/**", "test/bench/**"],
    globalSetup: ["test/support/build.ts"],
    testTimeout: 30_000,
    pool: "forks",
    maxWorkers: 3
  }
})
