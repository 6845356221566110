/** What debug adapters send, decoded leniently (DESIGN, "Untrusted input"): a field of a wrong type counts as absent. */

export const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A member of what may be an object. */
export const get = (value: unknown, key: string): unknown =>
  isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined

export const text = (value: unknown, key: string): string | undefined => {
  const found = get(value, key)
  return typeof found === "string" ? found : undefined
}

/** A number that is whole and safe. */
export const int = (value: unknown, key: string): number | undefined => {
  const found = get(value, key)
  return typeof found === "number" && Number.isSafeInteger(found) ? found : undefined
}

export const flag = (value: unknown, key: string): boolean | undefined => {
  const found = get(value, key)
  return typeof found === "boolean" ? found : undefined
}

/** The elements of an array; of what is no array, none. */
export const list = (value: unknown, key: string): ReadonlyArray<unknown> => {
  const found = get(value, key)
  return Array.isArray(found) ? found : []
}

/** The numbers of an array. */
export const ints = (value: unknown, key: string): ReadonlyArray<number> =>
  list(value, key).filter((one): one is number => Number.isSafeInteger(one))

/** The first `length` UTF-16 units of a text, not ending in half a character. */
export const cut = (whole: string, length: number): string => {
  if (whole.length <= length) return whole
  const last = whole.charCodeAt(length - 1)
  return whole.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length)
}

/** On one line, at most so long, with the full length where it was cut. */
export const oneLine = (whole: string, length: number): string => {
  const shown = cut(whole, length).replaceAll("\r", "\\r").replaceAll("\n", "\\n")
  return whole.length > length ? `${shown}… (${whole.length} characters)` : shown
}

// oxlint-disable-next-line no-control-regex
const ansi = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g

/** Without what steers a terminal. */
export const plain = (text: string): string => text.replaceAll(ansi, "").replaceAll("\r\n", "\n")
