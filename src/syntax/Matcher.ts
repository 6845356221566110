/**
 * Compares goals with the nodes of a tree (SPEC §5.5). Lists of siblings are matched with backtracking; a failed pair of
 * positions is remembered, so that the cost stays polynomial.
 */
import type { Node } from "web-tree-sitter"
import * as Goal from "./Goal.ts"
import * as Item from "./Item.ts"
import type { Language } from "./Language.ts"
import type { Variable } from "./Pattern.ts"

/** What a metavariable took. Offsets are UTF-16 units in the text. */
export interface Capture {
  readonly start: number
  readonly end: number
  /** Of a run: its nodes without separators. */
  readonly items: ReadonlyArray<Goal.Span> | undefined
}

export interface Match {
  readonly start: number
  readonly end: number
  /**
   * Where the last token that the pattern asks for ends; what follows up to `end` (a `;`) is not in the pattern, and a
   * rewrite leaves it.
   */
  readonly lastEnd: number
  /** By slot; a variable that is literal text in this reading has none. */
  readonly captures: ReadonlyArray<Capture | undefined>
  /** Spans of tokens and comments inside the match that the pattern does not have, when asked for. */
  readonly extras: ReadonlyArray<Goal.Span>
  /** Named nodes that were passed over, when `relax` allowed it. */
  readonly skipped: ReadonlyArray<Skipped>
}

export interface Skipped {
  readonly kind: string
  readonly field: string | undefined
  readonly text: string
}

/** Steps that one candidate, and all candidates of a text together, may take before they are given up. */
const mostSteps = 1_000_000
const mostStepsInAll = 5_000_000
/** The same where siblings may be passed over, which is only for a hint. */
const mostRelaxedSteps = 20_000
const mostRelaxedStepsInAll = 200_000

export interface Options {
  /** How many named siblings a match may pass over that the pattern does not have; default 0. */
  readonly relax?: number
  /** Whether `Match.extras` is wanted; default false. */
  readonly extras?: boolean
}

export interface Matcher {
  /** The match at a node, for a pattern that is one goal. */
  readonly at: (node: Node) => Match | undefined
  /** The matches among the children of a node, for a pattern that is several siblings. */
  readonly among: (parent: Node) => ReadonlyArray<Match>
  /** How many candidates were given up as too costly. */
  readonly givenUp: () => number
}

type Continue = (next: number) => boolean

