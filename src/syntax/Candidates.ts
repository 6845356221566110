/**
 * Where a reading may match (SPEC §5; never by walking a tree): by the positions of a literal of the pattern, else by
 * node kind; and which files need not be parsed at all.
 */
import type { Node } from "web-tree-sitter"
import * as Goal from "./Goal.ts"
import type { Language } from "./Language.ts"
import type { Reading } from "./Pattern.ts"

/** A token of the pattern that must be in the code, and how many nodes above it the pattern's own node is. */
interface Anchor {
  readonly text: string
  readonly kind: number
  readonly isWord: boolean
  readonly depth: number
}

export interface Filter {
  /** Texts that a file must contain to have a match. */
  readonly literals: ReadonlyArray<string>
  /** Neighbouring tokens of the pattern, as they may stand in a file; each must be found in it. */
  readonly sequences: ReadonlyArray<RegExp>
}

export interface Candidates {
  readonly filter: Filter
  /** Nodes of a tree at which (or, for siblings, among the children of which) a match may be, each once. */
  readonly find: (root: Node, text: string) => Iterable<Node>
}

const escape = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")

const boundary = (leaf: { readonly text: string; readonly isWord: boolean }) =>
  leaf.isWord ? `(?<!\\w)${escape(leaf.text)}(?!\\w)` : escape(leaf.text)

/** What may stand between two tokens that are neighbours in the tree. */
const gapFor = (language: Language): string | undefined => {
  const { comments } = language.grammar
  if (comments === undefined) return undefined
  const blocks = (comments.block ?? []).map(
    ([open, close]) => `${escape(open)}(?:(?!${escape(close)})[^])*${escape(close)}`
  )
  const lines = (comments.line ?? []).map((line) => `${escape(line)}[^\\n]*\\n`)
  const words = language.keywords.map((word) => `\\b${escape(word)}\\b`)
  // Each alternative can match in one way only, or a long gap would be tried in exponentially many.
  return `(?:${["[\\s\\\\;,]", ...lines, ...blocks, ...words].join("|")})*`
}

/** The leaves that every match has (a `;` may be a line break), cut where something else may stand between two of them. */
const requiredLeaves = (goals: ReadonlyArray<Goal.Goal>): ReadonlyArray<ReadonlyArray<Goal.Leaf>> => {
  const sequences: Array<Array<Goal.Leaf>> = [[]]
  const cut = () => void (sequences.at(-1)!.length > 0 && sequences.push([]))
  const visit = (list: ReadonlyArray<Goal.Goal>): void => {
    list.forEach((goal, index) => {
      const isOptional = Goal.isSeparator(goal) && (list[index - 1]?.tag === "run" || list[index + 1]?.tag === "run")
      if (goal.tag === "leaf" && !goal.named && goal.text === ";") cut()
      else if (goal.tag === "leaf" && !isOptional) sequences.at(-1)!.push(goal)
      else if (goal.tag === "branch") {
        // Text that no child covers stands somewhere between the leaves.
        if (goal.rest !== "") cut()
        visit(goal.children)
        if (goal.rest !== "") cut()
      } else cut()
    })
  }
  visit(goals)
  return sequences.filter((sequence) => sequence.length > 0)
}

/** Whether the text of a leaf is found in a file as it is in the pattern. */
const isTextual = (leaf: Goal.Leaf, language: Language): boolean => {
  if (leaf.named) return true
  if (language.typeOf(leaf.kind) !== leaf.text) return false
  return language.grammar.caseInsensitive !== true || !/[a-z]/i.test(leaf.text)
}

const filterOf = (reading: Reading, language: Language): Filter => {
  const gap = gapFor(language)
  const sequences = requiredLeaves(reading.goals).map((sequence) =>
    sequence.filter((leaf) => isTextual(leaf, language))
  )
  const literals = [...new Set(sequences.flat().map((leaf) => leaf.text))].sort((a, b) => b.length - a.length)
  return {
    literals,
    sequences:
      gap === undefined
        ? []
        : requiredLeaves(reading.goals)
            .filter((sequence) => sequence.length > 1 && sequence.every((leaf) => isTextual(leaf, language)))
            .filter((sequence) => sequence.some((leaf) => leaf.isWord))
            .map((sequence) => new RegExp(sequence.map(boundary).join(gap)))
  }
}

const anchorsOf = (goals: ReadonlyArray<Goal.Goal>, language: Language): ReadonlyArray<Anchor> => {
  const anchors: Array<Anchor> = []
  const visit = (list: ReadonlyArray<Goal.Goal>, depth: number): void => {
    list.forEach((goal, index) => {
      if (goal.tag === "branch") visit(goal.children, depth + 1)
      if (goal.tag !== "leaf" || goal.text === ";" || !isTextual(goal, language)) return
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

/** Prepares the search for candidates of a reading. */
export const make = (reading: Reading, language: Language): Candidates => {
  const { goals } = reading
  const isSingle = goals.length === 1
  const anchors = [...anchorsOf(goals, language)].sort((a, b) => weight(b, language) - weight(a, language))
  const anchor = anchors.find(({ text }) => text.length > 1 || /\w/.test(text)) ?? anchors[0]
  const branch = goals.find((goal) => goal.tag === "branch")

  const occurrences = function* (text: string, { text: literal, isWord }: Anchor): Generator<number> {
    for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + 1)) {
      if (isWord && (/\w/.test(text[at - 1] ?? "") || /\w/.test(text[at + literal.length] ?? ""))) continue
      yield at
    }
  }

  const isSparse = (text: string, by: Anchor): boolean => {
    let left = Math.max(16, text.length / charactersPerLookup)
    for (const _ of occurrences(text, by)) if (left-- <= 0) return false
    return true
  }

  const byPosition = function* (root: Node, text: string, by: Anchor): Generator<Node> {
    const seen = new Set<number>()
    const climb = isSingle ? by.depth : by.depth + 1
    for (const at of occurrences(text, by)) {
      const end = at + by.text.length
      let node = root.descendantForIndex(at, end)
      // Of the nodes that are just this token, the one that has the token's kind.
      while (node !== null && node.typeId !== by.kind && node.startIndex === at && node.endIndex === end) {
        node = node.parent
      }
      if (node === null || node.typeId !== by.kind || node.startIndex !== at || node.endIndex !== end) continue
      for (let level = 0; level < climb && node !== null; level++) node = node.parent
      if (node === null || seen.has(node.id)) continue
      if (isSingle && branch !== undefined && node.typeId !== branch.kind) continue
      seen.add(node.id)
      yield node
    }
  }

  const byKind = function* (root: Node): Generator<Node> {
    if (branch === undefined) {
      yield* everyNode(root, language)
      return
    }
    const seen = new Set<number>()
    for (const node of root.descendantsOfType(language.typeOf(branch.kind))) {
      const candidate = isSingle ? node : node.parent
      if (node.typeId !== branch.kind || candidate === null || seen.has(candidate.id)) continue
      seen.add(candidate.id)
      yield candidate
    }
  }

  return {
    filter: filterOf(reading, language),
    find: (root, text) =>
      anchor !== undefined && (branch === undefined || isSparse(text, anchor))
        ? byPosition(root, text, anchor)
        : byKind(root)
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
