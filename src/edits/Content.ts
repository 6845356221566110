/** The bytes of a file and the text that they are. */

/** A text without its byte order mark, and whether it has one. */
export interface Text {
  readonly text: string
  readonly mark: boolean
}

export interface Content {
  readonly bytes: Uint8Array
  /** Of the bytes. */
  readonly hash: string
}

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const mark = "\u{FEFF}"

/** The text, or `undefined` when the bytes are not valid UTF-8. */
export const decode = (bytes: Uint8Array): Text | undefined => {
  try {
    const text = decoder.decode(bytes)
    return text.startsWith(mark) ? { text: text.slice(1), mark: true } : { text, mark: false }
  } catch {
    return undefined
  }
}

/** The text that a string is, or `undefined` when it has half of a surrogate pair, which no file can hold. */
export const ofString = (text: string): Text | undefined =>
  /\p{Surrogate}/u.test(text)
    ? undefined
    : text.startsWith(mark)
      ? { text: text.slice(1), mark: true }
      : { text, mark: false }

export const encode = (text: Text): Uint8Array => encoder.encode(text.mark ? mark + text.text : text.text)
