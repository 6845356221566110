/** Random trees and plans, and what a plan does to a tree, said once more, slowly and plainly. */
import type { Operation, Plan } from "../../../src/edits/Plan.ts"
import type { Encoding } from "../../../src/edits/Positions.ts"
import { naive } from "../../src/edits/naive.ts"

export type Thing =
  | { readonly kind: "file"; readonly bytes: Buffer; readonly mode: number; readonly group?: Group }
  | { readonly kind: "directory"; readonly mode: number }
export type Tree = Map<string, Thing>

type RangeEdit = Extract<Extract<Operation, { kind: "edit" }>["edits"][number], { readonly range: unknown }>
interface Group {
  readonly base: string
  readonly edits: ReadonlyArray<RangeEdit>
}

export const random = (seed: number) => {
  let state = seed >>> 0
  const next = () => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (below: number) => Math.floor(next() * below)
  const pick = <A>(from: ReadonlyArray<A>): A => from[int(from.length)]!
  return { int, pick, chance: (of: number) => next() < of }
}
type Random = ReturnType<typeof random>

const bom = "\u{FEFF}"
const pieces = ["a", "b", "ä", "漢", "🎉", " ", "\n", "\r\n", "\r", "\t"]
const someText = (r: Random, most: number) => Array.from({ length: r.int(most) }, () => r.pick(pieces)).join("")

const parentsOf = (path: string) =>
  path
    .split("/")
    .slice(0, -1)
    .map((_, i, names) => names.slice(0, i + 1).join("/"))
const within = (path: string, directory: string) => path === directory || path.startsWith(`${directory}/`)

export const randomTree = (r: Random): Tree => {
  const tree: Tree = new Map()
  for (const path of ["a", "b", "c", "d/a", "d/b", "d/e/c", "d/f", "g"]) {
    if (r.chance(0.25)) continue
    for (const parent of parentsOf(path)) tree.set(parent, { kind: "directory", mode: 0o755 })
    const bytes = r.chance(0.1) ? Buffer.from([97, 255, 10]) : Buffer.from((r.chance(0.2) ? bom : "") + someText(r, 20))
    tree.set(path, { kind: "file", bytes, mode: r.pick([0o644, 0o755, 0o600]) })
  }
  if (r.chance(0.5)) tree.set("h", { kind: "directory", mode: 0o700 })
  return tree
}

/** `undefined` when the file is not UTF-8. */
const textOf = (bytes: Buffer): { readonly text: string; readonly mark: string } | undefined => {
  const text = bytes.toString("utf8")
  if (!Buffer.from(text).equals(bytes)) return undefined
  return text.startsWith(bom) ? { text: text.slice(1), mark: bom } : { text, mark: "" }
}

const adapted = (text: string, like: string): string => {
  const counts = ["\r\n", "\n", "\r"].map(
    (end) => [end, like.match(/\r\n|\n|\r/g)?.filter((one) => one === end).length ?? 0] as const
  )
  const most = counts.reduce((a, b) => (b[1] > a[1] ? b : a))
  return most[1] === 0 ? text : text.replaceAll(/\r\n|\n|\r/g, most[0])
}

/** Does one operation to the tree; `false` when it must be refused. `hashed` gives the text of a hash. */
export const perform = (tree: Tree, operation: Operation, hashed: (hash: string) => string | undefined): boolean => {
  const throughFile = (path: string) => parentsOf(path).some((parent) => tree.get(parent)?.kind === "file")
  const makeParents = (path: string) => {
    for (const parent of parentsOf(path)) if (!tree.has(parent)) tree.set(parent, { kind: "directory", mode: 0o755 })
  }
  const under = (path: string) => [...tree.keys()].filter((one) => within(one, path))
  const paths = operation.kind === "rename" ? [operation.from, operation.to] : [operation.path]
  if (paths.some(throughFile)) return false

  if (operation.kind === "rename") {
    const { from, to } = operation
    const [source, target] = [tree.get(from), tree.get(to)]
    if (source === undefined) return false
    if (from === to) return true
    if (within(to, from)) return false
    if (target !== undefined) {
      if (operation.ignoreIfExists && !operation.overwrite) return true
      if (!operation.overwrite || target.kind === "directory") return false
      tree.delete(to)
    }
    makeParents(to)
    for (const path of under(from)) {
      tree.set(to + path.slice(from.length), tree.get(path)!)
      tree.delete(path)
    }
    return true
  }

  const { path } = operation
  const thing = tree.get(path)
  if (operation.kind === "delete") {
    if (thing === undefined) return operation.ignoreIfNotExists === true
    if (under(path).length > 1 && !operation.recursive) return false
    for (const one of under(path)) tree.delete(one)
    return true
  }
  if (operation.kind === "create") {
    const bytes = Buffer.from(operation.text ?? "")
    if (thing === undefined) {
      makeParents(path)
      tree.set(path, { kind: "file", bytes, mode: 0o644 })
      return true
    }
    if (operation.overwrite) {
      if (thing.kind === "directory") return false
      tree.set(path, { kind: "file", bytes, mode: thing.mode })
      return true
    }
    return operation.ignoreIfExists === true
  }
  if (operation.kind === "write") {
    const given = textOf(Buffer.from(operation.text))!
    if (thing === undefined) {
      if (operation.hash !== undefined) return false
      makeParents(path)
      tree.set(path, { kind: "file", bytes: Buffer.from(operation.text), mode: 0o644 })
      return true
    }
    const now = thing.kind === "file" ? textOf(thing.bytes) : undefined
    if (now === undefined || (operation.hash !== undefined && hashed(operation.hash) !== now.text)) return false
    const text = operation.adaptLineEnds ? adapted(given.text, now.text) : given.text
    tree.set(path, { kind: "file", bytes: Buffer.from((given.mark || now.mark) + text), mode: thing.mode })
    return true
  }
  const now = thing?.kind === "file" ? textOf(thing.bytes) : undefined
  if (thing?.kind !== "file" || now === undefined) return false
  const text = hashed(operation.hash)
  const joins = thing.group !== undefined && thing.group.base === text
  if (!joins && text !== now.text) return false
  const base = joins ? thing.group.base : now.text
  const own = operation.edits.flatMap((edit) =>
    "range" in edit ? [{ ...edit, newText: operation.adaptLineEnds ? adapted(edit.newText, base) : edit.newText }] : []
  )
  const edits = [...(joins ? thing.group.edits : []), ...own]
  const result = naive(base, edits, operation.encoding ?? "utf-16")
  if (result === undefined) return false
  tree.set(path, { kind: "file", bytes: Buffer.from(now.mark + result), mode: thing.mode, group: { base, edits } })
  return true
}

