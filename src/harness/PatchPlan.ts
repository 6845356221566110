/**
 * From the sections of a patch to a plan for the edit engine. Sections are done in the order of the patch, each on what those
 * before it left, so that one may change what an earlier one added or moved.
 */
import { Effect, Result } from "effect"
import type { Operation } from "../edits/Plan.ts"
import { Edits } from "../Edits.ts"
import * as ToolError from "../ToolError.ts"
import { type Resolved, Workspace } from "../Workspace.ts"
import * as Hunks from "./Hunks.ts"
import * as Passage from "./Passage.ts"
import type { Section } from "./Section.ts"

export interface PatchPlan {
  readonly operations: ReadonlyArray<Operation>
  /** Hunks that went elsewhere than their line numbers say. */
  readonly notes: ReadonlyArray<string>
}

/** What earlier sections left at a path: a text, a file of the disk that was moved there unread, or nothing. */
type Left = { readonly text: string } | { readonly movedFrom: string } | "nothing"

const refused = (message: string) =>
  ToolError.make("refused_edit", `${message}${message.includes("\n") ? "\n" : " "}Nothing was changed.`)

/** Every path that the sections name. */
export const pathsOf = (sections: ReadonlyArray<Section>): ReadonlyArray<string> => [
  ...new Set(
    sections.flatMap((section) =>
      section.kind === "update" && section.moveTo !== undefined ? [section.path, section.moveTo] : [section.path]
    )
  )
]

/** Reads the files and lays the hunks out in them. To be run under the locks of `pathsOf`. */
export const make = Effect.fnUntraced(function* (
  sections: ReadonlyArray<Section>
): Effect.fn.Return<PatchPlan, ToolError.ToolError, Edits | Workspace> {
  const edits = yield* Edits
  const workspace = yield* Workspace
  const left = new Map<string, Left>()
  const operations: Array<Operation> = []
  const notes: Array<string> = []

  const isThere = ({ kind, path }: Resolved): boolean => {
    const found = left.get(path)
    return found === undefined ? kind !== "missing" : found !== "nothing"
  }

  /** The file that a section changes: there, and no directory. */
  const fileAt = Effect.fnUntraced(function* (path: string) {
    const resolved = yield* workspace.resolve(path)
    if (left.get(resolved.path) === "nothing") {
      return yield* ToolError.make(
        "not_found",
        `${path} was deleted or moved away by an earlier section of the patch. Nothing was changed.`
      )
    }
    if (!isThere(resolved)) yield* workspace.existing(path)
    if (resolved.kind === "directory" && !left.has(resolved.path)) {
      return yield* refused(`${path} is a directory; a patch changes files.`)
    }
    return resolved
  })

  const textAt = Effect.fnUntraced(function* (path: string, at: string) {
    const found = left.get(at)
    if (found === undefined) return yield* edits.read(path)
    if (found === "nothing") return yield* refused(`${path} is not there.`)
    if ("movedFrom" in found) return yield* edits.read(found.movedFrom)
    return { text: found.text, hash: edits.hash(found.text) }
  })

  const add = Effect.fnUntraced(function* ({ path, text }: Extract<Section, { readonly kind: "add" }>) {
    const resolved = yield* workspace.resolve(path)
    if (isThere(resolved)) {
      return yield* refused(
        `${path} exists already, so the patch cannot add it. Change it with \`*** Update File: ${path}\`, or replace it with \`write\`.`
      )
    }
    operations.push({ kind: "create", path, text })
    left.set(resolved.path, { text: text.replace(/^\uFEFF/, "") })
  })

  const remove = Effect.fnUntraced(function* ({ hunks, path }: Extract<Section, { readonly kind: "delete" }>) {
    const { path: at } = yield* fileAt(path)
    if (hunks !== undefined) {
      const { hash, text } = yield* textAt(path, at)
      const different = differsFrom(text, hunks)
      if (different !== undefined) return yield* refused(`${path} is not what the patch deletes: ${different}`)
      // Without edits it only says for which text the deletion is meant.
      operations.push({ kind: "edit", path, hash, edits: [] })
    }
    operations.push({ kind: "delete", path })
    left.set(at, "nothing")
  })

  const update = Effect.fnUntraced(function* ({ hunks, moveTo, path }: Extract<Section, { readonly kind: "update" }>) {
    const { path: at } = yield* fileAt(path)
    if (hunks.length > 0) {
      const { hash, text } = yield* textAt(path, at)
      const applied = Hunks.apply(text, hunks)
      if (Result.isFailure(applied)) {
        const { hunk, message } = applied.failure
        const which = hunks.length === 1 ? "the hunk" : `hunk ${hunk} of ${hunks.length}`
        return yield* refused(
          `${path}: ${which} (line ${hunks[hunk - 1]!.patchLine} of the patch) cannot be applied: ${message}`
        )
      }
      operations.push({ kind: "edit", path, hash, edits: applied.success.spans })
      left.set(at, { text: applied.success.text })
      for (const { hunk, line, stated } of applied.success.moved) {
        notes.push(`${path}: hunk ${hunk} was for line ${stated} and fitted at line ${line}.`)
      }
    }
    if (moveTo === undefined) return
    const target = yield* workspace.resolve(moveTo)
    if (target.path === at) return
    if (isThere(target)) return yield* refused(`${moveTo} exists already, so ${path} cannot be moved there.`)
    operations.push({ kind: "rename", from: path, to: moveTo })
    left.set(target.path, left.get(at) ?? { movedFrom: path })
    left.set(at, "nothing")
  })

  for (const section of sections) {
    if (section.kind === "add") yield* add(section)
    else if (section.kind === "delete") yield* remove(section)
    else yield* update(section)
  }
  return { operations, notes }
})

/** How the text differs from the lines that a diff deletes, if it does. */
const differsFrom = (text: string, hunks: ReadonlyArray<Hunks.Hunk>): string | undefined => {
  const plain = (line: string) => (line.endsWith("\r") ? line.slice(0, -1) : line)
  const wanted = hunks.flatMap((hunk) => hunk.lines.map((line) => plain(line.text)))
  const there = text === "" ? [] : text.replace(/\n$/, "").split("\n").map(plain)
  const at = wanted.findIndex((line, index) => line !== there[index])
  if (at >= 0) {
    const found =
      there[at] === undefined ? "the file ends before it" : `the file has ${JSON.stringify(Passage.cut(there[at]))}`
    return `at line ${at + 1} the patch has ${JSON.stringify(Passage.cut(wanted[at]!))}, ${found}.`
  }
  return there.length > wanted.length
    ? `the file goes on after the ${wanted.length} lines of the patch. Read it again.`
    : undefined
}
