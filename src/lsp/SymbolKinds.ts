/** What the protocol's numbers for kinds of symbols mean. */
const names = [
  "file",
  "module",
  "namespace",
  "package",
  "class",
  "method",
  "property",
  "field",
  "constructor",
  "enum",
  "interface",
  "function",
  "variable",
  "constant",
  "string",
  "number",
  "boolean",
  "array",
  "object",
  "key",
  "null",
  "enum member",
  "struct",
  "event",
  "operator",
  "type parameter"
] as const

export const name = (kind: unknown): string => (typeof kind === "number" ? names[kind - 1] : undefined) ?? "symbol"
