import { assert, describe, it } from "@effect/vitest"
import * as Framing from "../../../src/wire/Framing.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const join = (...parts: ReadonlyArray<Uint8Array>) => Uint8Array.from(parts.flatMap((part) => [...part]))

const decodeAll = (chunks: Iterable<Uint8Array>, limits?: Framing.Limits) => {
  const decoder = Framing.decoder(limits)
  return [...chunks].flatMap((chunk) => decoder.push(chunk))
}

const bodies = (frames: ReadonlyArray<Framing.Frame>) =>
  frames.flatMap((frame) => (frame._tag === "Body" ? [frame.text] : []))

const odd = `{"a":"é世😀µs"}`

function* inChunks(whole: Uint8Array, size: number) {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size)
}

describe("Framing", () => {
  it("C1 counts bytes of UTF-8, out and in", () => {
    const encoded = Framing.encode(odd)
    assert.strictEqual(Buffer.from(encoded).toString("utf8"), `Content-Length: ${Buffer.byteLength(odd)}\r\n\r\n${odd}`)
    assert.deepStrictEqual(bodies(decodeAll([join(encoded, Framing.encode(`{"b":1}`))])), [odd, `{"b":1}`])
  })

  it("C1 counts half of a surrogate pair as what it is written as", () => {
    for (const text of ["\ud83d", "a\udc00b", "😀\ud83d", "\ud83d\ud83d\ude00"]) {
      assert.strictEqual(Framing.utf8Length(text), Buffer.byteLength(text), JSON.stringify(text))
      assert.lengthOf(bodies(decodeAll([Framing.encode(JSON.stringify(text))])), 1)
    }
  })

  it("C2 names of fields have no case, their order is free, the type is not read", () => {
    const body = bytes(odd)
    const headers = [
      `content-length: ${body.length}\r\n\r\n`,
      `Content-Type: application/vscode-jsonrpc; charset=utf8\r\nCONTENT-LENGTH:${body.length}\r\n\r\n`,
      `Content-Length: ${body.length}\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n`
    ]
    assert.deepStrictEqual(
      decodeAll(headers.map((header) => join(bytes(header), body))),
      headers.map(() => ({ _tag: "Body", text: odd }))
    )
  })

  it("C3 takes messages split at every byte, and many in one chunk", () => {
    const three = join(Framing.encode(odd), Framing.encode("{}"), Framing.encode(odd))
    for (let size = 1; size <= three.length; size++) {
      assert.deepStrictEqual(bodies(decodeAll(inChunks(three, size))), [odd, "{}", odd], `in chunks of ${size}`)
    }
    const many = Buffer.concat(Array.from({ length: 1000 }, () => Framing.encode(odd)))
    assert.deepStrictEqual(
      bodies(decodeAll([many])),
      Array.from({ length: 1000 }, () => odd)
    )
  })

  it("C3 takes an empty body", () => {
    assert.deepStrictEqual(bodies(decodeAll([bytes("Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}")])), [
      "",
      "{}"
    ])
  })

  it("C4 takes time linear in the bytes", () => {
    const time = (size: number, chunk: number) => {
      const whole = Framing.encode("x".repeat(size))
      const start = performance.now()
      assert.strictEqual(bodies(decodeAll(inChunks(whole, chunk)))[0]?.length, size)
      return performance.now() - start
    }
    time(1_000_000, 65_536)
    assert.isBelow(time(20_000_000, 65_536), 1000)
    // A quadratic one would take 16 times as long, and seconds.
    const [small, large] = [time(250_000, 16), time(1_000_000, 16)]
    assert.isBelow(large, Math.max(small * 10, 300))
  })

  it("C14 finds the next header after junk, and says what it skipped", () => {
    const message = Buffer.from(Framing.encode(odd)).toString()
    const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
      [`Starting up…\n${message}`, ["Starting up…\n"]],
      [`Starting up…\r\n${message}`, ["Starting up…"]],
      [`one\r\n\r\ntwo\r\n${message}`, ["one", "two"]],
      [`Debug: yes it looks like a field\n${message}`, ["Debug: yes it looks like a field\n"]],
      [`Content-Length: 5\r\nContent-Length: ${Buffer.byteLength(odd)}\r\n\r\n${odd}`, []]
    ]
    for (const [text, junk] of cases) {
      for (const size of [1, 7, 10_000]) {
        const frames = decodeAll(inChunks(bytes(text), size))
        assert.deepStrictEqual(bodies(frames), [odd], text)
        assert.deepStrictEqual(
          frames.flatMap((frame) => (frame._tag === "Junk" ? [frame.text] : [])),
          junk
        )
      }
    }
  })

  it("C14 gives up, with a reason, on a stream that is not one of messages", () => {
    const limits = { junkBytes: 1000, bodyBytes: 1000 }
    const endless = decodeAll(
      Array.from({ length: 50 }, () => bytes("no header here ".repeat(10))),
      limits
    )
    assert.deepStrictEqual(endless, [{ _tag: "Broken", reason: "1050 bytes came without a Content-Length header" }])
    const blocks = decodeAll(
      Array.from({ length: 500 }, () => bytes("xyz\r\n\r\n")),
      limits
    )
    assert.strictEqual(blocks.at(-1)?._tag, "Broken")
    const huge = decodeAll([bytes("Content-Length: 99999999999\r\n\r\n")], limits)
    assert.deepStrictEqual(huge, [
      { _tag: "Broken", reason: "a message of 99999999999 bytes is announced, more than 1000" }
    ])
  })
})
