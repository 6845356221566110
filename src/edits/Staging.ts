/** From a plan to steps: every operation is checked and done on a virtual tree, before anything is written. */
import { Effect, Result } from "effect"
import * as ToolError from "../ToolError.ts"
import type { Resolved } from "../Workspace.ts"
import * as Change from "./Change.ts"
import * as Content from "./Content.ts"
import type { FileChange } from "./FileChange.ts"
import * as Lines from "./Lines.ts"
import { type Operation, pathsOf, type Plan } from "./Plan.ts"
import type * as Step from "./Step.ts"
import * as TextEdits from "./TextEdits.ts"
import * as VirtualTree from "./VirtualTree.ts"

/** A plan that was found good. */
export interface Staged {
  readonly steps: ReadonlyArray<Step.Step>
  /** What must still lie on the disk for the steps to be good. */
  readonly originals: Step.States
  readonly files: ReadonlyArray<FileChange>
  readonly warnings: ReadonlyArray<string>
}

export interface Options {
  readonly bounds: Change.Bounds
  /** Bytes of all texts, old and new, together. */
  readonly maxBytes: number
}

/** Edits made for one text, which may come in several operations. */
interface Group {
  readonly base: Content.Text
  readonly hash: string
  readonly spans: ReadonlyArray<TextEdits.Span>
}

/** What happened to one file, to be told. */
interface Story {
  readonly node: VirtualTree.FileNode
  group: Group | undefined
  /** Whether `group` alone leads from the original text to the present one. */
  isOneGroup: boolean
  edits: number
  deleted: boolean
}

const mostNamed = 10
const naming = (paths: ReadonlyArray<string>): string =>
  paths.slice(0, mostNamed).join(", ") + (paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : "")

const refused = VirtualTree.refused

/**
 * Every path of the plan is inside the working directory and, unless allowed, not ignored; the error names all that are not.
 * Gives where the paths lead.
 */
const checkPaths = Effect.fnUntraced(function* (plan: Plan, disk: VirtualTree.Disk) {
  const found = new Map<string, Resolved>()
  const outside = new Map<string, ToolError.ToolError>()
  const ignored = new Set<string>()
  for (const path of new Set(plan.operations.flatMap(pathsOf))) {
    const resolved = yield* Effect.result(disk.resolve(path))
    if (Result.isFailure(resolved) && resolved.failure.code !== "not_found") outside.set(path, resolved.failure)
    if (Result.isSuccess(resolved)) found.set(path, resolved.success)
    if (plan.ignored === "allow") continue
    const { entry, path: target } = found.get(path) ?? { entry: disk.lexical(path), path: disk.lexical(path) }
    for (const place of new Set([entry, target])) if (yield* disk.isIgnored(place)) ignored.add(disk.show(place))
  }
  const [first] = outside.values()
  if (first !== undefined) {
    return yield* outside.size === 1
      ? first
      : ToolError.make(first.code, `${naming([...outside.keys()])}: ${first.message}`)
  }
  if (ignored.size > 0) {
    return yield* refused(`The edit touches ignored paths, so none of it is taken: ${naming([...ignored].sort())}.`)
  }
  return found
})

