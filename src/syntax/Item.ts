/** The children of a node as the matcher sees them, and what may be passed over among them (SPEC §5.5). */
import type { Node } from "web-tree-sitter"
import type * as Goal from "./Goal.ts"
import { Extra, type Language } from "./Language.ts"

/** A child in a list of siblings, with what the matcher asks of it; a question to the tree costs a call into its module. */
export class Item {
  readonly node: Node
  readonly kind: number
  readonly start: number
  /** Of the first in a list whose parentheses were left out: where these stand. */
  readonly around: Goal.Span | undefined
  readonly #parent: Node | undefined
  readonly #index: number
  #end = -1
  #isExtra: boolean | undefined
  #items: ReadonlyArray<Item> | undefined
  constructor(node: Node, parent: Node | undefined, index: number, around?: Goal.Span) {
    this.node = node
    this.around = around
    this.kind = node.typeId
    this.start = node.startIndex
    this.#parent = parent
    this.#index = index
  }
  get end(): number {
    if (this.#end < 0) this.#end = this.node.endIndex
    return this.#end
  }
  get isExtra(): boolean {
    return (this.#isExtra ??= this.node.isExtra)
  }
  /** Without any text, as a node that the parser had to invent. */
  get isBlank(): boolean {
    return this.end === this.start
  }
  get parentKind(): number | undefined {
    return this.#parent?.typeId
  }
  get field(): string | undefined {
    return this.#parent?.fieldNameForChild(this.#index) ?? undefined
  }
  get items(): ReadonlyArray<Item> {
    return (this.#items ??= this.node.children.map((node, index) => new Item(node, this.node, index)))
  }
  /** The items without parentheses. */
  get bare(): ReadonlyArray<Item> {
    const open = this.node.children.findIndex(({ type }) => type === "(")
    const close = this.node.children.findLastIndex(({ type }) => type === ")")
    if (open < 0 || close < open) return this.items
    const around = { start: this.items[open]!.start, end: this.items[close]!.end }
    return this.items.flatMap((item, index) => {
      if (index === open || index === close) return []
      return index === open + 1 ? [new Item(item.node, this.node, index, around)] : [item]
    })
  }
}

/** Without the line break that some nodes end with (a list of statements, a directive). */
export const spanOf = (item: Item, text: string, language: Language): Goal.Span => {
  const { end, start } = item
  if (text[end - 1] !== "\n" || language.isString(item.kind)) return { start, end }
  return { start, end: start + text.slice(start, end).trimEnd().length }
}

/** What a child is to the matcher, in a language. */
export const rules = (language: Language) => {
  const isComment = (item: Item) => item.isExtra && !language.isError(item.kind)
  const isSemicolon = (item: Item | undefined) => item !== undefined && language.isSemicolon(item.kind)
  const isSeparator = (item: Item) => {
    const extra = language.extraOf(item.kind)
    return extra === Extra.always || extra === Extra.comma
  }

  /** Whether the code may have this sibling without the pattern having it; `next` is the goal that comes after it. */
  const mayPass = (item: Item, isFirst: boolean, next: Goal.Goal | undefined): boolean => {
    const extra = language.extraOf(item.kind)
    if (extra === Extra.always || item.isBlank || isComment(item)) return true
    switch (extra) {
      case Extra.comma:
        return next === undefined || (next.tag === "leaf" && !next.named)
      case Extra.word:
        return isFirst || next === undefined || next.tag === "leaf"
      default:
        return false
    }
  }

  const mayRun = (item: Item, goal: Goal.Run): boolean => {
    if (language.isBracket(item.kind) || language.isClause(item.kind)) return false
    if (goal.field === undefined || !language.isNamed(item.kind)) return true
    const field = item.field
    return field === undefined || field === goal.field
  }

  const isNode = (item: Item) =>
    language.isNamed(item.kind) && !language.isError(item.kind) && !item.isBlank && !isComment(item)

  /** A token that may stand for itself where a node could: not what only holds other nodes apart. */
  const isOperator = (item: Item) => isToken(item) && language.typeOf(item.kind) !== ":"

  const isToken = (item: Item) =>
    !language.isNamed(item.kind) && !language.isBracket(item.kind) && !isSeparator(item) && !item.isBlank

  /** Whether a metavariable that has taken the siblings before it may take this one too. */
  const continues = (item: Item | undefined): item is Item => {
    if (item === undefined) return false
    if (language.isLink(item.kind)) return true
    // Asked of the grammar first: the parent's kind costs a call into the tree.
    if (language.grammar.unparsed === undefined || !language.isUnparsed(item.parentKind ?? -1)) return false
    return isNode(item) || isToken(item)
  }

  return { continues, isComment, isNode, isOperator, isSemicolon, isSeparator, mayPass, mayRun }
}
