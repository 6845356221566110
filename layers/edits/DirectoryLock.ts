/**
 * One edit at a time writes to a directory, of all processes that keep their journals in one state folder. The lock is a file
 * that names its owner; that of an owner who is gone is taken away.
 */
import { Effect } from "effect"
import * as Path from "node:path"
import * as ToolError from "../../src/ToolError.ts"
import * as Disk from "./Disk.ts"
import type { Journal } from "./Journal.ts"
import * as Owner from "./Owner.ts"

export interface DirectoryLock {
  /** Runs an effect while holding the lock. Waiting can be interrupted; after 20 s it fails with `refused_edit`. */
  readonly hold: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ToolError.ToolError, R>
  /** Whether a dead owner has it. */
  readonly isLeft: () => boolean
}

const pause = "5 millis"
const tries = 4000

export const make = (disk: Disk.Disk, journal: Journal): DirectoryLock => {
  const lock = Path.join(journal.folder, "lock")

  const isDead = (file: string): boolean => {
    const owner = Owner.parse(Buffer.from(disk.read(file)).toString("utf8"))
    return owner !== undefined && Owner.status(owner) === "dead"
  }

  /** Takes a dead owner's lock away. One that came in its stead meanwhile is put back. */
  const bury = (aside: string): void => {
    disk.rename(lock, aside)
    if (!isDead(aside)) disk.link(aside, lock)
    disk.unlink(aside)
  }

  const take = (sign: string): boolean => {
    try {
      disk.link(sign, lock)
      return true
    } catch (cause) {
      if (Disk.codeOf(cause) !== "EEXIST") throw cause
    }
    try {
      if (isDead(lock)) bury(`${sign}.taken`)
    } catch (cause) {
      // Others are at it, too: the next try tells.
      if (!["ENOENT", "EEXIST"].includes(Disk.codeOf(cause) ?? "")) throw cause
    }
    return false
  }

  const release = (sign: string): void => {
    const own = disk.stats(sign)?.identity
    if (own !== undefined && disk.stats(lock)?.identity === own) disk.unlink(lock)
    for (const file of [`${sign}.taken`, sign]) Disk.discard(disk, file)
  }

  const attempt = <A>(run: () => A) =>
    Effect.try({
      try: run,
      catch: (cause) =>
        ToolError.make(
          "refused_edit",
          `The journal that makes edits safe cannot be written to ${journal.folder}: ${Disk.reasonOf(cause)}. Nothing was changed.`
        )
    })

  const wait = Effect.fnUntraced(function* (sign: string) {
    for (let i = 0; i < tries; i++) {
      if (yield* attempt(() => take(sign))) return
      yield* Effect.sleep(pause)
    }
    return yield* ToolError.make(
      "refused_edit",
      `Another process has been editing this directory for a long time; its lock is ${lock}. Nothing was changed.`
    )
  })

  return {
    hold: (self) =>
      Effect.acquireUseRelease(
        attempt(journal.sign),
        (sign) => Effect.andThen(wait(sign), self),
        // What was done is done: a lock that cannot be removed is a matter of the next edit.
        (sign) => attempt(() => release(sign)).pipe(Effect.retry({ times: 3 }), Effect.ignore)
      ),
    isLeft: () => disk.stats(lock) !== undefined && isDead(lock)
  }
}
