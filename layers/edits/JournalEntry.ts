/** What one edit does to the disk, and its form in a file: one line of numbers, a JSON header, the bytes of all texts. */
import { Result, Schema } from "effect"
import * as Crypto from "node:crypto"
import type * as Step from "../../src/edits/Step.ts"

export interface JournalEntry {
  readonly root: string
  /** Part of the names of the temporary files; no other edit has it. */
  readonly token: string
  /** What must lie where before the first step. */
  readonly initial: Step.States
  readonly steps: ReadonlyArray<Step.Step>
  /** For each step the directory of its temporary files. */
  readonly asides: ReadonlyArray<string>
}

/** SHA-256 in hex. */
export const hash = (bytes: Uint8Array): string => Crypto.createHash("sha256").update(bytes).digest("hex")

const StoredFile = Schema.Struct({
  kind: Schema.Literal("file"),
  hash: Schema.String,
  /** Where the bytes begin, after the header. */
  at: Schema.Natural,
  size: Schema.Natural,
  mode: Schema.optionalKey(Schema.Natural),
  owner: Schema.optionalKey(Schema.Tuple([Schema.Natural, Schema.Natural]))
})
const StoredThing = Schema.NullOr(
  Schema.Union([
    StoredFile,
    Schema.Struct({ kind: Schema.Literal("symlink"), target: Schema.String }),
    Schema.Struct({ kind: Schema.Literal("directory"), mode: Schema.optionalKey(Schema.Natural) })
  ])
)
const StoredStep = Schema.Union([
  Schema.Struct({ type: Schema.Literal("move"), from: Schema.String, to: Schema.String }),
  Schema.Struct({
    type: Schema.Literal("set"),
    path: Schema.String,
    before: StoredThing,
    after: StoredThing,
    loose: Schema.optionalKey(Schema.Boolean)
  })
])
const Header = Schema.Struct({
  root: Schema.String,
  token: Schema.String,
  initial: Schema.Array(Schema.Tuple([Schema.String, Schema.String])),
  asides: Schema.Array(Schema.String),
  steps: Schema.Array(StoredStep)
})
const decodeHeader = Schema.decodeUnknownResult(Schema.fromJsonString(Header))

const magic = "livetools-journal-1"

export const encode = (entry: JournalEntry): Uint8Array => {
  const parts: Array<Uint8Array> = []
  let at = 0
  const stored = (thing: Step.Entry | null): typeof StoredThing.Type => {
    if (thing?.kind !== "file") return thing
    const { bytes, ...rest } = thing
    parts.push(bytes)
    at += bytes.length
    return { ...rest, at: at - bytes.length, size: bytes.length }
  }
  const header: typeof Header.Type = {
    root: entry.root,
    token: entry.token,
    initial: [...entry.initial],
    asides: entry.asides,
    steps: entry.steps.map((step) =>
      step.type === "move" ? step : { ...step, before: stored(step.before), after: stored(step.after) }
    )
  }
  const body = Buffer.concat([Buffer.from(JSON.stringify(header)), ...parts])
  return Buffer.concat([Buffer.from(`${magic} ${body.length - at} ${body.length} ${hash(body)}\n`), body])
}

/** Fails with a reason for what `encode` did not make, or what was cut short. */
export const decode = (bytes: Uint8Array): Result.Result<JournalEntry, string> =>
  Result.gen(function* () {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const end = buffer.indexOf("\n")
    const [name, headerSize, size, sum] = buffer.toString("latin1", 0, Math.max(0, end)).split(" ")
    const body = buffer.subarray(end + 1)
    if (name !== magic) return yield* Result.fail("it is not a journal of this version")
    if (body.length !== Number(size) || hash(body) !== sum) return yield* Result.fail("it is cut short or damaged")
    const header = yield* Result.mapError(
      decodeHeader(body.toString("utf8", 0, Number(headerSize))),
      (error) => error.message
    )
    const texts = body.subarray(Number(headerSize))
    const restored = (thing: typeof StoredThing.Type): Step.Entry | null => {
      if (thing?.kind !== "file") return thing
      const { at, size, ...rest } = thing
      return { ...rest, bytes: texts.subarray(at, at + size) }
    }
    return {
      ...header,
      initial: new Map(header.initial),
      steps: header.steps.map((step) =>
        step.type === "move" ? step : { ...step, before: restored(step.before), after: restored(step.after) }
      )
    }
  })