/** A plan of up to `most` operations, most of which fit the tree, and what it gives; `undefined` when it must be refused. */
export const randomPlan = (
  r: Random,
  tree: Tree,
  hash: (text: string) => string,
  most = 6
): { readonly plan: Plan; readonly expected: Tree | undefined } => {
  const names = ["a", "b", "c", "d/a", "d/b", "d/e/c", "d/e", "d", "g", "h", "h/n", "n/x/y", "d/e/n"]
  const encoding = r.pick<Encoding>(["utf-8", "utf-16", "utf-32"])
  const texts = new Map<string, string>()
  const hashOf = (text: string) => {
    texts.set(hash(text), text)
    return hash(text)
  }
  const now: Tree = new Map(tree)
  const operations: Array<Operation> = []
  for (let count = 1 + r.int(most); count > 0; count--) {
    const path = r.chance(0.8) && now.size > 0 ? r.pick([...now.keys()]) : r.pick(names)
    const flag = (name: string, of = 0.4) => (r.chance(of) ? { [name]: true } : {})
    const thing = now.get(path)
    const present = thing?.kind === "file" ? textOf(thing.bytes) : undefined
    const choice = r.int(10)
    let operation: Operation
    if (choice < 5 && present !== undefined && thing?.kind === "file") {
      const base = thing.group !== undefined && r.chance(0.5) ? thing.group.base : present.text
      const lines = base.split(/\r\n|\n|\r/)
      const units = {
        "utf-8": (text: string) => Buffer.byteLength(text),
        "utf-16": (text: string) => text.length,
        "utf-32": (text: string) => [...text].length
      }
      const somewhere = () => {
        const line = r.int(lines.length + 1)
        const before = [...(lines[line] ?? "")]
        return { line, character: units[encoding](before.slice(0, r.int(before.length + 2)).join("")) }
      }
      const edits = Array.from({ length: 1 + r.int(2) }, () => {
        const [a, b] = [somewhere(), somewhere()]
        const [start, end] = a.line < b.line || (a.line === b.line && a.character <= b.character) ? [a, b] : [b, a]
        return { range: { start, end: r.chance(0.5) ? start : end }, newText: someText(r, 4) }
      })
      operation = {
        kind: "edit",
        path,
        hash: hashOf(r.chance(0.03) ? "wrong" : base),
        encoding,
        edits,
        ...flag("adaptLineEnds")
      }
    } else if (choice < 6) {
      const known =
        present !== undefined && r.chance(0.5) ? { hash: hashOf(r.chance(0.1) ? "wrong" : present.text) } : {}
      operation = {
        kind: "write",
        path,
        text: (r.chance(0.1) ? bom : "") + someText(r, 8),
        ...known,
        ...flag("adaptLineEnds")
      }
    } else if (choice < 7) {
      const text = r.chance(0.5) ? { text: someText(r, 6) } : {}
      operation = {
        kind: "create",
        path: r.pick(names),
        ...text,
        ...flag("overwrite", 0.6),
        ...flag("ignoreIfExists", 0.6)
      }
    } else if (choice < 9) {
      operation = {
        kind: "rename",
        from: path,
        to: r.pick(names),
        ...flag("overwrite", 0.6),
        ...flag("ignoreIfExists")
      }
    } else operation = { kind: "delete", path, ...flag("recursive", 0.8), ...flag("ignoreIfNotExists") }
    operations.push(operation)
    if (!perform(now, operation, (one) => texts.get(one))) return { plan: { operations }, expected: undefined }
  }
  return { plan: { operations }, expected: now }
}

/** The tree as `snapshot` tells it. */
export const shown = (tree: Tree): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...tree].map(([path, thing]) => [
      path,
      thing.kind === "directory"
        ? `directory ${thing.mode.toString(8)}`
        : `file ${thing.mode.toString(8)} ${JSON.stringify(thing.bytes.toString("latin1"))}`
    ])
  )
