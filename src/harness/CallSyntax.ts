/** Calls as a person types them: `TOOL KEY=VALUE…` or JSON (SPEC §12). */
import { Result } from "effect"
import type { ObjectSchema } from "../Parameters.ts"

/** The words of a line as a shell reads them: single and double quotes, backslash; nothing is expanded. */
export interface Scanned {
  readonly words: ReadonlyArray<string>
  /** The quote that is open at the end. */
  readonly quote: string
  /** Where the last word begins in the line; at the end where a new one would begin. */
  readonly lastFrom: number
}

export const scan = (line: string): Scanned => {
  const words: Array<string> = []
  let word: string | undefined
  let quote = ""
  let lastFrom = 0
  for (let i = 0; i < line.length; i++) {
    const char = line[i]!
    if (quote === "" && /\s/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
      continue
    }
    if (word === undefined) lastFrom = i
    word ??= ""
    if (quote !== "") {
      if (char === quote) quote = ""
      else if (char === "\\" && quote === '"' && (line[i + 1] === '"' || line[i + 1] === "\\")) word += line[++i]!
      else word += char
    } else if (char === "'" || char === '"') quote = char
    else if (char === "\\" && i + 1 < line.length) word += line[++i]!
    else word += char
  }
  if (word !== undefined) words.push(word)
  return { words, quote, lastFrom: word === undefined ? line.length : lastFrom }
}

export const words = (line: string): Result.Result<ReadonlyArray<string>, string> => {
  const { quote, words } = scan(line)
  return quote === "" ? Result.succeed(words) : Result.fail(`A ${quote} is not closed.`)
}

/** The text as it is typed on in a word, where that quote is open or none is. */
export const escape = (text: string, quote: string): string => {
  if (quote === "'") return text.replaceAll("'", "'\\''")
  return quote === '"' ? text.replaceAll(/["\\]/g, "\\$&") : text.replaceAll(/[\s"'\\]/g, "\\$&")
}

/**
 * Parameters from the words behind a tool's name: one JSON object, or `KEY=VALUE` words whose values are read by the type that the
 * schema gives the parameter. A key of a list may be given several times. Without a schema (no such tool) values stay text.
 */
export const params = (
  args: ReadonlyArray<string>,
  schema: ObjectSchema | undefined
): Result.Result<unknown, string> => {
  if (args.length === 1 && args[0]!.trimStart().startsWith("{")) return json(args[0]!)
  const given = new Map<string, unknown>()
  for (const arg of args) {
    const at = arg.indexOf("=")
    if (at <= 0) return Result.fail(`\`${arg}\` is neither KEY=VALUE nor a JSON object.`)
    const key = arg.slice(0, at)
    const value = read(
      arg.slice(at + 1),
      schema !== undefined && Object.hasOwn(schema.properties, key) ? schema.properties[key]! : {}
    )
    if (Result.isFailure(value)) return Result.fail(`\`${key}\`: ${value.failure}`)
    const before = given.get(key)
    if (before === undefined) given.set(key, value.success)
    else if (Array.isArray(before) && Array.isArray(value.success)) given.set(key, [...before, ...value.success])
    else return Result.fail(`\`${key}\` is given twice.`)
  }
  return Result.succeed(Object.fromEntries(given))
}

/** A line of `livetools run`: `TOOL KEY=VALUE…`, `TOOL {…}`, or `{"tool": …, "params": …}`. */
export const call = (
  line: string,
  schemaOf: (tool: string) => ObjectSchema | undefined
): Result.Result<{ readonly tool: string; readonly params: unknown }, string> => {
  const text = line.trim()
  if (text.startsWith("{")) {
    return Result.flatMap(json(text), (value) => {
      const { tool, params: given = {}, ...rest } = value as { tool?: unknown; params?: unknown }
      const stranger = Object.keys(rest)[0]
      if (typeof tool !== "string") return Result.fail('`tool` is missing: write {"tool": NAME, "params": {…}}.')
      if (stranger !== undefined) return Result.fail(`\`${stranger}\` is not known beside \`tool\` and \`params\`.`)
      return Result.succeed({ tool, params: given })
    })
  }
  const space = text.search(/\s/)
  const tool = space < 0 ? text : text.slice(0, space)
  const rest = space < 0 ? "" : text.slice(space).trim()
  if (rest.startsWith("{")) return Result.map(json(rest), (given) => ({ tool, params: given }))
  return Result.map(
    Result.flatMap(words(rest), (args) => params(args, schemaOf(tool))),
    (given) => ({ tool, params: given })
  )
}

const json = (text: string): Result.Result<unknown, string> => {
  try {
    return Result.succeed(JSON.parse(text))
  } catch (error) {
    return Result.fail(`not JSON: ${(error as Error).message}`)
  }
}

const read = (text: string, schema: { readonly [key: string]: unknown }): Result.Result<unknown, string> => {
  switch (schema["type"]) {
    case undefined:
    case "string":
      return Result.succeed(text)
    case "integer":
    case "number":
      return text.trim() !== "" && Number.isFinite(Number(text))
        ? Result.succeed(Number(text))
        : Result.fail(`\`${text}\` is not a number.`)
    case "boolean":
      return text === "true" || text === "false"
        ? Result.succeed(text === "true")
        : Result.fail(`\`${text}\` is neither true nor false.`)
    case "array": {
      if (text.trimStart().startsWith("[")) return json(text)
      const items = schema["items"]
      const item = typeof items === "object" && items !== null ? items : {}
      return Result.map(read(text, { ...item }), (value) => [value])
    }
    default:
      return json(text)
  }
}
