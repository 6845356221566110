/** Standard output and error opened by name, by cells and by what they start. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Bubblewrap from "../../../layers/kernel/Bubblewrap.ts"
import * as NodeKernels from "../../../layers/kernel/NodeKernels.ts"
import * as NodeProcesses from "../../../layers/process/NodeProcesses.ts"
import * as NodeWorkspace from "../../../layers/workspace/NodeWorkspace.ts"
import { evalTool } from "../../../src/kernel/Eval.ts"
import type { Value } from "../../../src/kernel/Value.ts"
import * as Surface from "../../../src/Surface.ts"
import * as Bwrap from "../../support/Bwrap.ts"
import { folder } from "../../support/Cli.ts"
import * as Fifos from "../../support/fifos.ts"
import * as Kernels from "../../support/kernels.ts"

const open = Effect.fnUntraced(function* (enclosure: "none" | "bubblewrap") {
  const { root } = yield* Effect.acquireRelease(
    Effect.sync(() => folder({})),
    ({ remove }) => Effect.sync(remove)
  )
  const kernels = NodeKernels.layer({ isTrusted: true })
  const context = yield* Layer.build(
    (enclosure === "none" ? kernels : Layer.provide(kernels, Bubblewrap.layer())).pipe(
      Layer.provide(Layer.mergeAll(NodeProcesses.layer(), NodeWorkspace.layer({ root })))
    )
  )
  const surface = yield* Effect.provideContext(Surface.make([evalTool]), context)
  return (language: "python" | "javascript", code: string) =>
    Effect.map(surface.call("eval", { code, language, description: "write to a stream by its name" }), (answer) => {
      assert.isFalse(answer.isFailure, answer.text)
      const value = answer.value as Value
      return [Kernels.textOf(value, "stdout"), Kernels.textOf(value, "stderr")]
    })
})

const missing = Bwrap.isUsable ? "" : ` (skipped: ${Bwrap.reason})`

describe.each(["none", "bubblewrap"] as const)("streams by name, enclosure: %s", (enclosure) => {
  const isSkipped = enclosure === "bubblewrap" && !Bwrap.isUsable
  it.live.skipIf(isSkipped)(`Python, its shells, JavaScript and its shells${isSkipped ? missing : ""}`, () =>
    Effect.gen(function* () {
      const before = Fifos.folders()
      const cell = yield* open(enclosure)
      const python = (code: string) => cell("python", code)
      assert.deepStrictEqual(yield* python(`with open("/dev/stdout", "w") as f: print("a", file=f)`), ["a\n", ""])
      assert.deepStrictEqual(yield* python(`with open("/dev/stderr", "a") as f: print("b", file=f)`), ["", "b\n"])
      assert.deepStrictEqual(yield* python(`%%bash\necho x > /dev/stderr\necho y > /dev/stdout`), ["y\n", "x\n"])
      assert.deepStrictEqual(
        yield* python(`import subprocess; _ = subprocess.run("echo z | tee /dev/stderr", shell=True)`),
        ["z\n", "z\n"]
      )
      assert.deepStrictEqual(
        yield* cell(
          "javascript",
          `require("fs").writeFileSync("/dev/stdout", "a\\n")
           require("child_process").spawnSync("sh", ["-c", "echo x > /dev/stderr; echo z | tee /dev/stderr"], { stdio: "inherit" })
           undefined`
        ),
        ["a\nz\n", "x\nz\n"]
      )
      assert.deepStrictEqual(Fifos.left(before), [])
    })
  )
})
