/** The children of a node as the matcher sees them, and what may be passed over among them (SPEC §5.5). */
import type { Node } from "web-tree-sitter"
import type * as Goal from "./Goal.ts"
import { Extra, type Language } from "./Language.ts"

/** A child in a list of siblings, with what the matcher asks of it; a question to the tree costs a call into its module. */
export class Item {
  readonly node: Node
  readonly kind: number
  readonly start: number
  readonly #parent: Node | undefined
  readonly #index: number
  #end = -1
  #isExtra: boolean | undefined
  #items: ReadonlyArray<Item> | undefined
  constructor(node: Node, parent: Node | undefined, index: number) {
    this.node = node
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
  get field(): string | undefined {
    return this.#parent?.fieldNameForChild(this.#index) ?? undefined
  }
  get items(): ReadonlyArray<Item> {
    return (this.#items ??= this.node.children.map((node, index) => new Item(node, this.node, index)))
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

  const isOperator = (item: Item) =>
    !language.isNamed(item.kind) && !language.isBracket(item.kind) && !isSeparator(item) && !item.isBlank

  return { isComment, isNode, isOperator, isSemicolon, isSeparator, mayPass, mayRun }
}
