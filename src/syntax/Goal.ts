/** The tree of a compiled pattern: what a node of the code is compared with (SPEC §5.5). */
import type { Node } from "web-tree-sitter"
import type { Language } from "./Language.ts"

/** A node without children: same kind and, where it is named, same text. */
export interface Leaf {
  readonly tag: "leaf"
  readonly kind: number
  readonly named: boolean
  readonly text: string
  /** Whether the pattern has other characters than letters and digits on both sides of it. */
  readonly isWord: boolean
  readonly field: string | undefined
}

/** A node with children. */
export interface Branch {
  readonly tag: "branch"
  readonly kind: number
  readonly children: ReadonlyArray<Goal>
  /** The text that no child covers (`textOfGaps`), or the metavariable that is all of it. */
  readonly rest: string | Hole
  readonly field: string | undefined
}

/** A metavariable in place of the text of a node, between quotes where these are no children of it. */
export interface Hole {
  readonly slot: number | undefined
  readonly quote: string
  /** Blanks around it are not its own (`{{ $X }}`). */
  readonly isPadded: boolean
}

/** `$NAME`: one node. `slot` is the index of the variable, undefined where nothing is bound. */
export interface One {
  readonly tag: "one"
  readonly slot: number | undefined
  readonly field: string | undefined
}

/** `$$$NAME`: zero or more siblings. */
export interface Run {
  readonly tag: "run"
  readonly slot: number | undefined
  readonly field: string | undefined
}

export type Goal = Leaf | Branch | One | Run

/** What decides nothing where no child is: some grammars hide the `;` that another statement may follow. */
const blank = /[\s\\;]+/g

/** A stretch of a text, in UTF-16 units. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Whether only blanks stand between the children of a node. */
export const isCovered = (node: Span, children: ReadonlyArray<Span>, text: string): boolean => {
  let at = node.start
  for (const child of children) {
    if (!isBlank(text, at, child.start)) return false
    at = child.end
  }
  return isBlank(text, at, node.end)
}

const isBlank = (text: string, start: number, end: number): boolean => {
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at)
    if (unit !== 32 && (unit < 9 || unit > 13)) return false
  }
  return true
}

/** Without the blanks at both ends. */
export const trimmed = ({ end, start }: Span, text: string): Span => {
  const whole = text.slice(start, end)
  return { start: end - whole.trimStart().length, end: start + whole.trimEnd().length }
}

/** The stretches of a node that belong to none of its children. */
export const gapsOf = (node: Span, children: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const gaps: Array<Span> = []
  let at = node.start
  for (const child of children) {
    if (child.start > at) gaps.push({ start: at, end: child.start })
    at = child.end
  }
  if (node.end > at) gaps.push({ start: at, end: node.end })
  return gaps
}

/** The text in these gaps, pieces joined by NUL. Blanks, line continuations and `;` count inside string kinds only. */
export const textOfGaps = (gaps: ReadonlyArray<Span>, textOf: (span: Span) => string, isString: boolean): string =>
  gaps
    .map((gap) => (isString ? textOf(gap) : textOf(gap).replace(blank, "")))
    .filter((piece) => piece !== "")
    .join("\0")

export const spanOf = (node: Node): Span => ({ start: node.startIndex, end: node.endIndex })

/** Whether two adjacent goals may lose this token when a run beside it is empty. */
export const isSeparator = (goal: Goal | undefined): goal is Leaf =>
  goal !== undefined && goal.tag === "leaf" && !goal.named && /^[,;|&]$/.test(goal.text)

/** Whether a run is among these goals, and no parentheses are. */
export const isBareRun = (goals: ReadonlyArray<Goal>): boolean =>
  goals.some(({ tag }) => tag === "run") && !goals.some((goal) => goal.tag === "leaf" && /^[()]$/.test(goal.text))

/** What `build` needs to know of a scaffolded pattern. */
export interface Slots {
  /** Where the fragment ends; what follows in the last node is the context's. */
  readonly end: number
  /** Whether a token is not part of the pattern: it belongs to the context, or closes a spelling. */
  readonly isForeign: (span: Span) => boolean
  /** The metavariable that is just this stretch; `isSpread`: a run of parts that are in different fields. */
  readonly find: (
    span: Span
  ) => { readonly run: boolean; readonly isSpread: boolean; readonly slot: number | undefined } | undefined
  /** The text of a stretch as it was written, spellings put back. */
  readonly written: (span: Span) => string
}

/** Turns the nodes of a parsed pattern into goals. Nodes that the parser had to invent are left out. */
export const build = (
  nodes: ReadonlyArray<Node>,
  text: string,
  language: Language,
  slots: Slots,
  fieldOf: (index: number) => string | undefined
): ReadonlyArray<Goal> => {
  const goals: Array<Goal> = []
  nodes.forEach((node, index) => {
    if (node.isMissing || node.startIndex === node.endIndex || slots.isForeign(spanOf(node))) return
    goals.push(goalOf(node, text, language, slots, fieldOf(index)))
  })
  return goals
}

