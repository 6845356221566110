/**
 * A session of edits through `livetools serve`. After each, what the answers have told of it is compared with the difference that
 * the project's own checker makes between before and after: nothing missed, nothing repeated, nothing invented.
 */
import { createHash } from "node:crypto"
import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert } from "@effect/vitest"
import type * as Projects from "./projects.ts"

/** What a checker or a server says; `key` is compared, the line is looked up. */
export interface Finding {
  readonly key: string
  readonly line: number
}

export const finding = (path: string, line: number, code: string, message: string): Finding => ({
  key: `${path} ${code} ${message.replaceAll(/\s+/g, " ").trim()}`,
  line
})

/** The output of a program, whatever it exits with. */
export const output = (root: string, command: string, ...args: ReadonlyArray<string>): string => {
  const { stderr, stdout } = spawnSync(command, args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 })
  return `${stdout}\n${stderr}`
}

/** Everything that a project's checker finds in a folder. */
export type Check = (root: string) => ReadonlyArray<Finding>

export type Step = { readonly what: string } & (
  | { readonly tool: string; readonly params: object | ((opened: Projects.Opened) => object) }
  /** Takes the edit of an earlier step back, by its `what`. */
  | { readonly undo: string }
  /** Somebody else changes a file; no answer is due. */
  | { readonly behind: string; readonly change: (text: string) => string }
)

export const edit = (what: string, path: string, old_text: string, new_text: string): Step => ({
  what,
  tool: "edit",
  params: { path, old_text, new_text }
})

/** Writes the whole file. */
export const write = (what: string, path: string, change: (text: string) => string): Step => ({
  what,
  tool: "write",
  params: (opened) => ({ path, content: change(Fs.existsSync(Path.join(opened.root, path)) ? opened.read(path) : "") })
})

export const patch = (what: string, ...lines: ReadonlyArray<string>): Step => ({
  what,
  tool: "apply_patch",
  params: { patch: ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n") }
})

export const rename = (what: string, file: string, text: string, symbol: string, new_name: string): Step => ({
  what,
  tool: "lsp_rename",
  params: (opened) => ({ file, line: opened.line(file, text), symbol, new_name })
})

const less = (all: ReadonlyArray<string>, known: ReadonlyArray<string>): ReadonlyArray<string> => {
  const left = [...known]
  return all.filter((one) => {
    const at = left.indexOf(one)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

interface Told {
  readonly path: string
  readonly line: number
  readonly code?: string
  readonly message: string
}

interface Options {
  /** What comes late is a notification, and not part of the next answer. */
  readonly isNotified?: boolean
  /** The checker has no codes. */
  readonly isCodeless?: boolean
}

/** How long what is told late is waited for, in milliseconds. */
const patience = 90_000

export interface Played {
  /** How many edits there were, how many of them broke something, and how many findings were told. */
  readonly edits: number
  readonly breaking: number
  readonly findings: number
  /** How many of the answers that broke nothing said that it is not known. */
  readonly unknown: number
  /** How many of those that broke something told it with a later answer. */
  readonly late: number
}

export const play = async (
  opened: Projects.Opened,
  steps: ReadonlyArray<Step>,
  check: Check,
  options: Options = {}
): Promise<Played> => {
  const toFinding = ({ code = "", line, message, path }: Told): Finding =>
    finding(path, line, options.isCodeless === true ? "" : code, message)
  const memory = new Map<string, ReadonlyArray<Finding>>()
  const look = (): ReadonlyArray<Finding> => {
    const hash = createHash("sha256")
    for (const file of opened.files()) hash.update(`${file}\0${opened.read(file)}\0`)
    const key = hash.digest("hex")
    const found = memory.get(key) ?? check(opened.root)
    memory.set(key, found)
    return found
  }
  const ids = new Map<string, string>()
  /** What was found before each step. */
  const befores = new Map<string, ReadonlyArray<string>>()
  let before = look()
  const played = { edits: 0, breaking: 0, findings: 0, unknown: 0, late: 0 }

  for (const step of steps) {
    if ("behind" in step) {
      opened.write(step.behind, step.change(opened.read(step.behind)))
      before = look()
      continue
    }
    played.edits++
    const what = () => `edit ${played.edits}, ${step.what}`
    const params =
      "undo" in step
        ? { edit_id: ids.get(step.undo), action: "undo" }
        : typeof step.params === "function"
          ? step.params(opened)
          : step.params
    const answer = await opened.call("undo" in step ? "resolve" : step.tool, params)
    assert.isFalse(answer.isFailure, `${what()}: ${answer.text}`)
    const value = answer.value as {
      readonly edit_id?: string
      readonly introduced: ReadonlyArray<Told>
      readonly diagnostics_outcome: string
    }
    if (value.edit_id !== undefined) ids.set(step.what, value.edit_id)
    const after = look()
    const keys = after.map(({ key }) => key)
    const old = before.map(({ key }) => key)
    befores.set(step.what, old)
    // An edit that is taken back tells nothing of what was there before it.
    const expected = "undo" in step ? less(less(keys, old), less(befores.get(step.undo) ?? [], old)) : less(keys, old)
    const told = value.introduced.map(toFinding)
    const texts = [answer.text]
    const note = () =>
      `${what()}\nexpected:\n${expected.join("\n")}\ntold:\n${told.map(({ key }) => key).join("\n")}\n${texts.join("\n")}`
    // All that earlier edits have caused was told before this one.
    assert.isUndefined(answer.deferred, note())
    const until = Date.now() + patience
    while (told.length < expected.length) {
      assert.isBelow(Date.now(), until, note())
      for (const one of await opened.later(options.isNotified === true)) {
        texts.push(one.text)
        assert.strictEqual(one.edit_id, value.edit_id, note())
        told.push(...(one.introduced as ReadonlyArray<Told>).map(toFinding))
        played.late++
      }
    }
    assert.deepStrictEqual(told.map(({ key }) => key).toSorted(), [...expected].toSorted(), note())
    for (const one of told) {
      assert.isTrue(
        after.some(({ key, line }) => key === one.key && line === one.line),
        `${one.key} is not on line ${one.line}\n${note()}`
      )
    }
    if (expected.length > 0) played.breaking++
    else if (value.diagnostics_outcome === "unknown") played.unknown++
    played.findings += expected.length
    before = after
  }
  // Nothing comes late.
  await opened.settled()
  assert.deepStrictEqual(await opened.later(options.isNotified === true), [])
  return played
}
