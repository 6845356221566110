/** Which checkers a project's own configurations name, and where: what is to be run (SPEC §3.10). */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Effect } from "effect"
import type { Checker, Sign } from "../../src/lsp/checkers/Checker.ts"
import type { CheckerPart } from "../../src/lsp/Values.ts"
import type { Workspace } from "../../src/Workspace.ts"
import * as Paths from "../workspace/Paths.ts"
import * as Folders from "./Folders.ts"
import * as Tsconfig from "./Tsconfig.ts"

/** One run of a checker. Paths are absolute. */
export interface Check {
  /** The first that is found is run. */
  readonly checkers: ReadonlyArray<Checker>
  readonly folder: string
  /** The first is that of the folder. */
  readonly configurations: ReadonlyArray<string>
  /** Projects that are built together, in the order in which their configurations were found. */
  readonly build?: { readonly heads: ReadonlyArray<string>; readonly projects: ReadonlyArray<Tsconfig.Tsconfig> }
  /** Other configurations extend it. */
  readonly isBase?: boolean
}

export interface Plan {
  readonly checks: ReadonlyArray<Check>
  /** What is left out, and why. */
  readonly left: ReadonlyArray<CheckerPart>
  /** Configurations in folders of fixtures. */
  readonly fixtures: ReadonlyArray<string>
}

/** How many runs of one checker there are at most. */
const most = 16

/** Folders in which what does not compile may be there on purpose. */
const isFixture = (name: string): boolean => ["fixtures", "__fixtures__", "testdata"].includes(name)

const holds =
  (folder: string) =>
  ({ file, having }: Sign): boolean => {
    const path = Path.join(folder, file)
    if (having === undefined) return Fs.existsSync(path)
    try {
      return new RegExp(having, "m").test(Fs.readFileSync(path, "utf8"))
    } catch {
      return false
    }
  }

/** What the checker is given in a folder. */
export const argsOf = ({ args, argsWhere = [] }: Checker, folder: string): ReadonlyArray<string> =>
  argsWhere.find(({ signs }) => signs.some(holds(folder)))?.args ?? args

interface Found {
  readonly folder: string
  readonly file: string
}

const find = (signs: ReadonlyArray<Sign>, { entries, path }: Folders.Folder): Found | undefined => {
  const sign = signs.find((one) => entries.some(({ name }) => name === one.file) && holds(path)(one))
  return sign === undefined ? undefined : { folder: path, file: Path.join(path, sign.file) }
}

/** Those below none of the others. */
const topmost = (all: ReadonlyArray<Found>): ReadonlyArray<Found> =>
  all.filter(
    ({ folder }) => !all.some((other) => other.folder !== folder && Paths.isInside(Path, other.folder, folder))
  )

const single =
  (checkers: ReadonlyArray<Checker>) =>
  ({ file, folder }: Found): Check => ({
    checkers,
    folder,
    configurations: [file]
  })

/** Each configuration that no other one refers to, those that refer to others together. */
const typescript = (checker: Checker, all: ReadonlyArray<Found>): ReadonlyArray<Check> => {
  const graphs = new Map(all.map(({ file }) => [file, Tsconfig.withReferences(file)]))
  const referred = new Set(
    [...graphs].flatMap(([head, projects]) => projects.map(({ file }) => file).filter((file) => file !== head))
  )
  const heads = [...graphs.keys()].filter((file) => !referred.has(file))
  const covered = new Set(heads.flatMap((head) => graphs.get(head)!.map(({ file }) => file)))
  // Those that refer to each other in a circle.
  for (const file of graphs.keys()) {
    if (covered.has(file)) continue
    heads.push(file)
    for (const project of graphs.get(file)!) covered.add(project.file)
  }
  const bases = new Set([...graphs.values()].flat().flatMap((project) => project.bases))
  const refers = (file: string) => graphs.get(file)!.some(({ references }) => references.length > 0)
  const solutions = heads.filter(refers)
  const alone = heads
    .filter((file) => !refers(file))
    .map((file): Check => ({
      checkers: [checker],
      folder: Path.dirname(file),
      configurations: [file],
      isBase: bases.has(file)
    }))
  if (solutions.length === 0) return alone
  const projects = [
    ...new Map(solutions.flatMap((file) => graphs.get(file)!.map((project) => [project.file, project]))).values()
  ]
  const build: Check = {
    checkers: [checker],
    folder: Path.dirname(solutions[0]!),
    configurations: [...new Set([...solutions, ...projects.map(({ file }) => file)])],
    build: { heads: solutions, projects }
  }
  return [build, ...alone]
}

export const plan = Effect.fnUntraced(function* (
  checkers: ReadonlyArray<Checker>,
  workspace: Workspace["Service"],
  /** The file of the configuration that the one in this folder is part of; itself where that is not known. */
  locate: (checker: Checker, found: Found) => Effect.Effect<string>
): Effect.fn.Return<Plan> {
  const looked = yield* Folders.all(workspace)
  const isApart = ({ path }: Folders.Folder) => Path.relative(workspace.root, path).split(Path.sep).some(isFixture)
  const folders = looked.folders.filter((folder) => !isApart(folder))
  const fixtures = looked.folders
    .filter(isApart)
    .flatMap((folder) => checkers.flatMap(({ signs }) => find(signs, folder)?.file ?? []))
  const allOf = (signs: ReadonlyArray<Sign>) => folders.flatMap((folder) => find(signs, folder) ?? [])

  const located = Effect.fnUntraced(function* (checker: Checker, all: ReadonlyArray<Found>) {
    const parts = new Map<string, Array<string>>()
    for (const found of all) {
      const file = all.length === 1 ? found.file : yield* locate(checker, found)
      parts.set(file, [...(parts.get(file) ?? []), found.file])
    }
    return Array.from(parts, ([file, own]): Check => ({
      checkers: [checker],
      folder: Path.dirname(file),
      configurations: [...new Set([file, ...own])]
    }))
  })

  const roles = new Set<string>()
  const planned: Array<ReadonlyArray<Check>> = []
  for (const checker of checkers) {
    const all = allOf(checker.signs)
    if (all.length === 0) continue
    roles.add(checker.role ?? checker.id)
    if (checker.buildArgs !== undefined) planned.push(typescript(checker, all))
    else if (checker.locate !== undefined) planned.push(yield* located(checker, all))
    else planned.push((checker.isDeep === true ? topmost(all) : all).map(single([checker])))
  }
  const usual = new Map<string, Array<Checker>>()
  for (const checker of checkers) {
    const role = checker.role ?? checker.id
    if (checker.usual !== undefined && !roles.has(role)) usual.set(role, [...(usual.get(role) ?? []), checker])
  }
  for (const same of usual.values()) planned.push(topmost(allOf(same.flatMap((one) => one.usual!))).map(single(same)))

  const left = planned.flatMap((checks): ReadonlyArray<CheckerPart> => {
    const configurations = checks.slice(most).flatMap((check) => check.configurations)
    if (configurations.length === 0) return []
    const reason = `left out: at most ${most} are checked in a call; give lsp the files to be checked`
    return [{ id: checks[0]!.checkers[0]!.id, outcome: "not_covered", reason, configurations }]
  })
  const more: CheckerPart = {
    id: "configurations",
    outcome: "not_covered",
    reason: `only ${Folders.most} folders were looked into; there may be more`,
    configurations: []
  }
  return {
    checks: planned.flatMap((checks) => checks.slice(0, most)),
    left: looked.isWhole ? left : [...left, more],
    fixtures: [...new Set(fixtures)]
  }
})