/** Makes a matcher for the goals of a reading over one text. */
export const make = (
  goals: ReadonlyArray<Goal.Goal>,
  variables: ReadonlyArray<Variable>,
  language: Language,
  text: string,
  options: Options = {}
): Matcher => {
  const captures: Array<Capture | undefined> = variables.map(() => undefined)
  const extras: Array<Goal.Span> = []
  const skipped: Array<Skipped> = []
  let relaxLeft = 0
  let steps = 0
  let stepsLeft = options.relax === undefined ? mostStepsInAll : mostRelaxedStepsInAll
  let limit = 0
  let givenUp = 0
  let lastEnd = 0

  const textOf = (span: Goal.Span) => text.slice(span.start, span.end)

  const sameText = (a: Capture, b: Capture): boolean => {
    if (a.items === undefined || b.items === undefined) return textOf(a) === textOf(b)
    return (
      a.items.length === b.items.length && a.items.every((item, index) => textOf(item) === textOf(b.items![index]!))
    )
  }

  // What repeated variables hold decides whether the rest matches, so each combination of their texts is a state of its own.
  const states = new Map<string, number>()
  let state = 0
  const stateWith = (slot: number, capture: Capture): number => {
    const texts = capture.items?.map(textOf) ?? [textOf(capture)]
    const name = `${state} ${slot} ${texts.join("\0")}`
    const known = states.get(name) ?? states.size + 1
    states.set(name, known)
    return known
  }

  /** Binds for as long as the continuation runs; a match keeps what is bound when it is found. */
  const bind = (slot: number | undefined, capture: Capture, then: () => boolean): boolean => {
    if (slot === undefined) return then()
    const before = captures[slot]
    if (before !== undefined) return sameText(before, capture) && then()
    const stateBefore = state
    if (variables[slot]!.isRepeated) state = stateWith(slot, capture)
    captures[slot] = capture
    if (then()) return true
    captures[slot] = undefined
    state = stateBefore
    return false
  }

  const { continues, isComment, isNode, isOperator, isSemicolon, isSeparator, mayPass, mayRun } = Item.rules(language)

  /** The nodes of a run without separators; a `;` that closes a node of a kind that needs one belongs to it. */
  const spansOf = (items: ReadonlyArray<Item.Item>, from: number, to: number): ReadonlyArray<Goal.Span> => {
    const spans: Array<Goal.Span> = []
    for (let index = from; index < to; index++) {
      const item = items[index]!
      const before = index > from ? items[index - 1]!.kind : -1
      if (isSemicolon(item) && language.isTerminated(before)) {
        spans.push({ start: spans.pop()!.start, end: item.end })
      } else if (language.isSequence(item.kind)) spans.push(...spansOf(item.items, 0, item.items.length))
      else if (!isSeparator(item) && !item.isBlank) spans.push(Item.spanOf(item, text, language))
    }
    return spans
  }

  /** A run of items; what its nodes are is found out when somebody asks, most runs are only tried. */
  const runCapture = (items: ReadonlyArray<Item.Item>, from: number, to: number, at: number): Capture => {
    let known: ReadonlyArray<Goal.Span> | undefined
    const spans = () => (known ??= spansOf(items, from, to))
    const around = items[from]?.around
    const isAll = around !== undefined && items.slice(to).every((item) => isSeparator(item) || item.start > around.end)
    return {
      get start() {
        return isAll ? around.start : (spans()[0]?.start ?? at)
      },
      get end() {
        if (isAll) return around.end
        const last = spans().at(-1)?.end ?? at
        return isSemicolon(items[to - 1]) ? Math.max(last, items[to - 1]!.end) : last
      },
      get items() {
        return spans()
      }
    }
  }

  const matchNode = (goal: Goal.Leaf | Goal.Branch, item: Item.Item, then: () => boolean): boolean => {
    if (item.kind !== goal.kind) return false
    if (goal.tag === "leaf") {
      if (goal.named && !text.startsWith(goal.text, item.start)) return false
      return (goal.named ? item.end - item.start === goal.text.length : !item.isBlank) && then()
    }
    const rest = goal.rest
    if (typeof rest !== "string" && goal.children.length === 0) return matchHole(rest, [item], then)
    const mayBeBare = language.isParenthesized(item.kind) && Goal.isBareRun(goal.children)
    return matchList(goal.children, mayBeBare ? item.bare : item.items, 0, true, () => {
      if (rest === "" && !language.isString(goal.kind) && Goal.isCovered(item, item.items, text)) return then()
      const gaps = Goal.gapsOf(item, item.items)
      if (typeof rest === "string") {
        return Goal.textOfGaps(gaps, textOf, language.isString(goal.kind)) === rest && then()
      }
      return matchHole(rest, gaps, then)
    })
  }

  const matchHole = (hole: Goal.Hole, gaps: ReadonlyArray<Goal.Span>, then: () => boolean): boolean => {
    const [gap, ...others] = gaps.filter((span) => textOf(span).trim() !== "")
    if (gap === undefined || others.length > 0) return false
    const { length } = hole.quote
    const isQuoted = text.startsWith(hole.quote, gap.start) && text.startsWith(hole.quote, gap.end - length)
    const whole = { start: gap.start + length, end: gap.end - length }
    const inside = { ...(hole.isPadded ? Goal.trimmed(whole, text) : whole), items: undefined }
    return isQuoted && inside.end > inside.start && bind(hole.slot, inside, then)
  }

  /** Matches goals with the items from `from` on; `toEnd`: all items, else only as many as the goals take. */
  const matchList = (
    list: ReadonlyArray<Goal.Goal>,
    items: ReadonlyArray<Item.Item>,
    from: number,
    toEnd: boolean,
    then: Continue
  ): boolean => {
    const failed = new Set<number>()
    const key = (i: number, j: number): number => (state * list.length + i) * (items.length + 1) + j

    const emptyRun = (run: Goal.Run, j: number, continueWith: () => boolean): boolean => {
      const at = j > 0 ? items[j - 1]!.end : (items[0]?.start ?? 0)
      return bind(run.slot, { start: at, end: at, items: [] }, continueWith)
    }

    const step = (i: number, j: number): boolean => {
      const marks = [extras.length, skipped.length, relaxLeft] as const
      if (++steps <= limit && tryStep(i, j)) return true
      extras.length = marks[0]
      skipped.length = marks[1]
      relaxLeft = marks[2]
      return false
    }

    const tryStep = (i: number, j: number): boolean => {
      if (i === list.length) {
        if (toEnd && !items.slice(j).every((item) => pass(item, false, undefined))) return false
        return then(j)
      }
      const isRemembered = options.relax === undefined
      const id = isRemembered ? key(i, j) : 0
      if (isRemembered && failed.has(id)) return false
      const goal = list[i]!
      if (goal.tag === "run" ? stepRun(goal, i, j) : stepOne(goal, i, j)) return true
      if (isRemembered) failed.add(id)
      return false
    }

    /** Passes over an item, noting what it was. */
    const pass = (item: Item.Item, isFirst: boolean, next: Goal.Goal | undefined): boolean => {
      if (mayPass(item, isFirst, next)) {
        if (options.extras === true && !item.isBlank) extras.push({ start: item.start, end: item.end })
        return true
      }
      if (relaxLeft === 0 || !(isNode(item) || language.isBracket(item.kind))) return false
      relaxLeft--
      skipped.push({ kind: language.typeOf(item.kind), field: item.field, text: textOf(item) })
      return true
    }

    const stepOne = (goal: Exclude<Goal.Goal, Goal.Run>, i: number, start: number): boolean => {
      for (let j = start; j < items.length; j++) {
        const item = items[j]!
        if (goal.tag === "one" ? take(goal, i, j) : matchNode(goal, item, () => step(i + 1, j + 1))) return true
        // A window begins with its first goal.
        if ((!toEnd && i === 0) || !pass(item, i === 0, goal)) break
      }
      const next = list[i + 1]
      if (goal.tag === "leaf" && !goal.named && goal.text === ";" && isTerminated(start)) return step(i + 1, start)
      return Goal.isSeparator(goal) && next?.tag === "run" && emptyRun(next, start, () => step(i + 2, start))
    }

    /** Whether the `;` of the pattern is inside the node before, or a line break stands for it. */
    const isTerminated = (j: number): boolean => {
      const before = items[j - 1]
      const after = items[j]
      if (before === undefined) return false
      if (text[before.end - 1] === ";") return true
      if (language.grammar.lineEndsStatement !== true) return false
      return after === undefined || text.slice(before.end, after.start).includes("\n") || textOf(before).endsWith("\n")
    }

    const take = (goal: Goal.One, i: number, j: number): boolean => {
      const item = items[j]!
      if (language.isLink(item.kind) || !(isNode(item) || isOperator(item))) return false
      for (let last = j; last === j || continues(items[last]); last++) {
        const capture = { start: item.start, end: Item.spanOf(items[last]!, text, language).end, items: undefined }
        const then = () => step(i + 1, last + 1)
        if (bind(goal.slot, capture, then)) return true
      }
      return false
    }

    const stepRun = (goal: Goal.Run, i: number, j: number): boolean => {
      const next = list[i + 1]
      const before = items[j - 1]?.end ?? items[0]?.start ?? 0
      if (!toEnd && next === undefined) {
        // The last goal of a window takes all that follows.
        let end = j
        while (end < items.length && mayRun(items[end]!, goal)) end++
        while (end > j && isSeparator(items[end - 1]!) && !isSemicolon(items[end - 1])) end--
        return bind(goal.slot, runCapture(items, j, end, before), () => then(end))
      }
      const isSeparated = Goal.isSeparator(next)
      if (emptyRun(goal, j, () => (isSeparated && step(i + 2, j)) || step(i + 1, j))) return true
      const endsWithSemicolon = next?.tag === "leaf" && next.text === ";"
      for (let end = j; end < items.length && mayRun(items[end]!, goal); end++) {
        if (isSeparator(items[end]!)) continue
        let stop = end + 1
        if (!endsWithSemicolon) while (isSemicolon(items[stop])) stop++
        if (bind(goal.slot, runCapture(items, j, stop, before), () => step(i + 1, stop))) return true
      }
      return false
    }

    return step(0, from)
  }

  const reset = () => {
    captures.fill(undefined)
    extras.length = 0
    skipped.length = 0
    relaxLeft = options.relax ?? 0
    states.clear()
    state = 0
    steps = 0
    limit = Math.min(options.relax === undefined ? mostSteps : mostRelaxedSteps, stepsLeft)
  }

  const attempt = (
    start: number,
    run: (done: (end: number, last: number) => boolean) => boolean
  ): Match | undefined => {
    reset()
    let end = start
    const found = run((matchEnd, last) => {
      end = matchEnd
      lastEnd = last
      return true
    })
    stepsLeft -= Math.min(steps, stepsLeft)
    if (steps > limit) givenUp++
    if (!found) return undefined
    return {
      start,
      end,
      lastEnd,
      captures: [...captures],
      extras: [...extras],
      skipped: [...skipped]
    }
  }

  /** Where the last token ends that the pattern asks for. */
  const lastAsked = (item: Item.Item, goal: Goal.Goal): number => {
    if (goal.tag !== "branch") return item.end
    const last = goal.children.at(-1)
    const isAsked = (child: Item.Item) =>
      last !== undefined && (last.tag === "run" || (last.tag !== "one" && last.kind === child.kind))
    const child = item.items.findLast((other) => isAsked(other) || !mayPass(other, false, undefined))
    if (child === undefined || last === undefined) return item.end
    return last.tag !== "run" && last.tag !== "one" ? lastAsked(child, last) : child.end
  }

  const [only] = goals

  return {
    at: (node) => {
      const item = new Item.Item(node, undefined, 0)
      return attempt(item.start, (done) => {
        const finish = () => done(item.end, lastAsked(item, only!))
        if (only!.tag === "run") return false
        if (only!.tag !== "one") return matchNode(only!, item, finish)
        const capture = { start: item.start, end: item.end, items: undefined }
        return language.isNamed(item.kind) && !language.isError(item.kind) && bind(only!.slot, capture, finish)
      })
    },
    among: (parent) => {
      const { items } = new Item.Item(parent, undefined, 0)
      const matches: Array<Match> = []
      for (let from = 0; from < items.length; from++) {
        const first = items[from]!
        if (isComment(first) || first.isBlank) continue
        if (only!.tag === "run" && from > 0 && mayRun(items[from - 1]!, only!)) continue
        const match = attempt(first.start, (done) =>
          matchList(goals, items, from, false, (next) => {
            const last = items[next - 1]!
            return next > from && done(last.end, lastAsked(last, goals.at(-1)!))
          })
        )
        if (match !== undefined) matches.push(match)
      }
      return matches
    },
    givenUp: () => givenUp
  }
}
