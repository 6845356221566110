import "./test/support/groupBy.ts"
import { defineConfig } from "vitest/config"

/** The suites on real servers: `.ci/real-servers` installs them, `npm run test:real` runs these. */
export default defineConfig({
  test: {
    include: ["test/real/**/*.test.ts"],
    globalSetup: ["test/support/build.ts", "test/real/support/table.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "forks",
    maxWorkers: 2
  }
})
