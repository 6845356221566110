/**
 * The same questions to every real server, each asked when the server has just started and again after every source file was
 * moved down three lines behind its back. Answers are compared by value.
 */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { record } from "../support/table.ts"
import {
  Checkout,
  isInstalled,
  isRequired,
  layer as checkoutLayer,
  type Params,
  type Project,
  type Value
} from "./Checkout.ts"

type Action = Params["action"]

/** A question about a symbol. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly symbol: string
}

/**
 * What the answer must be, places as `path:line`:
 *
 * - `at`: exactly these places, in any order
 * - `nodes`: callers, callees, types as `name path:line`, with ` < line,line` for the calls
 * - `says`: what the hover has in it
 * - `found`: diagnostics as `path:line severity`, with ` code` where it is checked
 * - `titles`: code actions that are among those offered
 * - `names`: symbols as `kind name path:line`, all of them; `some`: among others
 */
export type Expected =
  | "not provided"
  | (Partial<Place> & {
      readonly query?: string
      readonly at?: ReadonlyArray<string>
      readonly nodes?: ReadonlyArray<string>
      readonly says?: ReadonlyArray<string>
      readonly found?: ReadonlyArray<string>
      readonly titles?: ReadonlyArray<string>
      readonly names?: ReadonlyArray<string>
      readonly some?: ReadonlyArray<string>
    })

export interface Spec {
  readonly server: string
  /** What must be installed for it. */
  readonly programs: ReadonlyArray<string>
  readonly project: Project
  /** A symbol to ask about what is not provided. */
  readonly anything: Place
  /** The files that are moved down. */
  readonly moved: ReadonlyArray<string>
  /** By action, with a word after it where an action is asked in two ways. What is not named must not be provided. */
  readonly expected: { readonly [A in Action | `${Action} ${string}`]?: Expected }
}

const questions = [
  "diagnostics",
  "declaration",
  "definition",
  "type_definition",
  "implementation",
  "references",
  "hover",
  "symbols",
  "symbols query",
  "code_actions",
  "incoming_calls",
  "outgoing_calls",
  "supertypes",
  "subtypes"
] as const
const down = 3

/** Moves the lines of a `path:line` text, and those of calls after `<`. A line with `!` stays. */
const shift = (spec: Spec, place: string, by: number): string =>
  !spec.moved.some((file) => place.includes(`${file}:`))
    ? place
    : place
        .replace(/:(\d+)/, (_, line: string) => `:${Number(line) + by}`)
        .replace(":!", ":")
        .replace(
          /(< )([\d,]+)/,
          (_, arrow: string, lines: string) =>
            arrow +
            lines
              .split(",")
              .map((line) => Number(line) + by)
              .join(",")
        )

const params = (spec: Spec, name: string, expected: Exclude<Expected, "not provided">, by: number): Params => {
  const { file, line, query, symbol } = expected
  const [action] = name.split(" ") as [Action]
  return {
    action,
    server: spec.server,
    timeout_seconds: 60,
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line: line + (spec.moved.includes(file ?? "") ? by : 0) }),
    ...(symbol === undefined ? {} : { symbol }),
    ...(query === undefined ? {} : { query })
  }
}

const sorted = (list: ReadonlyArray<string>) => [...list].sort()

