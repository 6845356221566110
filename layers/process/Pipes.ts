/** The host's ends of the pipes of a child. */
import type { Readable, Writable } from "node:stream"
import { Array, Cause, Effect, type Pull, Semaphore, Stream } from "effect"
import { type Input, PipeClosed } from "../../src/Processes.ts"

/** What the child writes. A child that nobody reads is paused by the full pipe: we buffer one high-water mark at most. */
export const reader = (readable: Readable): Stream.Stream<Uint8Array> => {
  let wake: (() => void) | undefined
  // These listeners stay: without one, Node throws away what is unread when the child exits.
  for (const event of ["readable", "end", "close", "error"]) readable.on(event, () => wake?.())
  const ready = Effect.callback<void>((resume) => {
    const mine = () => resume(Effect.void)
    wake = mine
    return Effect.sync(() => {
      if (wake === mine) wake = undefined
    })
  })
  const pull = Effect.suspend(function next(): Pull.Pull<Array.NonEmptyReadonlyArray<Uint8Array>> {
    const chunk: Uint8Array | null = readable.read()
    if (chunk !== null) return Effect.succeed(Array.of(chunk))
    return readable.readableEnded || readable.destroyed ? Cause.done() : Effect.andThen(ready, Effect.suspend(next))
  })
  return Stream.fromPull(Effect.succeed(pull))
}

/** What the child reads. `closed` says why it cannot be written to. */
export const writer = (writable: Writable, closed: () => string): Input => {
  writable.on("error", () => {})
  const lock = Semaphore.makeUnsafe(1)
  let unflushed = 0
  let wake: (() => void) | undefined
  const flushed = Effect.callback<void>((resume) => {
    if (unflushed === 0) return resume(Effect.void)
    wake = () => resume(Effect.void)
    return undefined
  })
  const send = (chunk: Uint8Array) =>
    Effect.callback<void, PipeClosed>((resume) => {
      const fail = () => resume(Effect.fail(new PipeClosed({ message: closed() })))
      if (!writable.writable) return fail()
      unflushed++
      writable.write(chunk, (error) => {
        unflushed--
        wake?.()
        if (error) fail()
        else resume(Effect.void)
      })
    })
  return {
    // An interrupted write leaves its chunk to Node, so the next waits for it: there is never more than one.
    write: (chunk) => lock.withPermit(Effect.andThen(flushed, send(chunk))),
    end: Effect.sync(() => {
      writable.end()
    })
  }
}

/** An input that was closed from the start. */
export const noWriter = (why: string): Input => ({
  write: () => Effect.fail(new PipeClosed({ message: why })),
  end: Effect.void
})

/** The last bytes of what was written, in a ring of fixed size. */
export interface Tail {
  readonly push: (chunk: Uint8Array) => void
  readonly text: () => string
}

export const tail = (capacity: number): Tail => {
  let ring = new Uint8Array(0)
  let total = 0
  const grow = (size: number) => {
    if (size <= ring.length || ring.length === capacity) return
    const larger = new Uint8Array(Math.min(capacity, Math.max(size, ring.length * 2)))
    larger.set(ring)
    ring = larger
  }
  return {
    push: (chunk) => {
      grow(total + chunk.length)
      let rest = chunk.subarray(Math.max(0, chunk.length - ring.length))
      let at = total + chunk.length - rest.length
      total += chunk.length
      while (rest.length > 0) {
        const offset = at % ring.length
        const part = rest.subarray(0, ring.length - offset)
        ring.set(part, offset)
        at += part.length
        rest = rest.subarray(part.length)
      }
    },
    text: () => {
      const split = total > ring.length ? total % ring.length : 0
      const length = Math.min(total, ring.length)
      const bytes = Buffer.concat([ring.subarray(split, length), ring.subarray(0, split)])
      // Where the beginning was cut off, it may be in the middle of a character.
      const whole = total > length ? bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80) : 0
      return bytes.toString("utf8", Math.max(0, whole))
    }
  }
}
