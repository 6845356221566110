/**
 * Diagnostics on write in sessions of 30 edits on three real projects, through `livetools serve`: each answer is what the project's
 * own checker makes of the edit (SPEC §3a).
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { isInstalled, isRequired } from "./Checkout.ts"
import * as Projects from "../support/projects.ts"
import {
  type Check,
  edit,
  type Finding,
  finding,
  output,
  patch,
  play,
  rename,
  type Step,
  write
} from "../support/session.ts"

const time = 900_000

const each =
  (check: (root: string) => ReadonlyArray<Finding>): Check =>
  (roots) =>
    roots.map(check)

const tsc = each((root) => {
  const said = output(root, "tsc", "-p", ".", "--pretty", "false")
  const found = said.matchAll(/^([^\s(][^(\n]*)\((\d+),\d+\): error TS(\d+): (.*(?:\n[ \t]+.*)*)/gm)
  return Array.from(found, ([, path = "", line, code = "", message = ""]) => finding(path, Number(line), code, message))
})

const above = (text: string) => (all: string) => `${text}\n${all}`
const instead = (from: string, to: string) => (text: string) => {
  assert.include(text, from)
  return text.replace(from, to)
}

const ofTypeScript: ReadonlyArray<Step> = [
  edit(
    "a function needs one more argument",
    "src/transform/step.ts",
    "static fail(message: string) {",
    "static fail(message: string, code: number) {"
  ),
  write("everything moves down", "src/transform/step.ts", above("// One.\n// Two.\n// Three.")),
  edit(
    "a call is mended, the others are not",
    "src/transform/attr_step.ts",
    `StepResult.fail("No node at attribute step's position")`,
    `StepResult.fail("No node at attribute step's position", 1)`
  ),
  edit(
    "and one that was right is broken",
    "src/transform/attr_step.ts",
    `return StepResult.ok(updated)`,
    `return StepResult.ok(updated, 1)`
  ),
  { what: "that is taken back", undo: "and one that was right is broken" },
  edit("the argument is optional", "src/transform/step.ts", "code: number) {", "code = 0) {"),
  edit("a return type", "src/model/mark.ts", "  eq(other: Mark) {", "  eq(other: Mark): string {"),
  write(
    "the same error twice",
    "src/model/mark.ts",
    instead("  /// Test whether this mark is in", "  bad: string = 1\n  /// Test whether this mark is in")
  ),
  write("and three times", "src/model/mark.ts", instead("  bad: string = 1", "  bad: string = 1\n  worse: string = 1")),
  { what: "the third is taken back", undo: "and three times" },
  { what: "and the second", undo: "the same error twice" },
  { what: "and the first", undo: "a return type" },
  write(
    "a new file with errors",
    "src/extra/new.ts",
    () =>
      'import {Fragment, Nothing} from "prosemirror-model"\nexport const size: string = Fragment.empty.size\nexport const n: number = "n"\n'
  ),
  write(
    "one of them is mended, another is made twice",
    "src/extra/new.ts",
    () =>
      'import {Fragment, Nothing} from "prosemirror-model"\nexport const size = Fragment.empty.size\nexport const n: number = "n"\nexport const m: number = "n"\n'
  ),
  patch("the new file is deleted", "*** Delete File: src/extra/new.ts"),
  rename("a class is renamed", "src/transform/step.ts", "export class StepResult {", "StepResult", "StepOutcome"),
  { what: "and back", undo: "a class is renamed" },
  rename("to a name that is taken", "src/transform/step.ts", "export class StepResult {", "StepResult", "stepsByID"),
  { what: "and back again", undo: "to a name that is taken" },
  {
    what: "a file is moved",
    tool: "lsp_rename_file",
    params: { from: "src/model/comparedeep.ts", to: "src/model/deep/compare.ts" }
  },
  edit("its export goes", "src/model/deep/compare.ts", "export function compareDeep", "function compareDeep"),
  { what: "and comes back", undo: "its export goes" },
  { what: "somebody breaks a file", behind: "src/model/diff.ts", change: above("export const broken: string = 1") },
  write("what was broken before is not of this edit", "src/model/diff.ts", above("export const other: string = true")),
  write("both are mended", "src/model/diff.ts", (text) => text.split("\n").slice(2).join("\n")),
  patch(
    "two files at once",
    "*** Update File: src/state/selection.ts",
    "@@ export class SelectionRange {",
    "-    readonly $from: ResolvedPos,",
    "+    readonly $start: ResolvedPos,",
    "*** Update File: src/state/plugin.ts",
    "-export class PluginKey<PluginState = any> {",
    "+export class PluginKey<PluginState = any> {",
    "+  nothing: Nothing = 1",
    "   /// @internal"
  ),
  { what: "two files back", undo: "two files at once" },
  edit(
    "an interface changes",
    "src/transform/map.ts",
    "  mapResult: (pos: number, assoc?: number) => MapResult\n}",
    "  mapResult: (pos: number, assoc?: number) => MapResult\n  mapRange(from: number): number\n}"
  ),
  edit(
    "one of its classes follows",
    "src/transform/map.ts",
    "  /// Create a position map. The",
    "  mapRange(from: number) { return from }\n\n  /// Create a position map. The"
  ),
  { what: "the class does not", undo: "one of its classes follows" },
  { what: "nor the interface", undo: "an interface changes" },
  edit("the end", "src/transform/step.ts", "code = 0) {", "code = null) {")
]

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** All folders at once: most of its time is for what they share. */
const pyright: Check = (roots) => {
  const top = Path.dirname(roots[0]!)
  const include = roots.map((root) => `${Path.basename(root)}/packaging`)
  Fs.writeFileSync(Path.join(top, "pyrightconfig.json"), JSON.stringify({ include }))
  const said: unknown = JSON.parse(output(top, "pyright", "--outputjson", "-p", "."))
  const all: ReadonlyArray<unknown> =
    isRecord(said) && Array.isArray(said["generalDiagnostics"]) ? said["generalDiagnostics"] : []
  return roots.map((root) =>
    all.flatMap((one) => {
      const { file, message, range, rule, severity } = one as Readonly<
        Record<"file" | "severity" | "message", string>
      > & {
        readonly rule?: string
        readonly range: { readonly start: { readonly line: number } }
      }
      if (!file.startsWith(`${root}/`) || (severity !== "error" && severity !== "warning")) return []
      return [finding(Path.relative(root, file), range.start.line + 1, rule ?? "", message)]
    })
  )
}

