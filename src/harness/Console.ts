/** The console of the reference harness: what a typed line means, what completes it, and what helps (SPEC §12). */
import { Result } from "effect"
import type { Absent, Description } from "../Surface.ts"
import * as Suggest from "../Suggest.ts"
import type { Card } from "./Cards.ts"
import * as CallSyntax from "./CallSyntax.ts"

export type Command =
  | { readonly type: "nothing" }
  /** The line is not whole: this quote or brace is still open. */
  | { readonly type: "more"; readonly open: string }
  | { readonly type: "call"; readonly tool: string; readonly params: unknown }
  | { readonly type: "help"; readonly tool: string | undefined }
  | { readonly type: "tools" }
  | { readonly type: "vibe"; readonly on: boolean | undefined }
  | { readonly type: "end" }
  | { readonly type: "card" }
  | { readonly type: "skip" }
  | { readonly type: "answer"; readonly text: string }
  | { readonly type: "wrong"; readonly message: string }

type Tools = ReadonlyArray<Description>

const commands: { readonly [name: string]: string } = {
  ":help": "what can be typed; `:help TOOL`: the parameters of a tool",
  ":tools": "the tools of the run, and why others are absent",
  ":vibe": "`:vibe on`, `:vibe off`: background workers; leaving the mode ends them",
  ":card": "shows the open card again, or those that Ctrl-C has put aside",
  ":skip": "leaves the card unanswered, as an empty line does",
  ":answer": "`:answer TEXT` answers the card with just that text, also where it begins with a colon or is a number",
  ":quit": "ends the run, as Ctrl-D does"
}

/** Reads a line. It may hold line ends: a pasted text, or what was typed on after `more`. */
export const parse = (line: string, tools: Tools, absent: ReadonlyArray<Absent> = []): Command => {
  const text = line.trim()
  if (text === "" || text.startsWith("#")) return { type: "nothing" }
  if (text === "?" || text === "help") return { type: "help", tool: undefined }
  if (text.startsWith(":")) return parseCommand(text)
  const tool = /^\S+/.exec(text)![0]
  const open = openIn(text)
  if (open !== "") return { type: "more", open }
  const known = tools.find(({ name }) => name === tool)
  if (known === undefined && !text.startsWith("{")) {
    const missing = absent.find(({ name }) => name === tool)?.missing
    if (missing !== undefined) return { type: "wrong", message: `${tool} is not here: ${missing.join("; ")}.` }
    return {
      type: "wrong",
      message: `There is no tool \`${tool}\` here.${Suggest.didYouMean(
        tool,
        tools.map(({ name }) => name)
      )} Type :tools for the list.`
    }
  }
  const call = CallSyntax.call(text, () => known?.jsonSchema)
  return Result.isSuccess(call) ? { type: "call", ...call.success } : { type: "wrong", message: call.failure }
}

/** Whether the line is a command also where a card is open. A text of several lines is an answer, unless it says so. */
export const isCommand = (line: string): boolean => /^\s*:(?:[^\n]*$|answer\s)/.test(line)

/** Whether it is a call beyond doubt: a tool's name alone may be a word of an answer. */
export const isCall = (command: Command): boolean =>
  command.type === "call" && command.params !== null && typeof command.params === "object"
    ? Object.keys(command.params).length > 0
    : false

/** Whether the line is a command that waits for no call: the call may be waiting for a card, and the others only show. */
export const isAtOnce = (line: string): boolean => /^\s*(?::(?:card|tools|help|h)(?:\s|$)|\?\s*$)/.test(line)

const parseCommand = (text: string): Command => {
  const [name = "", argument, ...rest] = text.split(/\s+/)
  if (name === ":card") return { type: "card" }
  if (name === ":skip") return { type: "skip" }
  if (name === ":answer") {
    return argument === undefined
      ? { type: "wrong", message: "It is `:answer TEXT`." }
      : { type: "answer", text: text.slice(name.length + 1) }
  }
  if (name === ":quit" || name === ":q" || name === ":exit") return { type: "end" }
  if (name === ":tools") return { type: "tools" }
  if (name === ":help" || name === ":h") return { type: "help", tool: argument }
  if (name === ":vibe" && rest.length === 0 && (argument === undefined || argument === "on" || argument === "off")) {
    return { type: "vibe", on: argument === undefined ? undefined : argument === "on" }
  }
  if (name === ":vibe") return { type: "wrong", message: "It is `:vibe on` or `:vibe off`." }
  return {
    type: "wrong",
    message: `There is no command \`${name}\`.${Suggest.didYouMean(name, Object.keys(commands))} Type :help.`
  }
}

