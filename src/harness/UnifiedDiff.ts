/** Unified diffs, plain and as git writes them. The headers of a file are read by the `diff` package, the hunks here, strictly. */
import { type StructuredPatch, parsePatch } from "diff"
import { Result } from "effect"
import type { Hunk, HunkLine } from "./Hunks.ts"
import { hunkHeader, hunkLines, malformed, type Malformed, type Section } from "./Section.ts"

type Lines = ReadonlyArray<string>

/** Parses diffs of any number of files; `first` is the number of the first line. */
export const parse = (lines: Lines, first: number): Result.Result<ReadonlyArray<Section>, Malformed> => {
  const sections: Array<Section> = []
  let at = 0
  let isProse = true
  while (at < lines.length) {
    const line = lines[at]!
    if (isFileStart(lines, at)) {
      const end = headerEnd(lines, at)
      const hunks = takeHunks(lines, end, first)
      if (Result.isFailure(hunks)) return Result.fail(hunks.failure)
      const section = sectionOf(lines.slice(at, end), hunks.success.hunks, first + at)
      if (Result.isFailure(section)) return Result.fail(section.failure)
      sections.push(section.success)
      at = hunks.success.end
      isProse = false
    } else if (line.startsWith("@@")) {
      return Result.fail(
        malformed(first + at, "a hunk with no `--- a/PATH` and `+++ b/PATH` above it: which file is meant?")
      )
    } else if (isProse || line.trim() === "" || isSeparator(line)) {
      at++
    } else if (isSignature(lines, at)) {
      isProse = true
      at++
    } else {
      return Result.fail(
        malformed(first + at, `expected a hunk (\`@@ …\`) or the next file (\`--- a/PATH\`), found ${quote(line)}.`)
      )
    }
  }
  return Result.succeed(sections)
}

const quote = (line: string): string => JSON.stringify(line.slice(0, 100))

const isFileHeader = (lines: Lines, at: number): boolean =>
  /^--- \S/.test(lines[at]!) && /^\+\+\+ \S/.test(lines[at + 1] ?? "")

const isFileStart = (lines: Lines, at: number): boolean =>
  /^(diff --git |Index: )/.test(lines[at]!) || isFileHeader(lines, at)

/** `git format-patch` ends with `-- ` and its version. */
const isSignature = (lines: Lines, at: number): boolean => lines[at] === "-- " && /^\d+\.\d/.test(lines[at + 1] ?? "")

const isSeparator = (line: string): boolean => /^={67}$/.test(line)

const headerEnd = (lines: Lines, from: number): number => {
  let at = from
  while (at < lines.length) {
    if (isFileHeader(lines, at)) return at + 2
    if (at > from && isFileStart(lines, at)) return at
    if (lines[at]!.startsWith("@@") || isSignature(lines, at)) return at
    at++
  }
  return at
}

const takeHunks = (
  lines: Lines,
  from: number,
  first: number
): Result.Result<{ readonly hunks: ReadonlyArray<Hunk>; readonly end: number }, Malformed> => {
  const hunks: Array<Hunk> = []
  let at = from
  while (at < lines.length && lines[at]!.startsWith("@@")) {
    if (lines[at]!.startsWith("@@@")) {
      return Result.fail(malformed(first + at, "a combined diff of a merge cannot be applied; give a plain one."))
    }
    const header = hunkHeader(lines[at]!)
    const counted = header.counts === undefined ? undefined : countedEnd(lines, at + 1, header.counts)
    const end = counted ?? nextBoundary(lines, at + 1)
    const body = hunkLines(lines.slice(at + 1, end), first + at + 1, counted !== undefined)
    if (Result.isFailure(body)) return Result.fail(body.failure)
    if (body.success.every((line) => line.kind === "context")) {
      return Result.fail(malformed(first + at, "the hunk changes nothing: no line of it begins with `+` or `-`."))
    }
    hunks.push({ lines: body.success, headers: [], at: header.at, isAtEnd: false, patchLine: first + at })
    at = end
    const next = lines.findIndex((line, index) => index >= at && line.trim() !== "")
    if (next >= 0 && lines[next]!.startsWith("@@")) at = next
  }
  return Result.succeed({ hunks, end: at })
}

/** Where a hunk ends by its own counts; `undefined` where they are wrong. */
const countedEnd = (
  lines: Lines,
  from: number,
  counts: { readonly old: number; readonly new: number }
): number | undefined => {
  let { new: added, old } = counts
  let at = from
  for (; at < lines.length && (old > 0 || added > 0); at++) {
    const kind = lines[at]!.trimEnd() === "" ? " " : lines[at]![0]
    if (kind === " " || kind === "-") old--
    if (kind === " " || kind === "+") added--
    if (kind !== " " && kind !== "-" && kind !== "+" && kind !== "\\") return undefined
  }
  while (at < lines.length && lines[at]!.startsWith("\\")) at++
  if (old !== 0 || added !== 0) return undefined
  const isOver = at === lines.length || !/^[ +-]/.test(lines[at]!) || isFileHeader(lines, at) || isSignature(lines, at)
  return isOver ? at : undefined
}

