/**
 * Parses a fragment inside the contexts of its language (SPEC §5.4): a fragment is rarely a file, and bare it may be read as
 * something else.
 */
import type { Node, Tree } from "web-tree-sitter"
import { type Span, spanOf } from "./Goal.ts"
import type { Context, Grammar } from "./Grammar.ts"
import type { Language } from "./Language.ts"
import type { Piece } from "./Metavariable.ts"

/** The identifier that stands for a metavariable; it occurs nowhere in the pattern. The same name gets the same one. */
export type Stem = (index: number) => string

/** A fragment inside a context, parsed. */
export interface Accepted {
  readonly context: string
  readonly text: string
  /** The sibling nodes that are the fragment. */
  readonly nodes: ReadonlyArray<Node>
  /** Where the fragment ends in `text`; a token of the nodes that begins there or later is the context's. */
  readonly end: number
  /** Where each metavariable stands in `text`, by index of its piece. */
  readonly spelled: ReadonlyMap<number, Spelled>
  /** Offset in the source to offset in `text`. */
  readonly fromSource: (offset: number) => number
  readonly tree: Tree
}

export interface Spelled {
  readonly start: number
  readonly end: number
  /** Where it ends without what its spelling may close with (a statement is not one without its `;`). */
  readonly coreEnd: number
}

/** Why a context does not accept the fragment: how bad it is, and where in the fragment. */
export interface Refusal {
  readonly context: string
  /** Characters that are part of no construct, plus one for each thing missing. */
  readonly badness: number
  /** What is missing, if that is what is wrong. */
  readonly missing: string | undefined
  /** Offset of the first fault in the source of the pattern. */
  readonly at: number
}

interface Scaffolded {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly spelled: ReadonlyMap<number, Spelled>
  /** Offset in `text` to offset in the source of the pattern, and back. */
  readonly toSource: (offset: number) => number
  readonly fromSource: (offset: number) => number
}

const scaffold = (
  context: Context,
  pieces: ReadonlyArray<Piece>,
  stem: Stem,
  spellings: ReadonlyMap<number, string>
): Scaffolded => {
  let text = context.prefix
  const spelled = new Map<number, Spelled>()
  const marks: Array<readonly [at: number, source: number, length: number]> = []
  pieces.forEach((piece, index) => {
    marks.push([text.length, piece.start, piece.text.length])
    if (piece.tag === "text") {
      text += piece.text
    } else {
      const spelling = spellings.get(index)!.replaceAll("@", stem(index))
      const start = text.length
      text += spelling
      const core = spellings.get(index) === "@;" ? spelling : spelling.replace(/[;,\s]+$/, "")
      spelled.set(index, { start, end: text.length, coreEnd: start + core.length })
    }
  })
  const end = text.length
  return {
    text: text + context.suffix,
    start: context.prefix.length,
    end,
    spelled,
    toSource: (offset) => {
      const [at, source, length] = marks.findLast((mark) => mark[0] <= offset) ?? [offset, 0, 0]
      return source + Math.min(length, offset - at)
    },
    fromSource: (offset) => {
      const [at, source] = marks.findLast((mark) => mark[1] <= offset) ?? [0, 0]
      return at + offset - source
    }
  }
}

interface Faults {
  readonly badness: number
  readonly spans: ReadonlyArray<Span>
  readonly missing: string | undefined
}

/** `sizeOf` tells how much of the pattern a fault takes, however its metavariables are spelled. */
const faultsOf = (root: Node, sizeOf: (span: Span) => number): Faults | undefined => {
  if (!root.hasError) return undefined
  const spans: Array<Span> = []
  let badness = 0
  let missing: string | undefined
  const visit = (node: Node): void => {
    if (node.isMissing || node.isError) {
      badness += Math.max(1, sizeOf(spanOf(node)))
      spans.push(spanOf(node))
      if (node.isMissing) missing ??= node.type
    } else if (node.hasError) {
      for (const child of node.children) visit(child)
    }
  }
  visit(root)
  // A hidden token may be missing without any node that says so.
  return { badness: Math.max(1, badness), spans, missing }
}

/** The siblings that cover exactly the fragment. */
const cover = (root: Node, { start, end }: Span): ReadonlyArray<Node> | undefined => {
  const node = root.descendantForIndex(start, end)
  if (node === null) return undefined
  if (node.parent === null || node.startIndex !== start || node.endIndex !== end) {
    const inside = node.children.filter((child) => child.startIndex >= start && child.endIndex <= end)
    const first = inside.find((child) => child.endIndex > child.startIndex)
    const last = inside.findLast((child) => child.endIndex > child.startIndex)
    return first?.startIndex === start && last?.endIndex === end ? inside : undefined
  }
  // Of the nodes with this very extent the outermost: the pattern decides how far to go in.
  let outermost = node
  for (let parent = node.parent; parent !== null && parent.parent !== null; parent = parent.parent) {
    if (parent.startIndex !== start || parent.endIndex !== end) break
    outermost = parent
  }
  return [outermost]
}

/** As `cover`; a node that ends with the line break or the `;` of the context is the fragment too. */
const coverWithTail = (root: Node, scaffolded: Scaffolded): ReadonlyArray<Node> | undefined => {
  const { end, text } = scaffolded
  const withTail = (tail: RegExp) => {
    const match = tail.exec(text.slice(end))
    return match === null ? undefined : cover(root, { ...scaffolded, end: end + match[0].length })
  }
  const line = withTail(/^\n/)
  return line?.length === 1 ? line : (cover(root, scaffolded) ?? withTail(/^\s*;/) ?? line)
}