const compare = (spec: Spec, expected: Exclude<Expected, "not provided">, value: Value, by: number) => {
  const moved = (list: ReadonlyArray<string>) => sorted(list.map((place) => shift(spec, place, by)))
  if (expected.at !== undefined && "locations" in value) {
    assert.deepStrictEqual(sorted(value.locations.map(({ line, path }) => `${path}:${line}`)), moved(expected.at))
  } else if (expected.nodes !== undefined && "locations" in value) {
    const nodes = value.locations.map(({ line, name, path, sites }) => {
      const calls = sites === undefined || sites.length === 0 ? "" : ` < ${sites.join(",")}`
      return `${name} ${path}:${line}${calls}`
    })
    assert.deepStrictEqual(sorted(nodes), moved(expected.nodes))
  } else if (expected.says !== undefined && "contents" in value) {
    for (const part of expected.says) assert.include(value.contents, part)
  } else if (expected.found !== undefined && "diagnostics" in value) {
    const withCode = expected.found.some((one) => one.split(" ").length > 2)
    const found = value.diagnostics.map(
      ({ code, line, path, severity }) => `${path}:${line} ${severity}${withCode ? ` ${code}` : ""}`
    )
    assert.deepStrictEqual(sorted(found), moved(expected.found))
    assert.isFalse(value.diagnostics.some(({ provisional }) => provisional === true))
  } else if (expected.titles !== undefined && "actions" in value) {
    const titles = value.actions.map(({ title }) => title)
    for (const title of expected.titles) assert.include(titles, title)
  } else if ("symbols" in value) {
    const names = value.symbols.map(({ kind, line, name, path }) => `${kind} ${name} ${path}:${line}`)
    if (expected.names !== undefined) assert.deepStrictEqual(sorted(names), moved(expected.names))
    for (const one of moved(expected.some ?? [])) assert.include(names, one)
  } else assert.fail(`not the value that was expected: ${JSON.stringify(value).slice(0, 500)}`)
}

const ask = Effect.fnUntraced(function* (spec: Spec, action: string, expected: Expected, by: number) {
  const { call, read } = yield* Checkout
  if (expected === "not provided") {
    const file = { file: spec.anything.file }
    const about = action === "symbols query" ? { query: "x" } : action === "symbols" ? file : spec.anything
    const answer = yield* call(params(spec, action, about, by))
    assert.strictEqual(answer.isFailure && answer.code, "not_covered", answer.text)
    assert.include(answer.text, `${spec.server}: not covered`)
    return
  }
  const answer = yield* call(params(spec, action, expected, by))
  if (answer.isFailure) return assert.fail(`${answer.code}: ${answer.text}`)
  compare(spec, expected, answer.value, by)
  // Each place has the text of its line as it is on disk.
  if ("locations" in answer.value) {
    for (const { line, path, text } of answer.value.locations) {
      if (!path.startsWith("/")) assert.strictEqual(text, read(path).split(/\r\n|\n/)[line - 1])
    }
  }
})

export const suite = (spec: Spec): void => {
  const expectations = questions.map((name): [string, Expected] => [name, spec.expected[name] ?? "not provided"])
  const missing = spec.programs.filter((program) => !isInstalled(program))
  if (missing.length > 0) {
    const why = `${missing.join(", ")} is not installed: run .ci/real-servers`
    if (isRequired) it(`${spec.server} is there`, () => assert.fail(why))
    else describe.skip(`${spec.server} (skipped: ${why})`, () => it("answers", () => {}))
    return
  }
  layer(checkoutLayer(spec.project), { excludeTestServices: true, timeout: "60 seconds" })(spec.server, (it) => {
    for (const [action, expected] of expectations) {
      if (expected === "not provided") continue
      it.effect(
        `${action}, when it has just started`,
        () =>
          Effect.gen(function* () {
            const { call } = yield* Checkout
            yield* call({ action: "reload" })
            yield* ask(spec, action, expected, 0)
          }),
        120_000
      )
    }
    it.effect(
      "has its files changed behind its back",
      () =>
        Effect.map(Checkout, ({ read, write }) => {
          for (const file of spec.moved) write(file, "\n".repeat(down) + read(file))
        }),
      10_000
    )
    for (const [action, expected] of expectations) {
      it.effect(
        `${action}, after that`,
        () =>
          Effect.map(ask(spec, action, expected, down), () =>
            record(spec.server, action, expected === "not provided" ? "not provided" : "yes")
          ),
        120_000
      )
    }
  })
}
