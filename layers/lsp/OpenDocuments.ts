/** The documents that one server holds open, kept in step with the disk (SPEC §3.6, C32–C41). */
import * as Path from "node:path"
import type { Capabilities } from "../../src/lsp/Capabilities.ts"
import type { Diagnostics } from "../../src/lsp/Diagnostics.ts"
import * as Documents from "../../src/lsp/Documents.ts"
import type { FileEvent } from "../../src/lsp/LanguageServers.ts"
import * as Row from "../../src/lsp/rows/Row.ts"
import type { Position } from "../../src/lsp/TextPositions.ts"
import * as Uri from "../../src/lsp/Uri.ts"
import * as WatchedFiles from "../../src/lsp/WatchedFiles.ts"
import type { Text, Texts, Trouble } from "./Texts.ts"

export interface OpenDocuments {
  /** Takes a change on disk, to be told at the next `sync`. */
  readonly note: (event: FileEvent) => void
  /**
   * Shows the server the present texts of all it holds open, or those that are given instead, and what else has changed. Gives
   * the texts.
   */
  readonly sync: (instead?: Instead) => Instead
  /** Opens a document, where it is not, with its present text or the given one. Nothing else is looked at: `sync` comes first. */
  readonly open: (
    path: string,
    instead?: Instead
  ) => { readonly document: Documents.Document; readonly text: Text } | Trouble
  /** Keeps documents open until the returned function is called. */
  readonly hold: (paths: ReadonlyArray<string>) => () => void
  readonly get: (path: string) => Documents.Document | undefined
  readonly all: () => ReadonlyArray<Documents.Document>
  /** When the server was last told of a change, in milliseconds. */
  readonly changedAt: () => number
}

/** By path. */
export type Instead = ReadonlyMap<string, Text>

export interface Options {
  readonly row: Row.Row
  readonly texts: Texts
  readonly capabilities: Capabilities
  readonly diagnostics: Diagnostics
  readonly notify: (method: string, params?: unknown) => void
  /** How many documents stay open that nobody holds. */
  readonly most: number
  readonly now: () => number
}

interface Open {
  document: Documents.Document
  /** Texts are the same object as long as the file has not changed; only its hash is kept. */
  seen: WeakRef<Text>
  end: Position
  holders: number
}

/** More changes than this are a new checkout: they are told all the same, but not kept for a server that never asks. */
const mostEvents = 50_000

/**
 * A server that watches no files (clangd) keeps what it knew of one that it has not open. So many of those that have changed
 * are opened at a time.
 */
const mostUnseen = 50

export const make = (options: Options): OpenDocuments => {
  const { capabilities, diagnostics, notify, now, row, texts } = options
  /** In the order of use. */
  const open = new Map<string, Open>()
  const events = new Map<string, FileEvent["event"]>()
  let changedAt = 0
  /** Of any document: a version then names one text, also after a document was closed and opened again (C34). */
  let lastVersion = 0

  const send = (messages: ReadonlyArray<Documents.Message>) => {
    for (const { method, params } of messages) notify(method, params)
  }

  const note = ({ event, path }: FileEvent) => {
    const merged = WatchedFiles.merge(events.get(path), event)
    if (merged === undefined) events.delete(path)
    else if (events.size < mostEvents) events.set(path, merged)
  }

  const close = (path: string) => {
    const entry = open.get(path)
    if (entry === undefined) return
    open.delete(path)
    if (capabilities.sync.openClose) send([Documents.didClose(entry.document)])
  }

  const show = (entry: Open, text: Text) => {
    if (entry.seen.deref() === text) return
    entry.seen = new WeakRef(text)
    if (text.hash === entry.document.hash) return
    const before = { end: entry.end }
    entry.document = { ...entry.document, version: ++lastVersion, hash: text.hash }
    entry.end = Documents.endOf(text.indexed, capabilities.encoding)
    diagnostics.shown(entry.document.path, entry.document.version, now())
    send(Documents.didChange(entry.document, before, text.text, capabilities.sync.change))
    send(Documents.didSave(entry.document, text.text, capabilities.sync.save))
    changedAt = now()
  }

  /** Whether a file is one of the server's own, and what it was shown of it is not told with the document. */
  const isUnseen = ({ event, path }: FileEvent): boolean =>
    !(event === "changed" && open.has(path)) && Row.languageOf(row, Path.basename(path)) !== undefined

  const flush = () => {
    const all = [...events].map(([path, event]) => ({ path, event }))
    events.clear()
    for (const { event, path } of all) if (event === "deleted") diagnostics.dropped(path)
    const wanted = all.filter(capabilities.watches)
    if (wanted.length > 0) notify("workspace/didChangeWatchedFiles", WatchedFiles.didChange(wanted))
    const unseen = all.filter(isUnseen)
    if (unseen.length > 0 || wanted.some(({ path }) => !open.has(path))) changedAt = now()
    return unseen.filter((event) => event.event !== "deleted" && !capabilities.watches(event))
  }

  const makeRoom = () => {
    for (const [path, { holders }] of open) {
      if (open.size <= options.most) return
      if (holders > 0) continue
      close(path)
      diagnostics.closed(path)
    }
  }

  const openOne: OpenDocuments["open"] = (path, instead) => {
    const text = instead?.get(path) ?? texts.read(path)
    if (typeof text === "string") return text
    let entry = open.get(path)
    if (entry === undefined) {
      const document: Documents.Document = {
        path,
        uri: Uri.fromPath(path),
        languageId: Row.languageOf(row, Path.basename(path)) ?? "plaintext",
        version: ++lastVersion,
        hash: text.hash
      }
      entry = {
        document,
        seen: new WeakRef(text),
        end: Documents.endOf(text.indexed, capabilities.encoding),
        holders: 0
      }
      diagnostics.shown(path, document.version, now())
      if (capabilities.sync.openClose) send([Documents.didOpen(document, text.text)])
    } else {
      open.delete(path)
      show(entry, text)
    }
    open.set(path, entry)
    makeRoom()
    return { document: entry.document, text }
  }

  const sync: OpenDocuments["sync"] = (instead) => {
    const changed: Array<{ readonly entry: Open; readonly text: Text }> = []
    const present = new Map(instead)
    for (const [path, entry] of open) {
      const text = instead?.get(path) ?? texts.read(path)
      if (typeof text !== "string") {
        present.set(path, text)
        if (entry.seen.deref() === text) continue
        changed.push({ entry, text })
        if (text.hash !== entry.document.hash && !events.has(path)) note({ path, event: "changed" })
      } else {
        close(path)
        diagnostics.dropped(path)
        if (text === "missing" && !events.has(path)) note({ path, event: "deleted" })
      }
    }
    const unseen = flush()
    for (const { entry, text } of changed) show(entry, text)
    for (const { path } of unseen.slice(0, mostUnseen)) openOne(path, instead)
    return present
  }

  return {
    note,
    sync,
    open: openOne,
    hold: (paths) => {
      const held = paths.flatMap((path) => open.get(path) ?? [])
      for (const entry of held) entry.holders++
      return () => {
        for (const entry of held) entry.holders--
        makeRoom()
      }
    },
    get: (path) => open.get(path)?.document,
    all: () => [...open.values()].map(({ document }) => document),
    changedAt: () => changedAt
  }
}
