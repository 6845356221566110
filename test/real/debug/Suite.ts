import { assert, describe, it } from "@effect/vitest"
import * as Checkout from "./Checkout.ts"
import { lasting } from "./Lasting.ts"
import { operations } from "./Operations.ts"
import type { Spec } from "./Spec.ts"

/** All that is asked of an adapter; left out, with the reason, where it is not installed. */
export const suite = (spec: Spec): void => {
  const missing = spec.programs.filter((program) => !Checkout.isInstalled(program))
  if (missing.length === 0) {
    operations(spec)
    lasting(spec)
    return
  }
  const why = `${missing.join(", ")} is not installed: run .ci/debug-adapters`
  if (Checkout.isRequired) it(`${spec.name} is there`, () => assert.fail(why))
  else describe.skip(`${spec.name} (skipped: ${why})`, () => it("debugs", () => {}))
}