const ofPython: ReadonlyArray<Step> = [
  edit(
    "a function needs one more argument",
    "packaging/utils.py",
    "def canonicalize_name(name: str, *,",
    "def canonicalize_name(name: str, scheme: str, *,"
  ),
  write("everything moves down", "packaging/utils.py", above("# One.\n# Two.\n# Three.")),
  edit(
    "a call is mended, the others are not",
    "packaging/requirements.py",
    "*self._iter_parts(canonicalize_name(self.name)),",
    '*self._iter_parts(canonicalize_name(self.name, "x")),'
  ),
  edit(
    "and one that was right is broken",
    "packaging/requirements.py",
    "self.url: str | None =",
    "self.url: int | None ="
  ),
  { what: "that is taken back", undo: "and one that was right is broken" },
  edit(
    "the argument is optional",
    "packaging/utils.py",
    "def canonicalize_name(name: str, scheme: str, *,",
    'def canonicalize_name(name: str, scheme: str = "", *,'
  ),
  edit("a class goes", "packaging/version.py", "class InvalidVersion(ValueError):", "class BadVersion(ValueError):"),
  { what: "and comes back", undo: "a class goes" },
  rename(
    "it is renamed everywhere",
    "packaging/version.py",
    "class InvalidVersion(ValueError):",
    "InvalidVersion",
    "BadVersion"
  ),
  { what: "and back", undo: "it is renamed everywhere" },
  write("an error", "packaging/_elffile.py", (text) => `${text}\nfirst: str = 1\n`),
  write("the same error twice", "packaging/_elffile.py", (text) => `${text}second: str = 1\n`),
  write("and three times, above", "packaging/_elffile.py", instead("import os\n", "import os\n\nthird: str = 1\n")),
  { what: "the third is taken back", undo: "and three times, above" },
  { what: "and the second", undo: "the same error twice" },
  { what: "and the first", undo: "an error" },
  write(
    "a new file with errors",
    "packaging/_new.py",
    () => "from .utils import canonicalize_name, nothing\n\nsize: int = canonicalize_name('x')\nn: int = 'n'\n"
  ),
  write(
    "one of them is mended, another is made twice",
    "packaging/_new.py",
    () => "from .utils import canonicalize_name, nothing\n\nsize = canonicalize_name('x')\nn: int = 'n'\nm: int = 'n'\n"
  ),
  patch("the new file is deleted", "*** Delete File: packaging/_new.py"),
  { what: "somebody breaks a file", behind: "packaging/_musllinux.py", change: (text) => `${text}\nbroken: str = 1\n` },
  write(
    "what was broken before is not of this edit",
    "packaging/_musllinux.py",
    (text) => `${text}\nother: int = "1"\n`
  ),
  write("both are mended", "packaging/_musllinux.py", (text) => `${text.split("\n").slice(0, -5).join("\n")}\n`),
  {
    what: "a file is moved",
    tool: "lsp_rename_file",
    params: { from: "packaging/_structures.py", to: "packaging/_infinity.py" }
  },
  edit("its names change", "packaging/_infinity.py", "\nInfinity = InfinityType()", "\nEndless = InfinityType()"),
  { what: "and change back", undo: "its names change" },
  edit("a field is renamed", "packaging/_parser.py", "    url: str\n    extras", "    link: str\n    extras"),
  edit("its user follows", "packaging/requirements.py", "parsed.url or None", "parsed.link or None"),
  { what: "the user does not", undo: "its user follows" },
  { what: "nor the field", undo: "a field is renamed" },
  patch(
    "two files at once",
    "*** Update File: packaging/tags.py",
    "-def parse_tag(tag: str) -> frozenset[Tag]:",
    "+def parse_tag(tag: int) -> frozenset[Tag]:",
    "*** Update File: packaging/specifiers.py",
    "-UnparsedVersion = Union[Version, str]",
    "+UnparsedVersion = Union[Version, Missing]"
  ),
  { what: "two files back", undo: "two files at once" },
  edit(
    "the syntax is broken",
    "packaging/utils.py",
    "def is_normalized_name(name: str) -> bool:",
    "def is_normalized_name(name: str) -> bool"
  ),
  edit(
    "and mended",
    "packaging/utils.py",
    "def is_normalized_name(name: str) -> bool",
    "def is_normalized_name(name: str) -> bool:"
  )
]

