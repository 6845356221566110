/** A card on a terminal: how it is shown, and what a typed line says to it. */
import type { Card, Response } from "./Cards.ts"
import { visible } from "./Visible.ts"

/** Of a question. What a permission is asked for is shown as it is given: whole, or with what is left out of it. */
const maxContext = 4000

/** The card as lines; what a model wrote in it cannot control the terminal. */
export const render = (card: Card): string => {
  const context = card.context ?? ""
  const shown =
    card.kind === "question" && context.length > maxContext
      ? `${context.slice(0, maxContext)}… (${context.length} characters)`
      : context
  const mark = markOf(card)
  const asker = card.asker === undefined ? "" : `${oneLine(card.asker)} asks: `
  return [
    `[${card.number}] ${asker}${visible(card.question)}`,
    ...(shown === "" ? [] : [visible(shown)]),
    ...card.options.map(
      ({ description, label }, index) =>
        `  ${mark}${index + 1}  ${oneLine(label)}${description === undefined ? "" : ` (${oneLine(description)})`}`
    ),
    ""
  ].join("\n")
}

/** A line end in it would begin what looks like another option. */
const oneLine = (text: string): string => visible(text).replaceAll(/\s*\n\s*/g, " ")

/** How a line that is no command of a front end is given as an answer all the same. */
export const escape = (typed: string): string => `To answer with it: \`:answer ${typed.trim().slice(0, 200)}\`.`

/** What may be typed. */
export const prompt = (card: Card): string => {
  const numbers = card.options.length === 0 ? [] : [`${markOf(card)}${card.multi_select ? "numbers" : "number"}`]
  const what = [...numbers, ...(card.allow_free_text ? ["text"] : [])].join(" or ")
  return `[${card.number}] ${what}, empty to skip: `
}

/**
 * Numbers of options, with the mark that they are shown with, and the label of one, are a choice (in any case where there is
 * nothing else to type), anything else is text; an empty line is a skip.
 */
export const read = (card: Card, typed: string): Response => {
  const trimmed = typed.trim()
  if (trimmed === "") return { skip: true }
  const mark = markOf(card)
  const words = trimmed.split(/[\s,]+/).filter((word) => word !== "")
  const numbers = words.map((word) => card.options.findIndex((_, index) => word === `${mark}${index + 1}`) + 1)
  if (numbers.every((number) => number > 0)) return { selected: numbers }
  const labelled = card.options.find(({ label }) => label.trim() === trimmed)
  if (labelled !== undefined) return { selected: [labelled.label] }
  const alike = card.options.filter(({ label }) => label.trim().toLowerCase() === trimmed.toLowerCase())
  if (alike.length === 1 && !card.allow_free_text) return { selected: [alike[0]!.label] }
  // A number without the mark would be read as the number of an option, which need not be what was meant.
  return card.allow_free_text || (mark !== "" && /^\d+$/.test(trimmed)) ? { text: typed } : { selected: [trimmed] }
}

/** What stands before the number of each option, so that none is the label of another. */
const markOf = ({ options }: Card): string => {
  let mark = ""
  const isTaken = () =>
    options.some(({ label }) =>
      options.some((other, index) => other.label !== label && label.trim() === `${mark}${index + 1}`)
    )
  while (isTaken()) mark += "#"
  return mark
}
