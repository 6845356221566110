import { describe, it } from "vitest"
import { cases, check, needsLibraries } from "../../support/PythonCells.ts"

describe("cells of kernel-open.json, in Python", { timeout: 90_000 }, () => {
  for (const one of cases.filter((some) => !needsLibraries.has(some.id))) {
    it(`${one.id}: ${one.what}`, () => check(one))
  }
})
