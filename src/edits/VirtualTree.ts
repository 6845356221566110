/**
 * The files as the operations so far would leave them: a thin layer over what lies on the disk. It keeps what was seen on
 * the disk (`originals`, for the check before the first write) and the steps that lead to the present state.
 */
import { Effect } from "effect"
import * as ToolError from "../ToolError.ts"
import type { Resolved } from "../Workspace.ts"
import * as Content from "./Content.ts"
import * as Step from "./Step.ts"

/** What a look at the disk finds. `readOnly` says why it must not be written; `bytes` are there when they were asked for. */
export type Looked =
  | { readonly kind: "missing" | "other" }
  | { readonly kind: "symlink"; readonly target: string }
  | { readonly kind: "directory"; readonly mode: number; readonly identity: string; readonly readOnly?: string }
  | {
      readonly kind: "file"
      readonly mode: number
      readonly owner: readonly [number, number]
      /** The same for two paths exactly when they name one file. */
      readonly identity: string
      readonly links: number
      readonly readOnly?: string
      readonly content?: Content.Content
    }

/** The disk below the working directory, to look at. Links are not followed by `look`. */
export interface Disk {
  readonly separator: string
  readonly root: string
  /** Absolute and free of `..`, links not followed. */
  readonly lexical: (path: string) => string
  readonly resolve: (path: string) => Effect.Effect<Resolved, ToolError.ToolError>
  readonly show: (absolute: string) => string
  readonly isIgnored: (absolute: string) => Effect.Effect<boolean>
  readonly look: (absolute: string, content: boolean) => Effect.Effect<Looked, ToolError.ToolError>
  readonly list: (absolute: string) => Effect.Effect<ReadonlyArray<string>, ToolError.ToolError>
  readonly hash: (bytes: Uint8Array) => string
}

type LookedFile = Extract<Looked, { readonly kind: "file" }>
type SetStep = Extract<Step.Step, { readonly type: "set" }>
type Draft = { -readonly [K in keyof SetStep]: SetStep[K] } | Extract<Step.Step, { readonly type: "move" }>

/** A file, wherever the operations have brought it. */
export interface FileNode {
  readonly kind: "file"
  /** Where it is now. */
  path: string
  /** Where it lies on the disk; `undefined` for one that the plan makes. */
  readonly source: string | undefined
  looked: LookedFile | undefined
  /** What it held before the plan; `undefined` as long as nobody asked, and for one that the plan makes. */
  original: Content.Content | undefined
  /** What it holds now. */
  content: Content.Content | undefined
  /** The step that writes it, once one does. */
  write: { after: Step.Entry | null } | undefined
}

export type Node =
  | FileNode
  | { readonly kind: "missing" | "other" }
  | { readonly kind: "symlink"; readonly target: string }
  /** `source`: where its other children lie on the disk; `undefined` when it was made by the plan. */
  | {
      readonly kind: "directory"
      readonly source: string | undefined
      readonly mode?: number
      readonly readOnly?: string
    }

const nothing: Node = { kind: "missing" }

export const refused = (message: string): ToolError.ToolError => ToolError.make("refused_edit", message)

