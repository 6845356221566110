import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { buildSync } from "esbuild"
import { execFile } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { isDeepStrictEqual } from "node:util"
import type { Plan } from "../../../src/edits/Plan.ts"
import { engine, journals, makePlace, type Place, removePlace, snapshot } from "./support.ts"

let folder = ""
beforeAll(() => {
  folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "edits-host-"))
  buildSync({
    entryPoints: [Path.join(import.meta.dirname, "host.ts")],
    outfile: Path.join(folder, "host.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" }
  })
})
afterAll(() => Fs.rmSync(folder, { recursive: true, force: true }))

const host = (task: object) =>
  Effect.callback<{ readonly signal: string | null; readonly out: string }>((resume) => {
    execFile(process.execPath, [Path.join(folder, "host.mjs"), JSON.stringify(task)], (error, out, err) => {
      if (error !== null && error.signal !== "SIGKILL") resume(Effect.die(new Error(err)))
      else resume(Effect.succeed({ signal: error?.signal ?? null, out }))
    })
  })

const inPlace = <A>(files: Readonly<Record<string, string>>, use: (place: Place) => Effect.Effect<A>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => makePlace(files)),
    use,
    (place) => Effect.sync(() => removePlace(place))
  )

const files = { "a.sh": "a\n", "d/b.txt": "b\n", "old.txt": "old\n" }
const plan: Plan = {
  operations: [
    { kind: "write", path: "a.sh", text: "A\n" },
    { kind: "rename", from: "d", to: "e/f" },
    { kind: "write", path: "e/f/b.txt", text: "B\n" },
    { kind: "delete", path: "old.txt" },
    { kind: "create", path: "new/n.txt", text: "n\n" }
  ]
}
const prepare = (place: Place) => Fs.chmodSync(Path.join(place.root, "a.sh"), 0o755)

describe("a host killed by SIGKILL", () => {
  it.live(
    "between any two steps of an accept or an undo: the next start leaves all of it or none of it, and no file of its own",
    () =>
      Effect.gen(function* () {
        let all = {}
        yield* inPlace(files, (place) =>
          Effect.gen(function* () {
            prepare(place)
            const edits = yield* engine(place)
            yield* edits.apply(plan)
            all = snapshot(place.root)
          }).pipe(Effect.scoped, Effect.orDie)
        )
        const outcomes = new Set<string>()
        /** Says whether it was killed at all. */
        const killedBefore = (before: number) =>
          inPlace(files, (place) =>
            Effect.gen(function* () {
              prepare(place)
              const none = snapshot(place.root)
              const { signal } = yield* host({ place, killed: { plan, before } })
              const left = snapshot(place.root)
              const { repairs } = yield* engine(place)
              const now = snapshot(place.root)
              if (!isDeepStrictEqual(now, all)) assert.deepStrictEqual(now, none, `killed before call ${before}`)
              assert.deepStrictEqual(journals(place), [])
              outcomes.add(
                repairs.map(({ outcome }) => outcome).join() + (isDeepStrictEqual(left, now) ? "" : " (work)")
              )
              return signal === "SIGKILL"
            }).pipe(Effect.scoped)
          )
        for (let first = 1, isKilled = true; isKilled; first += 4) {
          const steps = [0, 1, 2, 3].map((more) => killedBefore(first + more))
          isKilled = (yield* Effect.all(steps, { concurrency: "unbounded" })).every(Boolean)
        }
        assert.includeMembers([...outcomes], ["", "rolled_back (work)", "completed (work)"])
      }),
    120_000
  )
})

describe("two processes in one directory", () => {
  it.live(
    "see each other's writes as stale edits, and lose none",
    () =>
      inPlace({ "n.txt": "0" }, (place) =>
        Effect.gen(function* () {
          const count = { path: "n.txt", times: 40 }
          yield* Effect.all([host({ place, count }), host({ place, count })], { concurrency: 2 })
          assert.strictEqual(Fs.readFileSync(Path.join(place.root, "n.txt"), "utf8"), "80")
          assert.deepStrictEqual(Object.keys(snapshot(place.root)), ["n.txt"])
          assert.deepStrictEqual(journals(place), [])
        })
      ),
    60_000
  )
})