/** Turns a plan into steps, or says why it cannot be applied (`Edits.stage` lists the failures). */
export const stage = Effect.fnUntraced(function* (
  plan: Plan,
  disk: VirtualTree.Disk,
  options: Options
): Effect.fn.Return<Staged, ToolError.ToolError> {
  const resolved = yield* checkPaths(plan, disk)
  const tree = VirtualTree.make(disk)
  const stories = new Map<VirtualTree.FileNode, Story>()
  const moved: Array<{ readonly from: string; readonly to: string }> = []
  const warnings: Array<string> = []
  const { show } = disk

  const storyOf = (node: VirtualTree.FileNode): Story => {
    const story = stories.get(node) ?? { node, group: undefined, isOneGroup: true, edits: 0, deleted: false }
    stories.set(node, story)
    return story
  }

  /** A file gets a text that does not come from edits of the one it has. */
  const replaced = (node: VirtualTree.FileNode) => {
    const story = storyOf(node)
    story.edits++
    story.isOneGroup = false
    story.group = undefined
  }

  const given = Effect.fnUntraced(function* (path: string, text: string) {
    const found = Content.ofString(text)
    if (found === undefined)
      return yield* refused(`${show(path)}: the text has half of a surrogate pair, which no file can hold.`)
    return found
  })

  /** Where a path of the plan leads: on the disk, or below something that the plan itself made or moved. */
  const locate = (path: string) =>
    Effect.suspend(() => {
      const lexical = disk.lexical(path)
      if (tree.isChanged(lexical)) return Effect.succeed({ path: lexical, entry: lexical })
      const known = resolved.get(path)
      return known === undefined ? disk.resolve(path) : Effect.succeed(known)
    })

  const textOf = Effect.fnUntraced(function* (node: VirtualTree.FileNode) {
    const content = yield* tree.load(node)
    const text = Content.decode(content.bytes)
    if (text === undefined) {
      return yield* ToolError.make(
        "not_text",
        `${show(node.path)} is not valid UTF-8, so an edit would damage it. Nothing was changed.`
      )
    }
    return { ...text, hash: text.mark ? disk.hash(Content.encode({ text: text.text, mark: false })) : content.hash }
  })

  const fileAt = Effect.fnUntraced(function* (path: string) {
    const node = yield* tree.lookup(path, true)
    if (node.kind === "file") return node
    if (node.kind === "missing")
      return yield* ToolError.make("not_found", `${show(path)} does not exist, so it cannot be edited.`)
    return yield* refused(`${show(path)} is not a file (${node.kind}), so it has no text to edit.`)
  })

  const stale = (path: string) =>
    ToolError.make(
      "stale_edit",
      `${show(path)} no longer has the text that the edit was made for. Read it and make the edit again.`
    )

  const operations = {
    edit: Effect.fnUntraced(function* (operation: Extract<Operation, { kind: "edit" }>) {
      const { path } = yield* locate(operation.path)
      const node = yield* fileAt(path)
      const current = yield* textOf(node)
      const story = storyOf(node)
      const joins = story.group?.hash === operation.hash
      if (!joins && operation.hash !== current.hash) return yield* stale(path)
      if (!joins && story.edits > 0) story.isOneGroup = false
      const group: Group = joins ? story.group! : { base: current, hash: operation.hash, spans: [] }
      const end = operation.adaptLineEnds ? Lines.endOf(group.base.text) : undefined
      const edits =
        end === undefined
          ? operation.edits
          : operation.edits.map((edit) => ({ ...edit, newText: Lines.withEnds(edit.newText, end) }))
      const ordered = Result.flatMap(TextEdits.spans(group.base.text, edits, operation.encoding ?? "utf-16"), (spans) =>
        TextEdits.order(group.base.text, [...group.spans, ...spans])
      )
      if (Result.isFailure(ordered)) {
        return yield* refused(`${show(path)}: ${ordered.failure}. Nothing was changed.`)
      }
      const spans = ordered.success
      const text = TextEdits.splice(group.base.text, spans)
      yield* tree.write(node, Content.encode({ text, mark: group.base.mark }))
      story.edits += spans.length - group.spans.length
      story.group = { ...group, spans }
    }),

    write: Effect.fnUntraced(function* (operation: Extract<Operation, { kind: "write" }>) {
      const { path } = yield* locate(operation.path)
      const { mark, text } = yield* given(path, operation.text)
      const found = yield* tree.lookup(path, true)
      if (found.kind === "missing" && operation.hash === undefined) {
        return replaced(yield* tree.createFile(path, Content.encode({ text, mark })))
      }
      const node = yield* fileAt(path)
      const current = yield* textOf(node)
      if (operation.hash !== undefined && operation.hash !== current.hash) return yield* stale(path)
      const end = operation.adaptLineEnds ? Lines.endOf(current.text) : undefined
      const adapted = end === undefined ? text : Lines.withEnds(text, end)
      yield* tree.write(node, Content.encode({ text: adapted, mark: mark || current.mark }))
      replaced(node)
    }),

    create: Effect.fnUntraced(function* (operation: Extract<Operation, { kind: "create" }>) {
      const { path } = yield* locate(operation.path)
      const bytes = Content.encode(yield* given(path, operation.text ?? ""))
      const found = yield* tree.lookup(path)
      if (found.kind === "missing") {
        storyOf(yield* tree.createFile(path, bytes))
      } else if (operation.overwrite) {
        const node = yield* fileAt(path)
        yield* tree.write(node, bytes)
        replaced(node)
      } else if (!operation.ignoreIfExists) {
        return yield* refused(`${show(path)} already exists, so it cannot be created. Nothing was changed.`)
      }
    }),

    rename: Effect.fnUntraced(function* (operation: Extract<Operation, { kind: "rename" }>) {
      const { entry: from } = yield* locate(operation.from)
      const { entry: to } = yield* locate(operation.to)
      const node = yield* tree.lookup(from)
      if (node.kind === "missing")
        return yield* ToolError.make("not_found", `${show(from)} does not exist, so it cannot be renamed.`)
      if (node.kind === "other") return yield* refused(`${show(from)} is neither a file nor a directory.`)
      if (from === disk.root) return yield* refused("The working directory itself cannot be renamed.")
      if (from === to) return
      if (to.startsWith(from + disk.separator))
        return yield* refused(`${show(from)} cannot be moved into itself (${show(to)}).`)
      yield* tree.allowOtherCase(from, to)
      const target = yield* tree.lookup(to)
      if (target.kind !== "missing") {
        if (operation.ignoreIfExists && !operation.overwrite) return
        if (!operation.overwrite)
          return yield* refused(`${show(to)} already exists, so ${show(from)} cannot be renamed to it.`)
        if (target.kind === "directory")
          return yield* refused(`${show(to)} is a directory, which a rename does not overwrite.`)
        yield* deleteOne(to)
      }
      if (node.kind === "file") storyOf(node)
      else moved.push({ from, to })
      yield* tree.move(from, to)
    }),

    delete: Effect.fnUntraced(function* (operation: Extract<Operation, { kind: "delete" }>) {
      const { entry } = yield* locate(operation.path)
      const node = yield* tree.lookup(entry)
      if (node.kind === "missing") {
        if (operation.ignoreIfNotExists) return
        return yield* ToolError.make("not_found", `${show(entry)} does not exist, so it cannot be deleted.`)
      }
      if (entry === disk.root) return yield* refused("The working directory itself cannot be deleted.")
      yield* deleteAll(entry, operation.recursive ?? false)
    })
  }

  const deleteOne = Effect.fnUntraced(function* (path: string) {
    const node = yield* tree.lookup(path)
    if (node.kind === "file") {
      yield* tree.load(node)
      storyOf(node).deleted = true
    }
    yield* tree.remove(path)
  })

  const deleteAll = Effect.fnUntraced(function* (
    path: string,
    recursive: boolean
  ): Effect.fn.Return<void, ToolError.ToolError> {
    const node = yield* tree.lookup(path)
    if (node.kind === "directory") {
      const names = yield* tree.children(path, node.source)
      if (names.length > 0 && !recursive) {
        return yield* refused(`${show(path)} is not empty (${naming(names)}), and the deletion is not recursive.`)
      }
      for (const name of names) yield* deleteAll(path + disk.separator + name, true)
    }
    yield* deleteOne(path)
  })

  for (const operation of plan.operations) {
    switch (operation.kind) {
      case "edit":
        yield* operations.edit(operation)
        break
      case "write":
        yield* operations.write(operation)
        break
      case "create":
        yield* operations.create(operation)
        break
      case "rename":
        yield* operations.rename(operation)
        break
      case "delete":
        yield* operations.delete(operation)
    }
  }

  const steps = tree.steps.filter(
    (step) =>
      step.type === "move" ||
      step.before?.kind !== "file" ||
      step.after?.kind !== "file" ||
      step.before.hash !== step.after.hash
  )
  let bytes = 0
  for (const step of steps) {
    if (step.type === "move") continue
    for (const entry of [step.before, step.after]) if (entry?.kind === "file") bytes += entry.bytes.length
  }
  if (bytes > options.maxBytes) {
    return yield* ToolError.make(
      "too_large",
      `The edit holds ${bytes} bytes of old and new texts, more than the ${options.maxBytes} that can be kept to take it back. Split it.`
    )
  }
  for (const { node } of stories.values()) {
    if ((node.looked?.links ?? 1) > 1 && node.write !== undefined) {
      warnings.push(
        `${show(node.source ?? node.path)} has ${node.looked!.links} hard links: its other names keep the old text.`
      )
    }
  }
  return { steps, originals: tree.originals, files: tell(stories.values(), moved, disk, options.bounds), warnings }
})

