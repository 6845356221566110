import { describe, it } from "@effect/vitest"
import * as HostCells from "../../support/HostCells.ts"
import { cases, needsLibraries } from "../../support/PythonCells.ts"

describe("cells of kernel-open.json through the whole stack, in Python", { timeout: 120_000 }, () => {
  for (const one of cases.filter(({ id }) => !needsLibraries.has(id))) {
    it.live(`${one.id}: ${one.what}`, () => HostCells.check(one))
  }
})
