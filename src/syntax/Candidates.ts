/**
 * Where a reading may match (SPEC §5; never by walking a tree): by the positions of a literal of the pattern, else by
 * node kind.
 */
import type { Node } from "web-tree-sitter"
import * as Goal from "./Goal.ts"
import type { Language } from "./Language.ts"
import type { Reading } from "./Pattern.ts"
import * as Prefilter from "./Prefilter.ts"

/** A token of the pattern that must be in the code, and how many nodes above it the pattern's own node is. */
interface Anchor {
  readonly text: string
  readonly kind: number
  readonly isWord: boolean
  readonly depth: number
}

export interface Candidates {
  /** The kind of the nodes at which, or of the siblings among which, a match is; `undefined`: of any. */
  readonly kind: number | undefined
  /** Nodes of a tree at which (or, for siblings, among the children of which) a match may be, each once. */
  readonly find: (lookup: Lookup, text: string) => Iterable<Node>
}

/** What several readings ask of one tree, answered once. */
export interface Lookup {
  readonly root: Node
  /** The smallest node that has this stretch. */
  readonly at: (start: number, end: number) => Node | null
  readonly ofKind: (kind: number) => ReadonlyArray<Node>
}

/** A lookup for all candidates of a pattern. */
export const lookup = (root: Node, all: ReadonlyArray<Candidates>, language: Language): Lookup => {
  const tokens = new Map<number, Node | null>()
  let byKind: Map<number, Array<Node>> | undefined
  const ofKinds = () => {
    const kinds = new Map<number, Array<Node>>()
    for (const { kind } of all) if (kind !== undefined) kinds.set(kind, [])
    // One walk of the tree for all readings: it is the larger part of what a search without a literal costs beside the parse.
    const names = [...new Set([...kinds.keys()].map((kind) => language.compiled.types[kind]!))]
    for (const node of root.descendantsOfType(names)) kinds.get(node.typeId)?.push(node)
    return kinds
  }
  return {
    root,
    at: (start, end) => {
      const key = start * 256 + Math.min(255, end - start)
      const known = tokens.get(key)
      if (known !== undefined) return known
      const found = root.descendantForIndex(start, end)
      if (all.length > 1) tokens.set(key, found)
      return found
    },
    ofKind: (kind) => (byKind ??= ofKinds()).get(kind) ?? []
  }
}

const anchorsOf = (goals: ReadonlyArray<Goal.Goal>, language: Language): ReadonlyArray<Anchor> => {
  const anchors: Array<Anchor> = []
  const visit = (list: ReadonlyArray<Goal.Goal>, depth: number): void => {
    list.forEach((goal, index) => {
      if (goal.tag === "branch") visit(goal.children, depth + 1)
      if (goal.tag !== "leaf" || goal.text === ";" || !Prefilter.isTextual(goal, language)) return
      if (Goal.isSeparator(goal) && (list[index - 1]?.tag === "run" || list[index + 1]?.tag === "run")) return
      anchors.push({ text: goal.text, kind: goal.kind, isWord: goal.isWord, depth })
    })
  }
  visit(goals, 0)
  return anchors
}

/** How telling a token is: names before keywords before operators, long before short. */
const weight = (anchor: Anchor, language: Language): number =>
  anchor.text.length + (language.isNamed(anchor.kind) ? 100 : /\w/.test(anchor.text) ? 50 : 0)

/** Characters of text for each occurrence above which looking the occurrences up is cheaper than asking the tree for a kind. */
const charactersPerLookup = 150

/** Anchors whose occurrences are counted in a text to find the rarest. */
const mostAnchors = 3

const isWordUnit = (unit: number): boolean =>
  (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57) || unit === 95

/** Where a token may be in a text: at most `most` places, else `undefined`. */
const occurrences = (
  text: string,
  { isWord, text: literal }: Anchor,
  most: number
): ReadonlyArray<number> | undefined => {
  const found: Array<number> = []
  for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + literal.length)) {
    if (isWord && (isWordUnit(text.charCodeAt(at - 1)) || isWordUnit(text.charCodeAt(at + literal.length)))) continue
    if (found.push(at) > most) return undefined
  }
  return found
}

/** Prepares the search for candidates of a reading. */
export const make = (reading: Reading, language: Language): Candidates => {
  const { goals } = reading
  const isSingle = goals.length === 1
  const branch = goals.find((goal) => goal.tag === "branch")
  const anchors = [...anchorsOf(goals, language)].sort((a, b) => weight(b, language) - weight(a, language))
  const telling = anchors.filter(({ text }) => text.length > 1 || /\w/.test(text))
  const considered = (telling.length > 0 ? telling : anchors).slice(0, mostAnchors)

  /** The rarest anchor with its places; `undefined` where all are too frequent. */
  const rarest = (text: string) => {
    let best: { readonly anchor: Anchor; readonly places: ReadonlyArray<number> } | undefined
    for (const anchor of considered) {
      const affordable = branch === undefined ? Infinity : Math.max(16, text.length / charactersPerLookup)
      const most = Math.min(best?.places.length ?? Infinity, affordable)
      const places = occurrences(text, anchor, most)
      if (places === undefined || (best !== undefined && places.length >= best.places.length)) continue
      best = { anchor, places }
    }
    return best
  }

  const byPosition = function* (tree: Lookup, anchor: Anchor, places: ReadonlyArray<number>): Generator<Node> {
    const seen = new Set<number>()
    const climb = isSingle ? anchor.depth : anchor.depth + 1
    for (const at of places) {
      const end = at + anchor.text.length
      let node = tree.at(at, end)
      // Of the nodes that are just this token, the one that has the token's kind.
      while (node !== null && node.startIndex === at && node.typeId !== anchor.kind && node.endIndex === end) {
        node = node.parent
      }
      if (node === null || node.startIndex !== at || node.typeId !== anchor.kind || node.endIndex !== end) continue
      for (let level = 0; level < climb && node !== null; level++) node = node.parent
      if (node === null || seen.has(node.id)) continue
      if (isSingle && branch !== undefined && node.typeId !== branch.kind) continue
      seen.add(node.id)
      yield node
    }
  }

  const byKind = function* (tree: Lookup): Generator<Node> {
    if (branch === undefined) {
      yield* everyNode(tree.root, language)
      return
    }
    if (isSingle) {
      yield* tree.ofKind(branch.kind)
      return
    }
    const seen = new Set<number>()
    for (const node of tree.ofKind(branch.kind)) {
      const candidate = node.parent
      if (candidate === null || seen.has(candidate.id)) continue
      seen.add(candidate.id)
      yield candidate
    }
  }

  return {
    kind: branch?.kind,
    find: (tree, text) => {
      const found = considered.length === 0 ? undefined : rarest(text)
      return found === undefined ? byKind(tree) : byPosition(tree, found.anchor, found.places)
    }
  }
}

function* everyNode(root: Node, language: Language): Generator<Node> {
  const cursor = root.walk()
  try {
    for (;;) {
      if (language.isNamed(cursor.nodeTypeId)) yield cursor.currentNode
      if (cursor.gotoFirstChild()) continue
      while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return
    }
  } finally {
    cursor.delete()
  }
}