const nextBoundary = (lines: Lines, from: number): number => {
  let at = from
  const isBoundary = (line: string) =>
    line.startsWith("@@") || isSeparator(line) || isFileStart(lines, at) || isSignature(lines, at)
  while (at < lines.length && !isBoundary(lines[at]!)) at++
  return at
}

const sectionOf = (header: Lines, hunks: ReadonlyArray<Hunk>, first: number): Result.Result<Section, Malformed> => {
  const fail = (message: string) => Result.fail(malformed(first, message))
  const parsed = Result.try({
    try: () => parsePatch(`${header.join("\n")}\n`),
    catch: (error) => (error instanceof Error ? error.message : String(error))
  })
  if (Result.isFailure(parsed)) return fail(`${parsed.failure}.`)
  const file = parsed.success[0]
  if (file?.oldFileName === undefined || file.newFileName === undefined) {
    return fail(`no file is named: expected \`--- a/PATH\` and \`+++ b/PATH\` after ${quote(header[0] ?? "")}.`)
  }
  const refused = refusal(file, header, hunks)
  if (refused !== undefined) return fail(refused)
  const [old, next] = [file.oldFileName, file.newFileName]
  if (file.isCreate === true || old === nowhere) {
    const path = withoutPrefix(next, "b/")
    const lines = hunks.flatMap((hunk) => hunk.lines)
    if (lines.some((line) => line.kind !== "added"))
      return fail(`\`${path}\` is new, so all its lines begin with \`+\`.`)
    return Result.succeed({ kind: "add", path, text: textOf(lines) })
  }
  if (file.isDelete === true || next === nowhere) {
    const path = withoutPrefix(old, "a/")
    if (hunks.some((hunk) => hunk.lines.some((line) => line.kind !== "removed"))) {
      return fail(`\`${path}\` is deleted, so all its lines begin with \`-\`.`)
    }
    return Result.succeed(hunks.length === 0 ? { kind: "delete", path } : { kind: "delete", path, hunks })
  }
  if (file.isRename === true) {
    const hasPrefixes = old.startsWith("a/") && next.startsWith("b/")
    const [path, moveTo] = hasPrefixes ? [old.slice(2), next.slice(2)] : [old, next]
    return Result.succeed({ kind: "update", path, moveTo, hunks })
  }
  const path = samePath(old, next)
  if (path === undefined) {
    return fail(
      `the two names differ: ${quote(old)} and ${quote(next)}. To move a file, give \`rename from PATH\` and \`rename to PATH\` ` +
        "below `diff --git a/PATH b/PATH`, or `*** Move to: PATH` in a `*** Begin Patch` envelope."
    )
  }
  if (hunks.length === 0) return fail(`no hunk (\`@@ …\`) for \`${path}\`.`)
  return Result.succeed({ kind: "update", path, moveTo: undefined, hunks })
}

const nowhere = "/dev/null"

const refusal = (file: StructuredPatch, header: Lines, hunks: ReadonlyArray<Hunk>): string | undefined => {
  if (file.isBinary === true || header.some((line) => line.startsWith("GIT binary patch"))) {
    return "it is a binary diff; only text can be patched."
  }
  if (file.isCopy === true) return "copies are not made by a patch: add the new file with its lines."
  const mode = file.newMode ?? file.oldMode
  if (mode !== undefined && !mode.startsWith("100")) {
    return `its mode ${mode} is no regular file's; links and submodules are not patched.`
  }
  if (file.oldMode !== undefined && file.newMode !== undefined && hunks.length === 0 && file.isRename !== true) {
    return `it changes only the file's mode, from ${file.oldMode} to ${file.newMode}; a patch sets no modes here.`
  }
  return undefined
}

const withoutPrefix = (path: string, prefix: string): string =>
  path.startsWith(prefix) ? path.slice(prefix.length) : path

/** The file that both names mean: `a/x` and `b/x` (or git's other letters), the same name twice, or one with the prefix. */
const samePath = (old: string, next: string): string | undefined => {
  const [left, right] = [/^([a-z])\/(.+)$/s.exec(old), /^([a-z])\/(.+)$/s.exec(next)]
  if (left !== null && right !== null && left[1] !== right[1] && left[2] === right[2]) return left[2]
  if (old === next) return old
  if (withoutPrefix(next, "b/") === old) return old
  return withoutPrefix(old, "a/") === next ? next : undefined
}

const textOf = (lines: ReadonlyArray<HunkLine>): string =>
  lines.map((line) => (line.isUnended === true ? line.text : `${line.text}\n`)).join("")

/** How many lines at the start of an envelope's section are a diff's own names of the same file. */
export const fileHeaderLength = (path: string, lines: Lines): number => {
  if (lines.length < 3 || !isFileHeader(lines, 0) || !lines[2]!.startsWith("@@")) return 0
  return samePath(lines[0]!.slice(4).trim(), lines[1]!.slice(4).trim()) === path ? 2 : 0
}
