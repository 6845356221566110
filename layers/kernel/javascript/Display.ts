/** What a value looks like, by MIME type: text always, and what it says of itself or is. */
import { types } from "node:util"
import * as Show from "./Show.ts"

/** Text, base64 for `image/png` and `image/jpeg`, a JSON value for `application/json` and `*+json`. */
export type Bundle = { readonly [mime: string]: unknown }

/** The largest image and the largest text of a bundle, in bytes. */
const maxImage = 5 * 1024 * 1024
const maxText = 1024 * 1024

/** Objects show themselves by a method under this symbol (the Jupyter kernel of Deno, and its libraries): a bundle. */
const showsItself = Symbol.for("Jupyter.display")

const magic: ReadonlyArray<readonly [mime: string, at: number, bytes: string]> = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 8, "WEBP"]
]

const asBytes = (value: unknown): Buffer | undefined => {
  if (types.isUint8Array(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (types.isAnyArrayBuffer(value)) return Buffer.from(value)
  return undefined
}

const imageMime = (bytes: Buffer): string | undefined =>
  magic.find(([, at, start]) => bytes.toString("latin1", at, at + start.length) === start)?.[0]

const size = (bytes: number): string => (bytes < 10_240 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KiB`)

/** An image as a bundle. */
export const image = (bytes: Buffer, mime = imageMime(bytes)): Bundle => {
  if (mime === undefined) return { "text/plain": `[${size(bytes.length)} that are no PNG, JPEG, GIF or WebP image]` }
  if (bytes.length > maxImage) {
    return { "text/plain": `[${mime} of ${size(bytes.length)} left out: an image may have ${size(maxImage)}]` }
  }
  const sides = mime === "image/png" ? `, ${bytes.readUInt32BE(16)}×${bytes.readUInt32BE(20)}` : ""
  return { "text/plain": `[${mime}${sides}, ${size(bytes.length)}]`, [mime]: bytes.toString("base64") }
}

/** Whether an image of this type is text. */
const isText = (mime: string): boolean => mime.includes("svg")

const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null

/** A bundle that a program made: bytes become base64, JSON values are copied, and what is too large is left out. */
const clean = (given: object): Bundle => {
  const bundle: Record<string, unknown> = Object.create(null)
  const notes: Array<string> = []
  for (const mime of Object.keys(given)) {
    if (!mime.includes("/")) continue
    const content: unknown = Reflect.get(given, mime)
    const bytes = asBytes(content)
    const isJson = mime === "application/json" || mime.endsWith("+json")
    const text = bytes
      ? bytes.toString(mime.startsWith("image/") && !isText(mime) ? "base64" : "utf8")
      : isJson
        ? JSON.stringify(content)
        : String(content)
    const limit = mime.startsWith("image/") ? maxImage * 1.4 : maxText
    if (text === undefined) continue
    if (text.length > limit) notes.push(`[${mime} of ${size(text.length)} left out: too large]`)
    else bundle[mime] = isJson ? JSON.parse(text) : text
  }
  const plain = bundle["text/plain"]
  if (notes.length > 0 || typeof plain !== "string") {
    const kinds = Object.keys(bundle).filter((mime) => mime !== "text/plain")
    bundle["text/plain"] = [
      ...(typeof plain === "string" ? [plain] : kinds.length > 0 ? [`[${kinds.join(", ")}]`] : []),
      ...notes
    ].join("\n")
  }
  return bundle
}

/** An image that is text, given as that, as its bytes, as base64 or as the URL of its data. */
const drawing = (mime: string, data: unknown): Bundle | undefined => {
  const given = typeof data === "string" ? data : asBytes(data)?.toString("utf8")
  if (given === undefined) return undefined
  const text = typeof data === "string" ? drawn(given) : given
  return clean({ [mime]: text, "text/plain": `[${mime}, ${size(text.length)}]` })
}

const drawn = (given: string): string => {
  const [head = "", kind] = /^data:([^,]*),/.exec(given) ?? []
  const content = given.slice(head.length)
  if (kind === undefined ? !content.includes("<") : kind.endsWith(";base64")) {
    return Buffer.from(content, "base64").toString("utf8")
  }
  if (content.includes("<")) return content
  return decodeURIComponent(content)
}

/** What the value shows of itself: `undefined` where that is its text alone. */
const own = (value: unknown): Bundle | undefined => {
  const bytes = asBytes(value)
  if (bytes !== undefined) return imageMime(bytes) === undefined ? undefined : image(bytes)
  if (!isRecord(value) || types.isProxy(value)) return undefined
  const show: unknown = Reflect.get(value, showsItself)
  if (typeof show === "function") {
    const shown: unknown = Reflect.apply(show, value, [])
    if (isRecord(shown) && !types.isPromise(shown)) return clean(shown)
  }
  if (value["type"] === "image" && "data" in value) {
    const data = value["data"]
    const mime = value["mimeType"]
    if (typeof mime === "string" && isText(mime)) return drawing(mime, data)
    const decoded = typeof data === "string" ? Buffer.from(data.replace(/^data:[^,]*,/, ""), "base64") : asBytes(data)
    if (decoded !== undefined)
      return image(decoded, imageMime(decoded) ?? (typeof mime === "string" ? mime : undefined))
  }
  // A canvas of one of the usual packages.
  if (typeof value["toBuffer"] === "function" && typeof value["getContext"] === "function") {
    const drawn = asBytes(Reflect.apply(value["toBuffer"], value, ["image/png"]))
    if (drawn !== undefined) return image(drawn)
  }
  return undefined
}

const ownMs = 5000

/** The bundle of a value that is the result of a cell. */
export const of = (value: unknown): Bundle =>
  (typeof value === "object" && value !== null ? Show.within(ownMs, () => own(value)) : undefined) ?? {
    "text/plain": Show.text(value)
  }

/** The bundle of a value that is displayed: a string is shown as it is. */
export const ofDisplayed = (value: unknown): Bundle =>
  typeof value === "string" ? { "text/plain": Show.bounded(value) } : of(value)

/** The handle of a display. */
export class Displayed {
  readonly id: string
  readonly #update: (bundle: Bundle) => void
  constructor(id: string, update: (bundle: Bundle) => void) {
    this.id = id
    this.#update = update
  }
  /** Shows something else in its place. */
  update(value: unknown): void {
    this.#update(ofDisplayed(value))
  }
}

export interface Display {
  (...values: ReadonlyArray<unknown>): Displayed
  readonly html: (text: string) => Displayed
  readonly markdown: (text: string) => Displayed
  readonly svg: (text: string) => Displayed
  readonly latex: (text: string) => Displayed
  readonly json: (value: unknown) => Displayed
  readonly image: (data: Uint8Array | string, mime?: string) => Displayed
  /** A bundle, `{ mime: content }`. */
  readonly raw: (bundle: object) => Displayed
  /** Takes back what the cell has shown: at once, or (`wait`) with the next output. */
  readonly clear: (options?: { readonly wait?: boolean }) => void
}

/** `show` sends a bundle, `clear` takes back. */
export const make = (
  show: (bundle: Bundle, id: string, update: boolean) => void,
  clear: (wait: boolean) => void
): Display => {
  let last = 0
  const send = (bundle: Bundle): Displayed => {
    const id = `display-${++last}`
    show(bundle, id, false)
    return new Displayed(id, (updated) => show(updated, id, true))
  }
  const typed = (mime: string) => (text: string) => send(clean({ [mime]: text, "text/plain": String(text) }))
  return Object.assign(
    (...values: ReadonlyArray<unknown>) => {
      const handles = values.map((value) => send(ofDisplayed(value)))
      return handles.at(-1) ?? send({ "text/plain": "" })
    },
    {
      html: typed("text/html"),
      markdown: typed("text/markdown"),
      svg: (text: string) =>
        send(clean({ "image/svg+xml": text, "text/plain": `[image/svg+xml, ${size(String(text).length)}]` })),
      latex: typed("text/latex"),
      json: (value: unknown) => send(clean({ "application/json": value, "text/plain": Show.text(value) })),
      image: (data: Uint8Array | string, mime?: string) => send(ofDisplayed({ type: "image", data, mimeType: mime })),
      raw: (bundle: object) => send(clean(bundle)),
      clear: (options?: { readonly wait?: boolean }) => clear(options?.wait === true)
    }
  )
}
