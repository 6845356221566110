/** Tables of searches and rewrites in one language, with their results by value. */
import { expect, it } from "@effect/vitest"
import { type Found, readings, rewrite } from "./languages.ts"

type Search = { readonly pattern: string } & (
  | {
      /** The context of the first reading, which finds it. */
      readonly as: string
      /** Lines, 1-based, and captures. */
      readonly found: ReadonlyArray<readonly [line: number, captures: Found["captures"]]>
    }
  /** Why it finds nothing, in any reading. */
  | { readonly none: string }
)

interface Rewriting {
  readonly pattern: string
  readonly template: string
  /** The lines that it changes, 1-based, as they are then. */
  readonly lines: ReadonlyArray<readonly [line: number, text: string]>
}

export const table = (
  language: string,
  source: string,
  { rewrites, searches }: { readonly searches: ReadonlyArray<Search>; readonly rewrites: ReadonlyArray<Rewriting> }
): void => {
  for (const search of searches) {
    const name = JSON.stringify(search.pattern)
    it("none" in search ? `does not find ${name}: ${search.none}` : `finds ${name}`, () => {
      const all = readings(language, source, search.pattern)
      if ("none" in search) expect(all.flatMap(({ matches }) => matches)).toEqual([])
      else {
        expect(all[0]!.context).toBe(search.as)
        expect(all[0]!.matches.map(({ captures, start_line }) => [start_line, captures])).toEqual(search.found)
      }
    })
  }
  for (const { lines, pattern, template } of rewrites) {
    it(`rewrites ${JSON.stringify(pattern)} to ${JSON.stringify(template)}`, () => {
      const expected = source.split("\n")
      for (const [line, text] of lines) expected[line - 1] = text
      expect(rewrite(language, source, pattern, template)).toMatchObject({
        output: expected.join("\n"),
        errors: { before: 0, after: 0 }
      })
    })
  }
}