/** What is still open at the end: a quote, or the JSON object of the parameters. */
const openIn = (text: string): string => {
  const at = text.search(/(^|\s)\{/)
  if (at < 0 || /['"=]/.test(text.slice(0, at))) return CallSyntax.scan(text).quote
  let depth = 0
  let isInString = false
  for (let i = at; i < text.length; i++) {
    const char = text[i]
    if (isInString) {
      if (char === "\\") i++
      else if (char === '"') isInString = false
    } else if (char === '"') isInString = true
    else if (char === "{" || char === "[") depth++
    else if (char === "}" || char === "]") depth--
  }
  return isInString ? '"' : depth > 0 ? "{" : ""
}

/** What can be typed at a card: its options, and commands. */
export const completeAnswer = (line: string, { options }: Card): readonly [ReadonlyArray<string>, string] => [
  [...options.map(({ label }) => label), ...Object.keys(commands).map((name) => `${name} `)].filter(
    (each) => line !== "" && each.startsWith(line)
  ),
  line
]

/**
 * What can stand at the end of the line: tools and commands, then parameters that are not there yet, then values where a
 * parameter has a few, or paths. Gives the candidates and the word that they replace.
 */
export const complete = (
  line: string,
  tools: Tools,
  paths: (prefix: string) => ReadonlyArray<string>
): readonly [ReadonlyArray<string>, string] => {
  const { lastFrom, quote, words } = CallSyntax.scan(line)
  const typed = line.slice(lastFrom)
  const word = typed === "" ? "" : words.at(-1)!
  const from = (candidates: ReadonlyArray<string>, goOn = (rest: string) => rest) =>
    [
      candidates
        .filter((candidate) => candidate.startsWith(word))
        .map((candidate) => `${typed}${goOn(candidate.slice(word.length))}`),
      typed
    ] as const
  const first = words[0] ?? ""
  const names = tools.map(({ name }) => name)
  if (words.length <= (typed === "" ? 0 : 1)) {
    return from([...names, ...Object.keys(commands)].map((name) => `${name} `))
  }
  if (first === ":help") return from(names)
  if (first === ":vibe") return from(["on", "off"])
  const properties = tools.find(({ name }) => name === first)?.jsonSchema.properties
  if (properties === undefined) return from([])
  const at = word.indexOf("=")
  if (at < 0) {
    const given = new Set(words.map((each) => each.slice(0, Math.max(0, each.indexOf("=")))))
    return from(
      Object.keys(properties)
        .filter((key) => !given.has(key))
        .map((key) => `${key}=`)
    )
  }
  const key = word.slice(0, at)
  if (!Object.hasOwn(properties, key)) return from([])
  const values = valuesOf(properties[key]!) ?? (pathLike.has(key) ? paths(word.slice(at + 1)) : [])
  // A value that is whole closes its quote; behind a folder there is more to come.
  return from(
    values.map((value) => `${key}=${value}`),
    (rest) => `${CallSyntax.escape(rest, quote)}${rest.endsWith("/") ? "" : quote}`
  )
}

const pathLike = new Set(["path", "file", "from", "to", "program", "cwd"])

const valuesOf = (schema: { readonly [key: string]: unknown }): ReadonlyArray<string> | undefined => {
  if (schema["type"] === "boolean") return ["true", "false"]
  const values = schema["enum"]
  return Array.isArray(values) ? values.map(String) : undefined
}

/** What can be typed, or the parameters of one tool. */
export const help = (tool: string | undefined, tools: Tools): string => {
  if (tool === undefined) {
    return [
      'Type a call: TOOL KEY=VALUE … or TOOL {"key": …}; quotes as in a shell. Tab completes tools, parameters, values and paths.',
      "A card is answered by the number of an option, or by text; commands stay commands there.",
      "Ctrl-C cancels the call that runs, and puts the card of a worker aside. Ctrl-D ends the run.",
      ...Object.entries(commands).map(([name, text]) => `${name.padEnd(8)}${text}`),
      ""
    ].join("\n")
  }
  const found = tools.find(({ name }) => name === tool)
  if (found === undefined) {
    return `There is no tool \`${tool}\` here.${Suggest.didYouMean(
      tool,
      tools.map(({ name }) => name)
    )}\n`
  }
  const { description, jsonSchema, name, tier } = found
  const rows = Object.entries(jsonSchema.properties).map(([key, schema]) => {
    const isOptional = !jsonSchema.required.includes(key)
    const values = valuesOf(schema)
    const kind = values === undefined || values.length > 8 ? String(schema["type"] ?? "value") : values.join("|")
    return `  ${key}${isOptional ? "?" : ""}  (${kind})  ${schema.description ?? ""}`
  })
  return [`${name} (${tier}): ${description}`, ...rows, ""].join("\n")
}
