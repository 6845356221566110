/** Texts that a person is to read: whether there is anything to see in them. */
import { Schema } from "effect"

// White space, control and format characters, those that are drawn as nothing, and the empty pattern of Braille.
const unseen = /[\s\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Whether nothing of it can be seen. */
export const isBlank = (text: string): boolean => seen(text) === ""

/** What of it can be seen: two texts that give the same cannot be told apart. White space counts where it stands between words. */
export const seen = (text: string): string =>
  text
    .replaceAll(unseen, (character) => (/\s/.test(character) ? " " : ""))
    .replaceAll(/ +/g, " ")
    .trim()

/** A text with something to see. */
export const words = (maximum: number) =>
  Schema.NonEmptyString.check(
    Schema.makeFilter((text) => !isBlank(text) || "it needs words that can be read: nothing of it can be seen"),
    // The last: an annotation goes to the last check, and a filter has no place in a JSON Schema.
    Schema.isMaxLength(maximum)
  )
