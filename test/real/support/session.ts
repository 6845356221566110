/**
 * A session of edits through `livetools serve`. After each, what the answers have told of it is compared with the difference that
 * the project's own checker makes between before and after: nothing missed, nothing repeated, nothing invented.
 */
import { createHash } from "node:crypto"
import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
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

/** Everything that a project's checker finds in folders, for each. */
export type Check = (roots: ReadonlyArray<string>) => ReadonlyArray<ReadonlyArray<Finding>>

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
  /** The server answers and tells nothing by itself: when it has answered, nothing is late. */
  readonly isPulled?: boolean
  /** The checker has no codes. */
  readonly isCodeless?: boolean
}

/** How long what is late is waited for, in milliseconds. */
const patience = 15_000

/** A state of the project, that is checked when the session is over. */
interface State {
  readonly files: ReadonlyMap<string, string>
}

interface Played {
  /** How many edits there were, how many of them broke something, and how many findings were told. */
  readonly edits: number
  readonly breaking: number
  readonly findings: number
  /** How many of the answers that had nothing to tell said that it is not known. */
  readonly unknown: number
  /** How many findings came with a later answer. */
  readonly late: number
}

interface Edited {
  readonly what: string
  readonly id: string | undefined
  /** The edit that it takes back. */
  readonly undo: string | undefined
  readonly before: State
  readonly after: State
  readonly told: Array<Finding>
  readonly texts: Array<string>
  readonly outcome: string
}

export const play = async (
  opened: Projects.Opened,
  steps: ReadonlyArray<Step>,
  check: Check,
  options: Options = {}
): Promise<Played> => {
  const toFinding = ({ code = "", line, message, path }: Told): Finding =>
    finding(path, line, options.isCodeless === true ? "" : code, message.replaceAll(`${opened.root}/`, ""))
  const states = new Map<string, State>()
  const look = (): State => {
    const files = new Map(opened.files().map((file) => [file, opened.read(file)]))
    const key = createHash("sha256")
      .update(JSON.stringify([...files]))
      .digest("hex")
    const state = states.get(key) ?? { files }
    states.set(key, state)
    return state
  }
  const edited: Array<Edited> = []
  let late = 0
  /** Takes what was told late to its edit. */
  const take = (deferred: ReadonlyArray<Projects.Deferred>) => {
    for (const { edit_id, introduced, text } of deferred) {
      const one = edited.find(({ id }) => id !== undefined && id === edit_id) ?? edited.at(-1)!
      one.told.push(...(introduced as ReadonlyArray<Told>).map(toFinding))
      one.texts.push(text)
      late += introduced.length
    }
  }
  /** Until nothing is under way; where an answer said that it is not known, until that is known, or for a while. */
  const rest = async (outcome: string) => {
    take(await opened.settled())
    // The first may have come before the servers were asked about the write: the second waits for that.
    if (outcome === "unknown") take(await opened.settled())
    const until = Date.now() + (outcome === "unknown" && options.isPulled !== true ? patience : 0)
    let [empty, told] = [0, 0]
    while (empty < 3 || (told === 0 && Date.now() < until)) {
      const deferred = await opened.later(options.isNotified === true)
      empty = deferred.length === 0 ? empty + 1 : 0
      told += deferred.length
      take(deferred)
      await new Promise((resume) => setTimeout(resume, 100))
    }
  }

  for (const step of steps) {
    if ("behind" in step) {
      opened.write(step.behind, step.change(opened.read(step.behind)))
      continue
    }
    const before = look()
    const undone = "undo" in step ? edited.find(({ what }) => what === step.undo) : undefined
    const params =
      "undo" in step
        ? { edit_id: undone?.id, action: "undo" }
        : typeof step.params === "function"
          ? step.params(opened)
          : step.params
    const answer = await opened.call("undo" in step ? "resolve" : step.tool, params)
    assert.isFalse(answer.isFailure, `${step.what}: ${answer.text}`)
    const value = answer.value as {
      readonly edit_id?: string
      readonly introduced: ReadonlyArray<Told>
      readonly diagnostics_outcome: string
    }
    take(answer.deferred ?? [])
    edited.push({
      what: step.what,
      // What is taken back is told under the same.
      id: value.edit_id,
      undo: undone?.what,
      before,
      after: look(),
      told: value.introduced.map(toFinding),
      texts: [answer.text],
      outcome: value.diagnostics_outcome
    })
    // As an agent that thinks before the next one: what is late has come.
    await rest(value.diagnostics_outcome)
  }

  const folder = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "real-states-")))
  const all = [...states.values()]
  try {
    const roots = all.map(({ files }, index) => {
      const root = Path.join(folder, `s${index}`)
      for (const [file, text] of files) {
        Fs.mkdirSync(Path.dirname(Path.join(root, file)), { recursive: true })
        Fs.writeFileSync(Path.join(root, file), text)
      }
      const packages = Path.join(opened.root, "node_modules")
      if (Fs.existsSync(packages)) Fs.symlinkSync(packages, Path.join(root, "node_modules"))
      return root
    })
    const checked = check(roots)
    const found = new Map(
      all.map((state, index) => [
        state,
        (checked[index] ?? []).map(({ key, line }) => ({ key: key.replaceAll(`${roots[index]}/`, ""), line }))
      ])
    )
    return compare(edited, (state) => found.get(state) ?? [], late)
  } finally {
    Fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** Each edit, with what the checker finds before and after it. */
const compare = (
  edited: ReadonlyArray<Edited>,
  found: (state: State) => ReadonlyArray<Finding>,
  late: number
): Played => {
  const keys = (state: State) => found(state).map(({ key }) => key)
  const wrong: Array<string> = []
  const played = { edits: edited.length, breaking: 0, findings: 0, unknown: 0, late }
  for (const [index, { after, before, outcome, texts, told, undo, what }] of edited.entries()) {
    const fresh = less(keys(after), keys(before))
    // An edit that is taken back tells nothing of what was there before it.
    const undone = edited.find((one) => one.what === undo)
    const expected = undone === undefined ? fresh : less(fresh, less(keys(undone.before), keys(before)))
    const got = told.map(({ key }) => key)
    const misplaced = told.filter((one) => !found(after).some(({ key, line }) => key === one.key && line === one.line))
    if (less(expected, got).length + less(got, expected).length + misplaced.length > 0) {
      wrong.push(
        `edit ${index + 1}, ${what}`,
        ...less(expected, got).map((key) => `  missed: ${key}`),
        ...less(got, expected).map((key) => `  invented or repeated: ${key}`),
        ...misplaced.map(({ key, line }) => `  not on line ${line}: ${key}`),
        ...texts.map((text) => `  | ${text.replaceAll("\n", "\n  | ")}`)
      )
    }
    if (expected.length > 0) played.breaking++
    else if (outcome === "unknown") played.unknown++
    played.findings += expected.length
  }
  assert.deepStrictEqual(wrong, [], wrong.join("\n"))
  return played
}