/** What does not compile, the tests too, and what `go vet` finds in the rest. */
const compiler = each((root) => {
  const said = [
    output(root, "go", "build", "-gcflags=-e", "-o", "/dev/null", "./..."),
    output(root, "go", "test", "-gcflags=-e", "-vet=off", "-run=^$", "./..."),
    output(root, "go", "vet", "./...")
  ].join("\n")
  const found = new Map<string, Finding>()
  for (const [, path = "", line, column, message = ""] of said.matchAll(
    /^(?:\.\/)?([^:\s]+\.go):(\d+):(\d+): (.*(?:\n\t.*)*)/gm
  )) {
    found.set(`${path}:${line}:${column} ${message}`, finding(path, Number(line), "", message))
  }
  return [...found.values()]
})

const ofGo: ReadonlyArray<Step> = [
  edit(
    "a function needs one more argument",
    "semver/semver.go",
    "func Build(v string) string {",
    "func Build(v string, keep bool) string {"
  ),
  write("everything moves down", "semver/semver.go", above("// One.\n// Two.\n")),
  edit(
    "a call is mended, the others are not",
    "module/pseudo.go",
    "build := semver.Build(older)",
    "build := semver.Build(older, true)"
  ),
  edit(
    "and one that was right is broken",
    "module/pseudo.go",
    "older = semver.Canonical(older)",
    "older = semver.Canonical(older, 1)"
  ),
  { what: "that is taken back", undo: "and one that was right is broken" },
  edit(
    "the argument is optional",
    "semver/semver.go",
    "func Build(v string, keep bool) string {",
    "func Build(v string, keep ...bool) string {"
  ),
  edit(
    "a return type",
    "modfile/print.go",
    "func Format(f *FileSyntax) []byte {",
    "func Format(f *FileSyntax) string {"
  ),
  { what: "and back", undo: "a return type" },
  write("an error", "internal/lazyregexp/lazyre.go", (text) => `${text}\nvar first string = 1\n`),
  write("the same error twice", "internal/lazyregexp/lazyre.go", (text) => `${text}\nvar second string = 1\n`),
  write(
    "and three times, above",
    "internal/lazyregexp/lazyre.go",
    instead("// Regexp is a wrapper", "var third string = 1\n\n// Regexp is a wrapper")
  ),
  { what: "the third is taken back", undo: "and three times, above" },
  { what: "and the second", undo: "the same error twice" },
  { what: "and the first", undo: "an error" },
  write(
    "a new package with errors",
    "extra/extra.go",
    () =>
      'package extra\n\nimport (\n\t"fmt"\n\n\t"golang.org/x/mod/semver"\n)\n\nvar Size int = semver.Major("v1")\nvar N int = "n"\n'
  ),
  write(
    "one of them is mended, another is made twice",
    "extra/extra.go",
    () =>
      'package extra\n\nimport (\n\t"fmt"\n\n\t"golang.org/x/mod/semver"\n)\n\nvar Size = semver.Major("v1")\nvar N int = "n"\nvar M int = "n"\n'
  ),
  patch("the new package is deleted", "*** Delete File: extra/extra.go"),
  rename("a function is renamed", "semver/semver.go", "func Prerelease(v string) string {", "Prerelease", "PreRelease"),
  { what: "and its name is back", undo: "a function is renamed" },
  edit("an import goes", "semver/semver.go", '\t"slices"\n', ""),
  {
    what: "the server brings it back",
    tool: "lsp_apply",
    params: { file: "semver/semver.go", kind: "source.organizeImports" }
  },
  patch("a file is moved", "*** Update File: modfile/print.go", "*** Move to: modfile/printer.go"),
  { what: "and moved back", undo: "a file is moved" },
  { what: "somebody breaks a file", behind: "module/pseudo.go", change: (text) => `${text}\nvar broken string = 1\n` },
  write("what was broken before is not of this edit", "module/pseudo.go", (text) => `${text}\nvar other int = "1"\n`),
  write("both are mended", "module/pseudo.go", (text) => `${text.split("\n").slice(0, -5).join("\n")}\n`),
  patch(
    "two files at once",
    "*** Update File: modfile/work.go",
    "-func (f *WorkFile) Cleanup() {",
    "+func (f *WorkFile) Cleanup() error {",
    "*** Update File: modfile/print.go",
    "-func (p *printer) indent() int {",
    "+func (p *printer) indent() string {"
  ),
  { what: "two files back", undo: "two files at once" },
  edit(
    "what go vet finds",
    "module/module.go",
    'return m.Path + "@" + m.Version',
    'return fmt.Sprintf("%d", m.Path) + "@" + m.Version'
  ),
  edit("it is mended", "module/module.go", 'fmt.Sprintf("%d", m.Path)', "m.Path"),
  edit(
    "an interface has one more method",
    "modfile/read.go",
    "type Expr interface {",
    "type Expr interface {\n\tNothing() int"
  ),
  { what: "the interface is as before", undo: "an interface has one more method" }
  // What breaks the syntax is not compared: the compiler and the server have parsers of their own, with words of their own.
]

