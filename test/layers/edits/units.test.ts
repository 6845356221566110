import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as DirectoryLock from "../../../layers/edits/DirectoryLock.ts"
import * as Disk from "../../../layers/edits/Disk.ts"
import * as Journal from "../../../layers/edits/Journal.ts"
import * as JournalEntry from "../../../layers/edits/JournalEntry.ts"
import * as Owner from "../../../layers/edits/Owner.ts"
import * as StateFolder from "../../../layers/edits/StateFolder.ts"
import { deadOwner, tree } from "./support.ts"

describe("StateFolder", () => {
  it("is the user's, by system", () => {
    assert.strictEqual(StateFolder.path({}, "linux", "/home/u"), "/home/u/.local/state/livetools")
    assert.strictEqual(StateFolder.path({ XDG_STATE_HOME: "/s" }, "linux", "/home/u"), "/s/livetools")
    assert.strictEqual(StateFolder.path({ XDG_STATE_HOME: "s" }, "linux", "/home/u"), "/home/u/.local/state/livetools")
    assert.strictEqual(StateFolder.path({}, "darwin", "/Users/u"), "/Users/u/Library/Application Support/livetools")
  })
})

describe("Owner", () => {
  it("is told in one line, whatever is in the name of the machine", () => {
    const owner = { host: "a@b c/ü", pid: 7, start: "Thu Jan 1 00:00:00 1970" }
    assert.deepStrictEqual(Owner.parse(Owner.format(owner)), owner)
    assert.notInclude(Owner.format(owner), "/")
    for (const text of ["", "a@b", "a@x@1", "a@1@2@3", "%zz@1@2"]) assert.isUndefined(Owner.parse(text))
  })
  it("knows this process", () => {
    assert.strictEqual(Owner.status(Owner.self()), "alive")
    assert.strictEqual(Owner.status(deadOwner), "dead")
    assert.strictEqual(Owner.status({ ...Owner.self(), start: "unknown" }), "alive")
    assert.strictEqual(Owner.status({ ...deadOwner, start: "unknown" }), "dead")
  })
  it("knows a process by ps, where there is no /proc but ps", () => {
    if (!Fs.existsSync("/bin/ps")) return
    assert.match(Owner.fromPs(process.pid) ?? "", /^\w{3} \w{3} \d+ \d\d:\d\d:\d\d \d{4}$/)
    assert.strictEqual(Owner.fromPs(process.pid), Owner.fromPs(process.pid))
    assert.isUndefined(Owner.fromPs(deadOwner.pid))
  })
})

describe("JournalEntry", () => {
  const entry: JournalEntry.JournalEntry = {
    root: "/r",
    token: "t",
    initial: new Map([
      ["/r/a", "file:1"],
      ["/r/__proto__", "missing"]
    ]),
    steps: [
      {
        type: "set",
        path: "/r/a",
        before: { kind: "file", bytes: Buffer.from([0, 255, 10]), hash: "1", mode: 0o644, owner: [1, 2] },
        after: { kind: "file", bytes: Buffer.from("\uFEFFä\r\n"), hash: "2" }
      },
      { type: "set", path: "/r/l", before: { kind: "symlink", target: "x" }, after: null },
      { type: "set", path: "/r/d", before: null, after: { kind: "directory", mode: 0o700 }, loose: true },
      { type: "move", from: "/r/x", to: "/r/y" }
    ],
    asides: ["/r", "/r", "/r", "/r"]
  }
  it("is read as it was written", () => {
    assert.deepStrictEqual(JournalEntry.decode(JournalEntry.encode(entry)), Result.succeed(entry))
  })
  it("is refused when it is cut short at any place, or changed", () => {
    const bytes = JournalEntry.encode(entry)
    for (let size = 0; size < bytes.length; size++) {
      assert.isTrue(Result.isFailure(JournalEntry.decode(bytes.subarray(0, size))), String(size))
    }
    const changed = Buffer.from(bytes)
    changed[changed.length - 1]! ^= 1
    assert.isTrue(Result.isFailure(JournalEntry.decode(changed)))
  })
})

describe("DirectoryLock", () => {
  const lockOf = (state: string, owner: Owner.Owner) =>
    DirectoryLock.make(Disk.node, Journal.make(Disk.node, state, "/r", owner))

  it.live("lets one in at a time, of all owners, and leaves nothing", () =>
    Effect.gen(function* () {
      const place = yield* tree({})
      let inside = 0
      const one = Effect.gen(function* () {
        assert.strictEqual(++inside, 1)
        yield* Effect.sleep("1 millis")
        inside--
      })
      const locks = Array.from({ length: 8 }, () => lockOf(place.state, Owner.self()))
      yield* Effect.forEach(locks, (lock) => lock.hold(one), { concurrency: "unbounded" })
      assert.strictEqual(Fs.readdirSync(Path.join(place.state, "edits")).length, 1)
      const [folder] = Fs.readdirSync(Path.join(place.state, "edits"))
      assert.deepStrictEqual(Fs.readdirSync(Path.join(place.state, "edits", folder!)), [])
      assert.strictEqual(Fs.statSync(Path.join(place.state, "edits", folder!)).mode & 0o777, 0o700)
    })
  )
  it.live("can be interrupted while it waits", () =>
    Effect.gen(function* () {
      const place = yield* tree({})
      const [first, second] = [lockOf(place.state, Owner.self()), lockOf(place.state, Owner.self())]
      const holder = yield* Effect.forkChild(first.hold(Effect.never), { startImmediately: true })
      const waiter = yield* Effect.forkChild(second.hold(Effect.void), { startImmediately: true })
      yield* Effect.sleep("15 millis")
      yield* Fiber.interrupt(waiter)
      yield* Fiber.interrupt(holder)
      yield* second.hold(Effect.void)
    })
  )
  it.live("is taken from an owner who is gone, by one of many", () =>
    Effect.gen(function* () {
      const place = yield* tree({})
      const lock = lockOf(place.state, Owner.self())
      yield* lock.hold(Effect.void)
      const [folder] = Fs.readdirSync(Path.join(place.state, "edits"))
      Fs.writeFileSync(Path.join(place.state, "edits", folder!, "lock"), Owner.format(deadOwner))
      assert.isTrue(lock.isLeft())
      let inside = 0
      const one = Effect.gen(function* () {
        assert.strictEqual(++inside, 1)
        yield* Effect.yieldNow
        inside--
      })
      yield* Effect.forEach([1, 2, 3], () => lock.hold(one), { concurrency: "unbounded" })
      assert.isFalse(lock.isLeft())
    })
  )
  it.live("of a folder that cannot be written is a clear failure", () =>
    Effect.gen(function* () {
      const place = yield* tree({ file: "" })
      const error = yield* Effect.flip(lockOf(Path.join(place.root, "file"), Owner.self()).hold(Effect.void))
      assert.strictEqual(error.code, "refused_edit")
      assert.include(error.message, "The journal that makes edits safe cannot be written to")
    })
  )
})