const usual = ["@", "Z@"]

/** What may stand behind a statement that ends without its `;`. */
const statementEnd = /^(?:\s*$|\s*\}|[^\S\n]*\n|\s+@?(?:else|while|catch|finally|end|in)\b)/

/** The spellings that make sense for a metavariable where it stands. */
const spellingsFor = (
  { runSpellings = [], spellings = usual }: Grammar,
  context: Context,
  pieces: ReadonlyArray<Piece>,
  index: number
): ReadonlyArray<string> => {
  const piece = pieces[index]!
  const after = pieces[index + 1]
  if (piece.tag === "text") return []
  const mayEnd = after === undefined || (after.tag === "text" && statementEnd.test(after.text))
  return [...(context.spellings ?? []), ...spellings, ...(piece.run ? runSpellings : [])].filter(
    (spelling) => mayEnd || !/^[^;]*;$/.test(spelling)
  )
}

/** Whether a fault is at the metavariable, or next to it (that of a hidden token may be anywhere). */
const isNear = (spelled: Spelled, faults: ReadonlyArray<Span>): boolean =>
  faults.length === 0 || faults.some(({ end, start }) => start <= spelled.end + 2 && end >= spelled.start - 2)

/** Whether what a metavariable is spelled as is a node, and not parts of several. */
const isNode = (root: Node, { coreEnd, end, start }: Spelled, text: string): boolean => {
  const node = root.descendantForIndex(start, coreEnd)
  if (node === null || node.startIndex !== start) return false
  return node.endIndex === coreEnd || node.endIndex === end || /^\s*\n$/.test(text.slice(coreEnd, node.endIndex))
}

/** Reads the fragment in one context, or says what is wrong. */
export const read = (
  language: Language,
  context: Context,
  pieces: ReadonlyArray<Piece>,
  stem: Stem
): Accepted | Refusal => {
  const spellings = new Map<number, string>()
  pieces.forEach((piece, index) => {
    if (piece.tag === "variable") spellings.set(index, spellingsFor(language.grammar, context, pieces, index)[0]!)
  })
  const attempt = () => {
    const scaffolded = scaffold(context, pieces, stem, spellings)
    const tree = language.parse(scaffolded.text)!
    const sizeOf = (span: Span) => {
      const inside = [...scaffolded.spelled.values()].filter(({ end, start }) => start < span.end && end > span.start)
      const spelled = inside.map(({ end, start }) => Math.min(end, span.end) - Math.max(start, span.start) - 1)
      return span.end - span.start - spelled.reduce((sum, length) => sum + length, 0)
    }
    return { scaffolded, tree, faults: faultsOf(tree.rootNode, sizeOf) }
  }
  let best = attempt()
  // Those whose other spellings were tried while all the others had their usual ones.
  const tried = new Set<number>()
  let isUsual = true
  // One metavariable at a time takes another spelling, and keeps it where the parse gets better.
  for (const index of spellings.keys()) {
    for (const option of spellingsFor(language.grammar, context, pieces, index).slice(1)) {
      const { faults, scaffolded } = best
      if (faults === undefined || !isNear(scaffolded.spelled.get(index)!, faults.spans)) break
      if (isUsual) tried.add(index)
      const before = spellings.get(index)!
      spellings.set(index, option)
      const next = attempt()
      const isBetter = (next.faults?.badness ?? 0) < faults.badness
      if (isBetter && isNode(next.tree.rootNode, next.scaffolded.spelled.get(index)!, next.scaffolded.text)) {
        best.tree.delete()
        best = next
        isUsual = false
      } else {
        next.tree.delete()
        spellings.set(index, before)
      }
    }
  }
  // A fault may be told far from the only metavariable that causes it: one change to the usual spellings may be all it takes.
  for (const index of spellings.keys()) {
    if (tried.has(index)) continue
    const options = spellingsFor(language.grammar, context, pieces, index)
    for (const option of options.slice(1)) {
      if (best.faults === undefined) break
      for (const other of spellings.keys()) {
        spellings.set(other, other === index ? option : spellingsFor(language.grammar, context, pieces, other)[0]!)
      }
      const next = attempt()
      const isRight =
        next.faults === undefined &&
        isNode(next.tree.rootNode, next.scaffolded.spelled.get(index)!, next.scaffolded.text)
      if (isRight) best.tree.delete()
      else next.tree.delete()
      if (isRight) best = next
    }
  }
  const { scaffolded, tree, faults } = best
  const refuse = (badness: number, at: number): Refusal => {
    tree.delete()
    return { context: context.name, badness, missing: faults?.missing, at: scaffolded.toSource(at) }
  }
  if (faults !== undefined)
    return refuse(faults.badness, Math.min(scaffolded.end, ...faults.spans.map(({ start }) => start)))
  const nodes = coverWithTail(tree.rootNode, scaffolded)
  if (nodes === undefined || (context.single === true && nodes.length !== 1)) {
    return refuse(scaffolded.end - scaffolded.start, scaffolded.end)
  }
  const { end, fromSource, spelled, text } = scaffolded
  return { context: context.name, text, nodes, end, spelled, fromSource, tree }
}