const goalOf = (node: Node, text: string, language: Language, slots: Slots, field: string | undefined): Goal => {
  const kind = node.typeId
  const span = { start: node.startIndex, end: Math.min(node.endIndex, slots.end) }
  // Some nodes end with the line break behind them.
  const hasBreak = text[span.end - 1] === "\n" && !language.isString(kind)
  const found = slots.find(hasBreak ? { start: span.start, end: trimmed(span, text).end } : span)
  if (found !== undefined && (found.run || !language.isSequence(kind))) {
    return { tag: found.run ? "run" : "one", slot: found.slot, field: found.isSpread ? undefined : field }
  }
  const children = node.children
  if (children.length === 0 || !language.isNamed(kind)) {
    const written = slots.written(span)
    const quote = /^(['"`])[^]*\1$/.exec(written)?.[1]
    const inside = quote === undefined ? undefined : slots.find({ start: span.start + 1, end: span.end - 1 })
    if (inside !== undefined) {
      return { tag: "branch", kind, children: [], rest: { slot: inside.slot, quote: quote!, isPadded: false }, field }
    }
    const padded = slots.find(trimmed(span, text))
    if (padded !== undefined) {
      return { tag: "branch", kind, children: [], rest: { slot: padded.slot, quote: "", isPadded: true }, field }
    }
    const isWord =
      !/\w/.test(text[node.startIndex - 1] ?? "") && !/\w/.test(text[node.endIndex] ?? "") && /^\w+$/.test(written)
    return { tag: "leaf", kind, named: language.isNamed(kind), text: written, isWord, field }
  }
  const goals = build(children, text, language, slots, (index) => node.fieldNameForChild(index) ?? undefined)
  // `$$$A;` is a run of statements, not one statement that is an expression and a semicolon.
  const [first, second] = goals
  if (goals.length === 2 && first?.tag === "run" && second?.tag === "leaf" && second.text === ";") {
    return { ...first, field }
  }
  const gaps = gapsOf(span, children.map(spanOf)).filter((gap) => text.slice(gap.start, gap.end).trim() !== "")
  const exact = gaps.length === 1 ? slots.find(gaps[0]!) : undefined
  const hole = exact ?? (gaps.length === 1 ? slots.find(trimmed(gaps[0]!, text)) : undefined)
  const rest = textOfGaps(gapsOf(span, children.map(spanOf)), slots.written, language.isString(kind))
  return {
    tag: "branch",
    kind,
    children: goals,
    rest: hole === undefined ? rest : { slot: hole.slot, quote: "", isPadded: exact === undefined },
    field
  }
}

/** Whether two patterns match the same nodes, so that two contexts give one reading. */
export const equal = (a: ReadonlyArray<Goal>, b: ReadonlyArray<Goal>): boolean =>
  a.length === b.length && a.every((goal, index) => equalOne(goal, b[index]!))

const equalOne = (a: Goal, b: Goal): boolean => {
  if (a.tag === "leaf") return b.tag === "leaf" && a.kind === b.kind && (!a.named || a.text === b.text)
  if (a.tag === "one") return b.tag === "one" && a.slot === b.slot
  if (a.tag === "run") return b.tag === "run" && a.slot === b.slot && a.field === b.field
  if (b.tag !== "branch" || a.kind !== b.kind || !equal(a.children, b.children)) return false
  if (typeof a.rest === "string" || typeof b.rest === "string") return a.rest === b.rest
  return a.rest.slot === b.rest.slot && a.rest.quote === b.rest.quote && a.rest.isPadded === b.rest.isPadded
}

/** The kinds of the goals, one line a node, for reports. */
export const render = (goals: ReadonlyArray<Goal>, language: Language, variables: ReadonlyArray<string>): string => {
  const name = (slot: number | undefined) => (slot === undefined ? "" : variables[slot]!)
  const line = (goal: Goal): string => {
    switch (goal.tag) {
      case "leaf":
        return goal.named ? `${language.typeOf(goal.kind)} ${JSON.stringify(goal.text)}` : JSON.stringify(goal.text)
      case "one":
        return goal.slot === undefined ? "$_" : `$${name(goal.slot)}`
      case "run":
        return `$$$${name(goal.slot)}`
      case "branch": {
        const hole = typeof goal.rest === "string" ? undefined : goal.rest
        const text = hole === undefined ? goal.rest : `${hole.quote}$${name(hole.slot) || "_"}${hole.quote}`
        const rest = text === "" ? [] : [JSON.stringify(text)]
        return `(${[language.typeOf(goal.kind), ...goal.children.map(line), ...rest].join(" ")})`
      }
    }
  }
  return goals.map(line).join(" ")
}

/** The variables that these goals bind. */
export const slotsOf = (goals: ReadonlyArray<Goal>): ReadonlySet<number> => {
  const slots = new Set<number | undefined>()
  for (const goal of walk(goals)) {
    if (goal.tag === "one" || goal.tag === "run") slots.add(goal.slot)
    else if (goal.tag === "branch" && typeof goal.rest !== "string") slots.add(goal.rest.slot)
  }
  return new Set([...slots].flatMap((slot) => slot ?? []))
}

/** Every goal below these, in document order, themselves included. */
export function* walk(goals: ReadonlyArray<Goal>): Generator<Goal> {
  for (const goal of goals) {
    yield goal
    if (goal.tag === "branch") yield* walk(goal.children)
  }
}