/** The files in the order in which the plan first touched them, then moved directories. Untouched ones are left out. */
const tell = (
  stories: Iterable<Story>,
  moved: ReadonlyArray<{ readonly from: string; readonly to: string }>,
  disk: VirtualTree.Disk,
  bounds: Change.Bounds
): ReadonlyArray<FileChange> => {
  let left = bounds.total
  const files: Array<FileChange> = []
  for (const { deleted, edits, group, isOneGroup, node } of stories) {
    const isNew = node.source === undefined
    const isMoved = !deleted && !isNew && node.path !== node.source
    const isWritten = node.original?.hash !== node.content?.hash
    if ((isNew && deleted) || (!isNew && !deleted && !isMoved && !isWritten)) continue
    const text = (content: Content.Content | undefined) =>
      content === undefined ? "" : (Content.decode(content.bytes)?.text ?? "")
    const texts = {
      before: text(node.original),
      after: deleted ? "" : text(node.content),
      spans: isOneGroup && !deleted && !isNew ? group?.spans : undefined
    }
    const { changes, left_out } =
      isWritten || deleted
        ? Change.changes(texts, bounds, Math.min(bounds.perFile, left))
        : { changes: [], left_out: 0 }
    left -= changes.length
    files.push({
      path: disk.show(node.source ?? node.path),
      change: deleted ? "deleted" : isNew ? "created" : isMoved ? "moved" : "changed",
      edits,
      changes,
      left_out,
      ...(isMoved ? { moved_to: disk.show(node.path) } : {})
    })
  }
  for (const { from, to } of moved) {
    files.push({ path: disk.show(from), change: "moved", edits: 0, changes: [], left_out: 0, moved_to: disk.show(to) })
  }
  return files
}
