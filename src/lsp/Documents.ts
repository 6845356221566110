/** The documents that a server holds open, and the notifications that keep them in step with the disk (C32–C40). */
import type { Sync } from "./Capabilities.ts"
import * as TextPositions from "./TextPositions.ts"

/** A document as a server was shown it last. */
export interface Document {
  readonly path: string
  readonly uri: string
  readonly languageId: string
  /** Rises with every text that the server was shown. */
  readonly version: number
  /** SHA-256 of the text in hex, as `Edits.hash`. */
  readonly hash: string
}

/** What a server is told. */
export interface Message {
  readonly method: string
  readonly params: unknown
}

export const didOpen = (document: Document, text: string): Message => ({
  method: "textDocument/didOpen",
  params: { textDocument: { uri: document.uri, languageId: document.languageId, version: document.version, text } }
})

/**
 * The change from one text to another. A server that takes ranges gets one that replaces all: vtsls keeps the old end of a
 * text that a change without a range makes shorter (C35, E6).
 */
export const didChange = (
  document: Document,
  before: { readonly end: TextPositions.Position },
  text: string,
  kind: Sync["change"]
): ReadonlyArray<Message> => {
  if (kind === 0) return []
  const change = kind === 2 ? { range: { start: { line: 0, character: 0 }, end: before.end }, text } : { text }
  return [
    {
      method: "textDocument/didChange",
      params: { textDocument: { uri: document.uri, version: document.version }, contentChanges: [change] }
    }
  ]
}

export const didSave = (document: Document, text: string, save: Sync["save"]): ReadonlyArray<Message> =>
  save === undefined
    ? []
    : [
        {
          method: "textDocument/didSave",
          params: { textDocument: { uri: document.uri }, ...(save.includeText ? { text } : {}) }
        }
      ]

export const didClose = (document: Document): Message => ({
  method: "textDocument/didClose",
  params: { textDocument: { uri: document.uri } }
})

/** Where a text ends, as the server counts (C36). */
export const endOf = (indexed: TextPositions.Indexed, encoding: TextPositions.Encoding): TextPositions.Position =>
  TextPositions.toPosition(indexed, indexed.text.length, encoding)
