/** The shared cases: searches, and fragments through the ladder. */
import { describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { compile, grammars, search } from "../../support/languages.ts"

interface Case {
  readonly id: string
  readonly language: string
  readonly source: string
  readonly pattern: string
  readonly expected_matches: ReadonlyArray<Expected>
  readonly spec_expected_matches?: ReadonlyArray<Expected>
  readonly spec_unparseable?: boolean | string
}

interface Expected {
  readonly text: string
  readonly start_line: number
  readonly captures: { readonly [name: string]: string | ReadonlyArray<string> }
}

/** Cases whose written answer is not the right one, the answer that is, and why. */
const corrected: {
  readonly [id: string]: { readonly matches: ReadonlyArray<Expected> | "unparseable"; readonly why: string }
} = {
  "ellipsis-javascript-06": {
    why: "the second run has both arguments (README of the cases)",
    matches: [
      { text: "foo(1)", start_line: 1, captures: { A: [], B: ["1"] } },
      { text: "foo(1, 2)", start_line: 2, captures: { A: [], B: ["1", "2"] } },
      { text: "foo(1, 2, 3)", start_line: 3, captures: { A: [], B: ["1", "2", "3"] } }
    ]
  },
  "ellipsis-javascript-12": {
    why: "a run alone is an error, as in ast-grep, which exits with 8",
    matches: "unparseable"
  },
  "context-dart-01": {
    why: "a Dart call is a run of siblings (SPEC §5.5), so the statement's semicolon is not part of it",
    matches: [
      { text: "print(1)", start_line: 2, captures: { A: "1" } },
      { text: 'print("x")', start_line: 3, captures: { A: '"x"' } }
    ]
  },
  "context-python-01": {
    why: "Python's ladder has an except context (guide §2.6, SPEC §5.4)",
    matches: [{ text: "except ValueError: b()", start_line: 3, captures: { E: "ValueError", B: ["b()"] } }]
  },
  "context-python-02": {
    why: "Python's ladder has a decorator context (ladder-open.json reads it so)",
    matches: [{ text: "@property", start_line: 2, captures: {} }]
  },
  "context-typescript-07": {
    why: "named siblings are never ignored (SPEC §5.5): the second field has a value that the pattern lacks",
    matches: [{ text: "@Input() a", start_line: 1, captures: { F: "a" } }]
  }
}

const read = (name: string) => readFileSync(new URL(`../../cases/${name}`, import.meta.url), "utf8")

const cases = read("structural-open.jsonl")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case)

describe("structural-open.jsonl", () => {
  for (const { expected_matches, id, language, pattern, source, spec_expected_matches, spec_unparseable } of cases) {
    if (grammars.named(language) === undefined) continue
    const correction = corrected[id]
    const expected =
      correction?.matches ?? (spec_unparseable === true ? "unparseable" : (spec_expected_matches ?? expected_matches))
    it(correction === undefined ? id : `${id}: ${correction.why}`, () => {
      if (expected === "unparseable") {
        expect(compile(language, pattern)).toHaveProperty("reason")
        return
      }
      expect(search(language, source, pattern)).toEqual(
        expected.map(({ captures, start_line, text }) => ({ text, start_line, captures }))
      )
    })
  }
})

interface Fragment {
  readonly lang: string
  readonly frag: string
  readonly acc: { readonly name: string; readonly run: ReadonlyArray<string> } | null
}

/** Fragments that the measured ladder refused and that a grammar's spellings or contexts now read. */
const accepted = new Set(["import $X", "List<$T>", "class $C < $B\n  $$$M\nend", "for $X in $Y; do $$$B; done"])

describe("ladder-open.json", () => {
  for (const { acc, frag, lang } of JSON.parse(read("ladder-open.json")) as ReadonlyArray<Fragment>) {
    if (grammars.named(lang) === undefined) continue
    const isRefused = acc === null && !accepted.has(frag)
    it(`${lang} ${isRefused ? "refuses" : "reads"} ${JSON.stringify(frag)}`, () => {
      expect("reason" in compile(lang, frag)).toBe(isRefused)
    })
  }
})
