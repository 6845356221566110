/**
 * Every action of `lsp` on three real projects, through `livetools serve`, each answer compared with what stands in the sources;
 * and nothing is left when the host is killed.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Leftovers from "../../support/Leftovers.ts"
import { isInstalled, isRequired, type Params, type Value } from "./Checkout.ts"
import * as Projects from "../support/projects.ts"

type Where = readonly [file: string, text: string]

/** A question about a symbol on the one line that has a text in it. */
interface Question {
  readonly action: Params["action"]
  readonly at: Where
  readonly symbol: string
}

type Case =
  /** Exactly these places, each the one line that has a text in it. */
  | (Question & { readonly places: ReadonlyArray<Where> })
  /** Every line of these files with that word in it, comments apart, and no other. */
  | (Question & { readonly word: RegExp; readonly files: RegExp; readonly comment: RegExp })
  /** Callers, callees, types of the project itself: the name, where it is, and how many calls there are. */
  | (Question & { readonly nodes: ReadonlyArray<readonly [name: string, at: Where, calls?: number]> })
  | (Question & { readonly says: ReadonlyArray<string> })
  | (Question & { readonly titles: ReadonlyArray<string> })
  | (Question & { readonly isProvided: false })

interface Spec {
  readonly project: Projects.Project
  readonly cases: ReadonlyArray<Case>
  /** The outline of a file: all that is at its top, in order. */
  readonly outline: { readonly file: string; readonly top: ReadonlyArray<string> }
  readonly search: { readonly query: string; readonly found: ReadonlyArray<Where> }
  /** What the whole project has, as `path:line code`; `one` is one of its files, `more` what only the server looks for. */
  readonly diagnostics: {
    readonly glob: string
    readonly one: string
    readonly checkers: ReadonlyArray<string>
    readonly all: ReadonlyArray<string>
    readonly more?: ReadonlyArray<string>
  }
}

const question = (action: Params["action"], file: string, text: string, symbol: string): Question => ({
  action,
  at: [file, text],
  symbol
})

