/** The console of the reference harness: what a typed line means, what completes it, and what helps (SPEC §12). */
import { Result } from "effect"
import type { Description } from "../Surface.ts"
import * as Suggest from "../Suggest.ts"
import * as CallSyntax from "./CallSyntax.ts"

export type Command =
  | { readonly type: "nothing" }
  /** The line is not whole: a quote or a brace is still open. */
  | { readonly type: "more" }
  | { readonly type: "call"; readonly tool: string; readonly params: unknown }
  | { readonly type: "help"; readonly tool: string | undefined }
  | { readonly type: "tools" }
  | { readonly type: "vibe"; readonly on: boolean | undefined }
  | { readonly type: "end" }
  | { readonly type: "wrong"; readonly message: string }

type Tools = ReadonlyArray<Description>

const commands: { readonly [name: string]: string } = {
  ":help": "what can be typed; `:help TOOL`: the parameters of a tool",
  ":tools": "the tools of the run, and why others are absent",
  ":vibe": "`:vibe on`, `:vibe off`: background workers; leaving the mode ends them",
  ":quit": "ends the run, as Ctrl-D does"
}

/** Reads a line. It may hold line ends: a pasted text, or what was typed on after `more`. */
export const parse = (line: string, tools: Tools): Command => {
  const text = line.trim()
  if (text === "" || text.startsWith("#")) return { type: "nothing" }
  if (text === "?" || text === "help") return { type: "help", tool: undefined }
  if (text.startsWith(":")) return parseCommand(text)
  const tool = /^\S+/.exec(text)![0]
  if (isOpen(text)) return { type: "more" }
  const known = tools.find(({ name }) => name === tool)
  if (known === undefined && !text.startsWith("{")) {
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

const parseCommand = (text: string): Command => {
  const [name = "", argument, ...rest] = text.split(/\s+/)
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

/** Whether a quote, or the JSON object of the parameters, is still open at the end. */
const isOpen = (text: string): boolean => {
  const at = text.search(/(^|\s)\{/)
  if (at < 0 || /['"=]/.test(text.slice(0, at))) return Result.isFailure(CallSyntax.words(text))
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
  return depth > 0 || isInString
}

/**
 * What can stand at the end of the line: tools and commands, then parameters that are not there yet, then values where a
 * parameter has a few, or paths. Gives the candidates and the word that they replace.
 */
export const complete = (
  line: string,
  tools: Tools,
  paths: (prefix: string) => ReadonlyArray<string>
): readonly [ReadonlyArray<string>, string] => {
  const words = line.split(/\s+/)
  const word = words.at(-1) ?? ""
  const from = (candidates: ReadonlyArray<string>) =>
    [candidates.filter((candidate) => candidate.startsWith(word)), word] as const
  const first = words[0] === "" ? (words[1] ?? "") : words[0]!
  const isFirst = words.filter((each) => each !== "").length <= (word === "" ? 0 : 1)
  const names = tools.map(({ name }) => name)
  if (isFirst) return from([...names.map((name) => `${name} `), ...Object.keys(commands).map((name) => `${name} `)])
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
  return from(values.map((value) => `${key}=${value}`))
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
      "Ctrl-C cancels the call that runs, Ctrl-D ends the run. A card is answered by the number of an option, or by text.",
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
