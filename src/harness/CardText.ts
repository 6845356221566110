/** A card on a terminal: how it is shown, and what a typed line says to it. */
import type { Card, Response } from "./Cards.ts"
import { visible } from "./Visible.ts"

const maxContext = 4000

/** The card as lines; what a model wrote in it cannot control the terminal. */
export const render = (card: Card): string => {
  const context = card.context ?? ""
  const shown =
    context.length > maxContext ? `${context.slice(0, maxContext)}… (${context.length} characters)` : context
  const asker = card.asker === undefined ? "" : `${visible(card.asker)} asks: `
  return [
    `[${card.number}] ${asker}${visible(card.question)}`,
    ...(shown === "" ? [] : [visible(shown)]),
    ...card.options.map(
      ({ description, label }, index) =>
        `  ${index + 1}  ${visible(label)}${description === undefined ? "" : ` (${visible(description)})`}`
    ),
    ""
  ].join("\n")
}

/** What may be typed. */
export const prompt = (card: Card): string => {
  const numbers = card.options.length === 0 ? [] : [card.multi_select ? "numbers" : "number"]
  const what = [...numbers, ...(card.allow_free_text ? ["text"] : [])].join(" or ")
  return `[${card.number}] ${what}, empty to skip: `
}

/** Numbers of options, and the label of one, are a choice, anything else is text; an empty line is a skip. */
export const read = (card: Card, typed: string): Response => {
  const trimmed = typed.trim()
  if (trimmed === "") return { skip: true }
  const words = trimmed.split(/[\s,]+/).filter((word) => word !== "")
  const isChoice = words.every((word) => /^\d+$/.test(word) && Number(word) >= 1 && Number(word) <= card.options.length)
  if (isChoice) return { selected: words.map(Number) }
  if (card.options.some(({ label }) => label === trimmed)) return { selected: [trimmed] }
  return card.allow_free_text ? { text: typed } : { selected: [trimmed] }
}