const specs: ReadonlyArray<Spec> = [
  {
    project: Projects.typescript,
    cases: [
      {
        ...question("definition", "src/state/selection.ts", "import {ReplaceStep,", "ReplaceAroundStep"),
        places: [["src/transform/replace_step.ts", "export class ReplaceAroundStep"]]
      },
      {
        ...question("declaration", "src/transform/step.ts", "export class StepResult", "StepResult"),
        isProvided: false
      },
      {
        ...question("type_definition", "src/transform/step.ts", "return StepResult.ok(doc.replace(", "doc"),
        places: [["src/model/node.ts", "export class Node {"]]
      },
      {
        ...question("implementation", "src/transform/step.ts", "abstract apply(doc: Node)", "apply"),
        word: /^ {2}apply\(doc: Node\) \{/,
        files: /_step\.ts$/,
        comment: /\/\/\//
      },
      {
        ...question("references", "src/transform/step.ts", "export class StepResult", "StepResult"),
        word: /\bStepResult\b/,
        files: /\.ts$/,
        comment: /\/\/\//
      },
      {
        ...question(
          "hover",
          "src/transform/map.ts",
          "mapResult: (pos: number, assoc?: number) => MapResult",
          "mapResult"
        ),
        says: ["Mappable.mapResult: (pos: number, assoc?: number) => MapResult"]
      },
      {
        ...question("code_actions", "src/state/plugin.ts", "import {type EditorView", "EditorView"),
        titles: []
      },
      {
        ...question("incoming_calls", "src/model/comparedeep.ts", "export function compareDeep", "compareDeep"),
        nodes: [
          ["compareDeep", ["src/model/comparedeep.ts", "export function compareDeep"], 2],
          ["eq", ["src/model/mark.ts", "  eq(other: Mark) {"], 1],
          ["hasMarkup", ["src/model/node.ts", "  hasMarkup("], 1]
        ]
      },
      {
        ...question("outgoing_calls", "src/model/mark.ts", "static fromJSON(schema: Schema, json: any) {", "fromJSON"),
        nodes: [
          ["create", ["src/model/schema.ts", "  create(attrs: Attrs | null = null) {"], 1],
          [
            "checkAttrs",
            ["src/model/schema.ts", '  checkAttrs(attrs: Attrs) {\n    checkAttrs(this.attrs, attrs, "mark"'],
            1
          ]
        ]
      },
      {
        ...question("supertypes", "src/transform/step.ts", "export class StepResult", "StepResult"),
        isProvided: false
      },
      { ...question("subtypes", "src/transform/step.ts", "export class StepResult", "StepResult"), isProvided: false }
    ],
    outline: {
      file: "src/transform/step.ts",
      top: ["ReplaceError", "Schema", "Slice", "Node", "StepMap", "Mappable", "stepsByID", "Step", "StepResult"]
    },
    search: { query: "StepResult", found: [["src/transform/step.ts", "export class StepResult"]] },
    diagnostics: {
      glob: "src/**/*.ts",
      one: "src/state/plugin.ts",
      checkers: ["tsc found"],
      all: ["src/state/plugin.ts:1 2307", "src/state/transaction.ts:3 2307"]
    }
  },
  {
    project: Projects.python,
    cases: [
      {
        ...question("definition", "packaging/requirements.py", "self.specifier: SpecifierSet =", "SpecifierSet#2"),
        places: [["packaging/specifiers.py", "class SpecifierSet(BaseSpecifier):"]]
      },
      {
        ...question("declaration", "packaging/requirements.py", "import parse_requirement as", "parse_requirement"),
        places: [["packaging/_parser.py", "def parse_requirement(source: str) -> ParsedRequirement:"]]
      },
      {
        ...question("type_definition", "packaging/requirements.py", "self.marker._markers =", "marker"),
        places: [["packaging/markers.py", "class Marker:"]]
      },
      {
        ...question("implementation", "packaging/specifiers.py", "class BaseSpecifier(", "BaseSpecifier"),
        isProvided: false
      },
      {
        ...question("references", "packaging/utils.py", "def canonicalize_name(", "canonicalize_name"),
        word: /\bcanonicalize_name\b/,
        files: /\.py$/,
        comment: /:func:/
      },
      {
        ...question("hover", "packaging/utils.py", "def is_normalized_name(", "is_normalized_name"),
        says: ["def is_normalized_name(name: str) -> bool"]
      },
      {
        ...question("code_actions", "packaging/utils.py", "def is_normalized_name(", "is_normalized_name"),
        titles: []
      },
      {
        ...question("incoming_calls", "packaging/utils.py", "def is_normalized_name(", "is_normalized_name"),
        nodes: []
      },
      {
        ...question("incoming_calls", "packaging/version.py", "def _parse_letter_version(", "_parse_letter_version"),
        nodes: [["__init__", ["packaging/version.py", "def __init__(self, version: str) -> None:"], 3]]
      },
      {
        ...question("outgoing_calls", "packaging/utils.py", "def parse_sdist_filename(", "parse_sdist_filename"),
        nodes: [
          ["InvalidSdistFilename", ["packaging/utils.py", "class InvalidSdistFilename("], 3],
          ["canonicalize_name", ["packaging/utils.py", "def canonicalize_name("], 1],
          ["Version", ["packaging/version.py", "class Version(_BaseVersion):"], 1]
        ]
      },
      {
        ...question("supertypes", "packaging/specifiers.py", "class BaseSpecifier(", "BaseSpecifier"),
        isProvided: false
      },
      { ...question("subtypes", "packaging/specifiers.py", "class BaseSpecifier(", "BaseSpecifier"), isProvided: false }
    ],
    outline: { file: "packaging/requirements.py", top: ["InvalidRequirement", "Requirement"] },
    search: { query: "canonicalize_name", found: [["packaging/utils.py", "def canonicalize_name("]] },
    diagnostics: {
      glob: "packaging/*.py",
      one: "packaging/_manylinux.py",
      checkers: ["pyright found"],
      all: [
        ...[191, 197, 200, 203].map((line) => `packaging/_manylinux.py:${line} reportAttributeAccessIssue`),
        "packaging/_parser.py:270 reportArgumentType",
        ...[163, 163, 232, 232, 232, 232, 234, 234, 234, 234, 235, 235, 235, 235].map(
          (line) => `packaging/markers.py:${line} reportAttributeAccessIssue`
        ),
        "packaging/markers.py:239 reportArgumentType",
        ...[622, 645, 737].map((line) => `packaging/metadata.py:${line} reportPossiblyUnboundVariable`),
        "packaging/tags.py:498 reportOptionalMemberAccess",
        "packaging/tags.py:566 reportArgumentType"
      ]
    }
  },
  {
    project: Projects.go,
    cases: [
      {
        ...question("definition", "module/module.go", "m := semver.Major(v)", "Major"),
        places: [["semver/semver.go", "func Major(v string) string {"]]
      },
      { ...question("declaration", "module/module.go", "m := semver.Major(v)", "Major"), isProvided: false },
      {
        ...question("type_definition", "module/module.go", "var mErr *ModuleError", "mErr"),
        places: [["module/module.go", "type ModuleError struct {"]]
      },
      {
        ...question("implementation", "modfile/read.go", "type Expr interface {", "Expr"),
        places: ["FileSyntax", "CommentBlock", "Line", "LineBlock", "LParen", "RParen"].map((name) => [
          "modfile/read.go",
          `type ${name} struct {`
        ])
      },
      {
        ...question("references", "semver/semver.go", "func Major(v string) string {", "Major"),
        word: /\bMajor\(/,
        files: /\.go$/,
        comment: /\/\/|TestMajor|\bt\.Errorf/
      },
      {
        ...question("hover", "module/module.go", "m := semver.Major(v)", "Major"),
        says: ["func semver.Major(v string) string", "returns the major version prefix of the semantic version v"]
      },
      {
        ...question("code_actions", "semver/semver.go", "func Major(v string) string {", "Major"),
        titles: ["Add test for Major", "Extract declarations to new file"]
      },
      {
        ...question("incoming_calls", "semver/semver.go", "func comparePrerelease(", "comparePrerelease"),
        nodes: [["Compare", ["semver/semver.go", "func Compare(v, w string) int {"], 1]]
      },
      {
        ...question("outgoing_calls", "semver/semver.go", "func Compare(v, w string) int {", "Compare"),
        nodes: [
          ["parse", ["semver/semver.go", "func parse(v string)"], 2],
          ["compareInt", ["semver/semver.go", "func compareInt("], 3],
          ["comparePrerelease", ["semver/semver.go", "func comparePrerelease("], 1]
        ]
      },
      {
        ...question("supertypes", "modfile/read.go", "type LParen struct {", "LParen"),
        nodes: [["Expr", ["modfile/read.go", "type Expr interface {"]]]
      },
      {
        ...question("subtypes", "modfile/read.go", "type Expr interface {", "Expr"),
        nodes: ["FileSyntax", "CommentBlock", "Line", "LineBlock", "LParen", "RParen"].map((name) => [
          name,
          ["modfile/read.go", `type ${name} struct {`]
        ])
      }
    ],
    outline: {
      file: "internal/lazyregexp/lazyre.go",
      top: [
        "Regexp",
        ...[
          "re",
          "build",
          "FindSubmatch",
          "FindStringSubmatch",
          "FindStringSubmatchIndex",
          "ReplaceAllString",
          "FindString",
          "FindAllString",
          "MatchString",
          "SubexpNames"
        ].map((name) => `(*Regexp).${name}`),
        "inTest",
        "New"
      ]
    },
    search: {
      query: "MajorMinor",
      found: [
        ["semver/semver.go", "func MajorMinor("],
        ["semver/semver_test.go", "func TestMajorMinor("]
      ]
    },
    diagnostics: {
      glob: "**/*.go",
      one: "module/module.go",
      checkers: ["go build empty", "go vet empty"],
      all: [],
      // Its analyser `nilness` is none of those of `go vet`.
      more: ["modfile/work_test.go:475 cond"]
    }
  }
]

const sorted = (list: Iterable<string>) => [...list].sort()

for (const spec of specs) {
  const missing = spec.project.programs.filter((program) => !isInstalled(program))
  const why = `${missing.join(", ")} is not installed: run .ci/real-servers`
  if (missing.length > 0) {
    if (isRequired) it(`${spec.project.name} has its server`, () => assert.fail(why))
    else describe.skip(`${spec.project.name} (skipped: ${why})`, () => it("answers", () => {}))
    continue
  }
  describe(spec.project.name, () => {
    let opened: Projects.Opened
    beforeAll(async () => {
      opened = await Projects.open(spec.project)
    })
    // It was killed by the last test.
    afterAll(() => opened.remove())

    const ask = async (params: Params): Promise<Value> => {
      const answer = await opened.call("lsp", { timeout_seconds: 100, server: spec.project.server, ...params })
      if (answer.isFailure) assert.fail(`${answer.code}: ${answer.text}`)
      return answer.value as Value
    }
    /** A text of several lines stands for its first. */
    const place = ([file, text]: Where): string => {
      const at = opened.read(file).indexOf(text)
      if (text.includes("\n")) return `${file}:${opened.read(file).slice(0, at).split("\n").length}`
      return `${file}:${opened.line(file, text)}`
    }
    const diagnosticsOf = (value: Value): ReadonlyArray<string> => {
      if (!("diagnostics" in value)) return assert.fail(JSON.stringify(value))
      return sorted(
        value.diagnostics.map(
          ({ code, line, path, provisional }) => `${path}:${line} ${code}${provisional === true ? " provisional" : ""}`
        )
      )
    }

    for (const [index, one] of spec.cases.entries()) {
      it(`${one.action} of ${one.symbol} (${index + 1})`, async () => {
        const params = {
          action: one.action,
          file: one.at[0],
          line: opened.line(one.at[0], one.at[1]),
          symbol: one.symbol
        }
        if ("isProvided" in one) {
          const answer = await opened.call("lsp", params)
          assert.strictEqual(answer.code, "not_covered")
          assert.include(answer.text, `${spec.project.server}: not covered: the server does not provide ${one.action}`)
          return
        }
        const value = await ask(params)
        if ("says" in one && "contents" in value) {
          for (const text of one.says) assert.include(value.contents, text)
        } else if ("titles" in one && "actions" in value) {
          const titles = value.actions.map(({ title }) => title)
          assert.deepStrictEqual(
            one.titles.filter((title) => !titles.includes(title)),
            []
          )
          if (one.titles.length === 0) assert.deepStrictEqual(titles, [])
        } else if ("locations" in value) {
          const found = value.locations.map(({ line, path }) => `${path}:${line}`)
          for (const { line, path, text } of value.locations) {
            if (!path.startsWith("/")) assert.strictEqual(text, opened.read(path).split("\n")[line - 1])
          }
          if ("places" in one) assert.deepStrictEqual(sorted(found), sorted(one.places.map(place)))
          else if ("word" in one) {
            const lines = opened
              .files()
              .filter((file) => one.files.test(file))
              .flatMap((file) =>
                opened
                  .read(file)
                  .split("\n")
                  .flatMap((line, i) => (one.word.test(line) && !one.comment.test(line) ? [`${file}:${i + 1}`] : []))
              )
            assert.isAbove(lines.length, 0)
            assert.deepStrictEqual(sorted(new Set(found)), sorted(lines))
          } else if ("nodes" in one) {
            const nodes = value.locations
              .filter(({ path }) => !path.startsWith("/"))
              .map(({ line, name, path, sites }) => `${name} ${path}:${line} ${sites?.length ?? 0}`)
            assert.deepStrictEqual(
              sorted(nodes),
              sorted(one.nodes.map(([name, at, calls = 0]) => `${name} ${place(at)} ${calls}`))
            )
          } else assert.fail(JSON.stringify(value))
        } else assert.fail(JSON.stringify(value))
      })
    }

    it("symbols of a file, and of the project", async () => {
      const outline = await ask({ action: "symbols", file: spec.outline.file })
      const search = await ask({ action: "symbols", query: spec.search.query })
      if (!("symbols" in outline) || !("symbols" in search)) return assert.fail()
      const top = outline.symbols.filter(({ depth }) => depth === 0).map(({ name }) => name)
      assert.deepStrictEqual(top, spec.outline.top)
      for (const { line, name } of outline.symbols) {
        const text = opened.read(spec.outline.file).split("\n")[line - 1]
        assert.include(text, name.split(".").at(-1)!)
      }
      assert.deepStrictEqual(
        sorted(search.symbols.map(({ line, path }) => `${path}:${line}`)),
        sorted(spec.search.found.map(place))
      )
    })

    it("diagnostics of a file, of a glob, and by the project's own checker", async () => {
      const { all, checkers, glob, more = [], one } = spec.diagnostics
      const own = all.filter((each) => each.startsWith(`${one}:`))
      assert.deepStrictEqual(diagnosticsOf(await ask({ action: "diagnostics", file: one })), sorted(own))
      assert.deepStrictEqual(diagnosticsOf(await ask({ action: "diagnostics", file: glob })), sorted([...all, ...more]))
      const answer = await opened.call("lsp", { action: "diagnostics", file: "*", timeout_seconds: 100 })
      const value = answer.value as Value
      const known = more.map((each) => `${each} provisional`)
      assert.deepStrictEqual(diagnosticsOf(value), sorted([...all, ...known]), answer.text)
      if (!("checkers" in value)) return assert.fail(answer.text)
      assert.deepStrictEqual(
        value.checkers?.map(({ id, outcome }) => `${id} ${outcome}`),
        checkers
      )
    })

    it("status, reload; and a SIGKILL of the host leaves no server", async () => {
      const pidOf = (value: Value): number => {
        if (!("servers" in value)) return assert.fail(JSON.stringify(value))
        const own = value.servers.flatMap((one) => ("pid" in one && one.state === "running" ? [one.pid ?? 0] : []))
        assert.lengthOf(own, 1)
        assert.isTrue(Leftovers.isRunning(own[0]!))
        return own[0]!
      }
      const before = pidOf(await ask({ action: "status" }))
      const answer = await opened.call("lsp", { action: "reload", server: spec.project.server })
      const after = pidOf(answer.value as Value)
      assert.notStrictEqual(after, before)
      assert.isFalse(Leftovers.isRunning(before))
      const pids = [...Leftovers.tree(opened.served.pid)]
      assert.include(pids, after)
      opened.served.kill("SIGKILL")
      await Effect.runPromise(Leftovers.expectNone(opened.runId, { pids, within: "10 seconds" }))
    })
  })
}
