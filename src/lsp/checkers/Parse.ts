/** The output of checkers as diagnostics. What is not understood is left out; an exit code says whether all was checked. */
import { Option, Schema } from "effect"
import type { Diagnostic, Severity } from "../LanguageServers.ts"
import * as Wire from "../Wire.ts"

export type Found = Omit<Diagnostic, "raw">

/** Makes a path absolute that is relative to the folder of the checker. */
export type Absolute = (path: string) => string

interface Line {
  readonly path: string
  readonly line: number
  readonly column?: number
  readonly severity: Severity
  readonly code?: string
  readonly message: string
}

const toFound =
  (absolute: Absolute, source: string) =>
  ({ code, column = 1, line, message, path, severity }: Line): Found => ({
    path: absolute(path),
    line: Math.max(1, line),
    column: Math.max(1, column),
    endLine: Math.max(1, line),
    endColumn: Math.max(1, column),
    severity,
    message: message.trim(),
    source,
    ...(code === undefined || code === "" ? {} : { code })
  })

type Format = (output: { readonly stdout: string; readonly stderr: string }, absolute: Absolute) => ReadonlyArray<Found>

/** `a.ts(1,2): error TS2322: …`, with the lines that belong to it indented below. */
const tsc: Format = ({ stdout }, absolute) => {
  const found: Array<Line> = []
  for (const text of stdout.split(/\r?\n/)) {
    const match = /^(.+?)\((\d+),(\d+)\): (error|warning) (TS\d+): (.*)$/.exec(text)
    const last = found.at(-1)
    if (match !== null) {
      const [, path = "", line, column, severity, code = "", message = ""] = match
      found.push({
        path,
        line: Number(line),
        column: Number(column),
        severity: severity === "error" ? 1 : 2,
        // As its language server tells it.
        code: code.slice(2),
        message
      })
    } else if (/^\s+\S/.test(text) && last !== undefined) {
      found[found.length - 1] = { ...last, message: `${last.message}\n${text}` }
    } else {
      const whole = /^(error) (TS\d+): (.*)$/.exec(text)
      if (whole !== null) found.push({ path: ".", line: 1, severity: 1, code: whole[2]!.slice(2), message: whole[3]! })
    }
  }
  return found.map(toFound(absolute, "tsc"))
}

const json = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const severities: ReadonlyMap<string, Severity> = new Map([
  ["error", 1],
  ["warning", 2],
  ["information", 3],
  ["note", 3],
  ["info", 3],
  ["help", 4]
])

const Pyright = Schema.Struct({
  file: Schema.String,
  severity: Schema.String,
  message: Schema.String,
  rule: Schema.optionalKey(Schema.String),
  range: Schema.optionalKey(Wire.Range)
})
const pyright: Format = ({ stdout }, absolute) =>
  Wire.each(Pyright)(Wire.get(json(stdout), "generalDiagnostics"))
    .map(({ file, message, range, rule, severity }): Line => ({
      path: file,
      line: (range?.start.line ?? 0) + 1,
      column: (range?.start.character ?? 0) + 1,
      severity: severities.get(severity) ?? 3,
      message,
      ...(rule === undefined ? {} : { code: rule })
    }))
    .map(toFound(absolute, "pyright"))

/** `a.py:1:2: error: … [code]`. */
const mypy: Format = ({ stdout }, absolute) =>
  stdout
    .split(/\r?\n/)
    .flatMap((text): ReadonlyArray<Line> => {
      const match = /^(.+?):(\d+)(?::(\d+))?: (error|warning|note): (.*?)(?:\s+\[([\w-]+)\])?$/.exec(text)
      if (match === null) return []
      const [, path = "", line, column, severity = "", message = "", code] = match
      return [
        {
          path,
          line: Number(line),
          ...(column === undefined ? {} : { column: Number(column) }),
          severity: severities.get(severity) ?? 1,
          message,
          ...(code === undefined ? {} : { code })
        }
      ]
    })
    .map(toFound(absolute, "mypy"))

/** `./a.go:1:2: …`, with `vet: ` before what does not compile. */
const go =
  (source: string, severity: Severity): Format =>
  ({ stderr, stdout }, absolute) =>
    `${stdout}\n${stderr}`
      .split(/\r?\n/)
      .flatMap((text): ReadonlyArray<Line> => {
        const match = /^(vet: )?((?:[A-Za-z]:)?[^:\s][^:]*\.go):(\d+)(?::(\d+))?: (.*)$/.exec(text)
        if (match === null) return []
        const [, isError, path = "", line, column, message = ""] = match
        return [
          {
            path,
            line: Number(line),
            ...(column === undefined ? {} : { column: Number(column) }),
            severity: isError === undefined ? severity : 1,
            message
          }
        ]
      })
      .map(toFound(absolute, source))

const Cargo = Schema.Struct({
  reason: Schema.Literal("compiler-message"),
  message: Schema.Struct({
    message: Schema.String,
    level: Schema.String,
    code: Schema.NullOr(Schema.Struct({ code: Schema.String })),
    spans: Schema.Array(
      Schema.Struct({
        file_name: Schema.String,
        is_primary: Schema.Boolean,
        line_start: Schema.Natural,
        column_start: Schema.Natural,
        label: Schema.optionalKey(Schema.NullOr(Schema.String))
      })
    )
  })
})
const decodeCargo = Schema.decodeUnknownOption(Cargo)
/** A JSON object a line. The same message comes once for each target that has the file. */
const cargo: Format = ({ stdout }, absolute) => {
  const lines = stdout.split("\n").flatMap((text): ReadonlyArray<Line> => {
    const decoded = Option.getOrUndefined(decodeCargo(json(text)))
    if (decoded === undefined) return []
    const { code, level, message, spans } = decoded.message
    const span = spans.find(({ is_primary }) => is_primary)
    if (span === undefined) return []
    const severity = level.startsWith("error") ? 1 : (severities.get(level) ?? 3)
    return [
      {
        path: span.file_name,
        line: span.line_start,
        column: span.column_start,
        severity,
        message: span.label === undefined || span.label === null ? message : `${message}: ${span.label}`,
        ...(code === null ? {} : { code: code.code })
      }
    ]
  })
  return [...new Map(lines.map((line) => [JSON.stringify(line), line])).values()].map(toFound(absolute, "cargo"))
}

/** `SEVERITY|TYPE|CODE|path|line|column|length|message`. */
const dart: Format = ({ stdout }, absolute) =>
  stdout
    .split(/\r?\n/)
    .flatMap((text): ReadonlyArray<Line> => {
      const [severity = "", , code, path, line, column, , ...message] = text.split("|")
      if (path === undefined || line === undefined || message.length === 0) return []
      return [
        {
          path,
          line: Number(line),
          column: Number(column),
          severity: severities.get(severity.toLowerCase()) ?? 3,
          message: message.join("|"),
          ...(code === undefined ? {} : { code: code.toLowerCase() })
        }
      ]
    })
    .map(toFound(absolute, "dart"))

export const formats = {
  tsc,
  pyright,
  mypy,
  "go build": go("go build", 1),
  "go vet": go("go vet", 2),
  cargo,
  dart
} as const