export const make = (disk: Disk) => {
  const nodes = new Map<string, Node>()
  const originals = new Map<string, Step.State>()
  const steps: Array<Draft> = []
  /** Where the plan made, moved or deleted something: below these the disk says nothing any more. */
  const changed = new Set<string>()
  const identities = new Map<string, string>()

  const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf(disk.separator), disk.root.length))
  const ancestors = function* (path: string) {
    for (let at = path; at.length > disk.root.length;) yield (at = parentOf(at))
  }
  const isChanged = (path: string): boolean => {
    if (changed.has(path)) return true
    for (const above of ancestors(path)) if (changed.has(above)) return true
    return false
  }

  const stateOf = (looked: Looked): Step.State =>
    looked.kind === "file"
      ? looked.content === undefined
        ? Step.anyFile
        : `file:${looked.content.hash}`
      : looked.kind === "symlink"
        ? `symlink:${looked.target}`
        : looked.kind

  /** Where on the disk the thing at `path` would lie: `undefined` when the plan says that there is nothing. */
  const sourceOf = Effect.fnUntraced(function* (path: string) {
    for (const above of ancestors(path)) {
      const node = nodes.get(above)
      if (node === undefined) continue
      if (node.kind === "file") {
        return yield* ToolError.make(
          "not_found",
          `${disk.show(path)} cannot be: ${disk.show(above)} is a file, not a directory.`
        )
      }
      if (node.kind !== "directory" || node.source === undefined) return undefined
      return node.source + path.slice(above.length)
    }
    return path
  })

  /** With `content` a file is read at once. */
  const lookup = Effect.fnUntraced(function* (
    path: string,
    content = false
  ): Effect.fn.Return<Node, ToolError.ToolError> {
    const known = nodes.get(path)
    if (known !== undefined) return known
    const source = yield* sourceOf(path)
    if (source === undefined) return nothing
    if (source !== path && (yield* disk.resolve(source)).entry !== source) {
      return yield* refused(
        `${disk.show(path)} is reached through a symbolic link inside a directory that this edit moves.`
      )
    }
    const looked = yield* disk.look(source, content)
    originals.set(source, stateOf(looked))
    let node: Node
    if (looked.kind === "file") {
      const other = identities.get(looked.identity)
      if (other !== undefined && looked.links === 1) {
        return yield* refused(`${disk.show(other)} and ${disk.show(path)} are two spellings of one file.`)
      }
      identities.set(looked.identity, path)
      const { content } = looked
      node = { kind: "file", path, source, looked, original: content, content, write: undefined }
    } else node = looked.kind === "directory" ? { ...looked, source } : looked
    nodes.set(path, node)
    return node
  })

  /** Reads what the file holds, where that is not known yet. */
  const load = Effect.fnUntraced(function* (node: FileNode): Effect.fn.Return<Content.Content, ToolError.ToolError> {
    if (node.content !== undefined) return node.content
    const source = node.source ?? node.path
    const looked = yield* disk.look(source, true)
    if (looked.kind !== "file" || looked.content === undefined) {
      return yield* ToolError.make(
        "stale_edit",
        `${disk.show(source)} was changed by somebody else just now. Try again.`
      )
    }
    originals.set(source, stateOf(looked))
    node.looked = looked
    node.original = looked.content
    node.content = looked.content
    return looked.content
  })

  const entryOf = (node: FileNode, content: Content.Content): Step.Entry =>
    node.looked === undefined
      ? { kind: "file", ...content }
      : { kind: "file", ...content, mode: node.looked.mode, owner: node.looked.owner }

  const writable = (node: { readonly readOnly?: string | undefined }, path: string) =>
    node.readOnly === undefined
      ? Effect.void
      : Effect.fail(refused(`${disk.show(path)} is not to be written: ${node.readOnly}.`))

  /** Gives a file other bytes. Written once, at the place where it is when this is first called. */
  const write = Effect.fnUntraced(function* (node: FileNode, bytes: Uint8Array) {
    const before = yield* load(node)
    yield* writable(node.looked ?? {}, node.path)
    const content = { bytes, hash: disk.hash(bytes) }
    node.content = content
    const after = entryOf(node, content)
    if (node.write !== undefined) node.write.after = after
    else {
      const step: Draft = { type: "set", path: node.path, before: entryOf(node, before), after }
      node.write = step
      steps.push(step)
    }
  })

  const addDirectory = (path: string) => {
    steps.push({ type: "set", path, before: null, after: { kind: "directory" } })
    nodes.set(path, { kind: "directory", source: undefined })
    changed.add(path)
  }

  /** Makes the directories above `path` that are missing. */
  const makeParents = Effect.fnUntraced(function* (path: string) {
    const absent: Array<string> = []
    for (const above of ancestors(path)) {
      const node = yield* lookup(above)
      if (node.kind === "missing") {
        absent.push(above)
        continue
      }
      if (node.kind !== "directory") {
        return yield* refused(`${disk.show(path)} cannot be made: ${disk.show(above)} is not a directory.`)
      }
      yield* writable(node, above)
      break
    }
    absent.toReversed().forEach(addDirectory)
  })

  /** A new file at a path where nothing is. */
  const createFile = Effect.fnUntraced(function* (path: string, bytes: Uint8Array) {
    yield* makeParents(path)
    const content = { bytes, hash: disk.hash(bytes) }
    const step: Draft = { type: "set", path, before: null, after: { kind: "file", ...content } }
    const node: FileNode = {
      kind: "file",
      path,
      source: undefined,
      looked: undefined,
      original: undefined,
      content,
      write: step
    }
    steps.push(step)
    nodes.set(path, node)
    changed.add(path)
    return node
  })

  /** The names in a directory. */
  const children = Effect.fnUntraced(function* (path: string, source: string | undefined) {
    const names = new Set(source === undefined ? [] : yield* disk.list(source))
    for (const at of nodes.keys()) if (at !== path && parentOf(at) === path) names.add(at.slice(path.length + 1))
    const found: Array<string> = []
    for (const name of [...names].sort()) {
      if ((yield* lookup(path + disk.separator + name)).kind !== "missing") found.push(name)
    }
    return found
  })

  /** Removes a file, a link or an empty directory. */
  const remove = Effect.fnUntraced(function* (path: string) {
    const node = yield* lookup(path)
    let before: Step.Entry
    if (node.kind === "file") {
      const content = yield* load(node)
      yield* writable(node.looked ?? {}, path)
      before = entryOf(node, content)
    } else if (node.kind === "directory") {
      yield* writable(node, path)
      before = node.mode === undefined ? { kind: "directory" } : { kind: "directory", mode: node.mode }
    } else if (node.kind === "symlink") before = node
    else return yield* refused(`${disk.show(path)} is neither a file nor a directory nor a link.`)
    steps.push({ type: "set", path, before, after: null })
    nodes.set(path, nothing)
    changed.add(path)
  })

  /** Moves whatever is at `from` to `to`, where nothing is. */
  const move = Effect.fnUntraced(function* (from: string, to: string) {
    yield* makeParents(to)
    steps.push({ type: "move", from, to })
    for (const [path, node] of Array.from(nodes)) {
      if (path !== from && !path.startsWith(from + disk.separator)) continue
      const next = to + path.slice(from.length)
      nodes.delete(path)
      if (node.kind === "file") node.path = next
      nodes.set(next, node)
    }
    nodes.set(from, nothing)
    changed.add(from).add(to)
  })

  /** On a disk that ignores case, what lies at the new spelling is the thing itself: no obstacle to its own renaming. */
  const allowOtherCase = Effect.fnUntraced(function* (from: string, to: string) {
    if (from.toLowerCase() !== to.toLowerCase() || nodes.has(to)) return
    const [a, b] = [yield* disk.look(from, false), yield* disk.look(to, false)]
    if ("identity" in a && "identity" in b && a.identity === b.identity && a.kind === b.kind) nodes.set(to, nothing)
  })

  return {
    originals,
    steps: steps as ReadonlyArray<Step.Step>,
    isChanged,
    lookup,
    load,
    write,
    createFile,
    children,
    remove,
    move,
    allowOtherCase
  }
}
