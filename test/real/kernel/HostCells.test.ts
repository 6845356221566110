import { describe, it } from "@effect/vitest"
import * as HostCells from "../../support/HostCells.ts"
import { cases, needsLibraries } from "../../support/PythonCells.ts"
import { libraries } from "../support/kernels.ts"

const python = libraries()
const why = python === undefined ? " (skipped: .ci/kernels has not been run)" : ""

describe.skipIf(python === undefined)(
  `cells of kernel-open.json on pandas, numpy and matplotlib through the whole stack${why}`,
  { timeout: 180_000 },
  () => {
    for (const one of cases.filter(({ id }) => needsLibraries.has(id))) {
      it.live(`${one.id}: ${one.what}`, () => HostCells.check(one, python))
    }
  }
)