interface Session {
  readonly project: Projects.Project
  readonly steps: ReadonlyArray<Step>
  readonly check: Check
  readonly options?: Parameters<typeof play>[3]
}

const sessions: ReadonlyArray<Session> = [
  { project: Projects.typescript, steps: ofTypeScript, check: tsc },
  { project: Projects.python, steps: ofPython, check: pyright, options: { isPulled: true } },
  { project: Projects.go, steps: ofGo, check: compiler, options: { isNotified: true, isCodeless: true } }
]

for (const { check, options, project, steps } of sessions) {
  const missing = project.programs.filter((program) => !isInstalled(program))
  const why = `${missing.join(", ")} is not installed: run .ci/real-servers`
  if (missing.length > 0) {
    if (isRequired) it(`${project.name} has its server`, () => assert.fail(why))
    else describe.skip(`${project.name} (skipped: ${why})`, () => it("is edited", () => {}))
    continue
  }
  it(
    `${project.name}: ${steps.length} edits, each answer what the checker says`,
    async () => {
      const opened = await Projects.open(project, { isNotified: options?.isNotified === true })
      try {
        const played = await play(opened, steps, check, options)
        console.log(`${project.name}: ${JSON.stringify(played)}`)
        assert.isAtLeast(played.edits, 30)
        assert.isAtLeast(played.breaking, 8)
      } finally {
        await opened.close()
      }
    },
    time
  )
}
