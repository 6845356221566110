/** The text of a cell's answer, for a model. */
import type { Nested } from "./Kernels.ts"
import type { Output } from "./Outputs.ts"
import type { Value } from "./Value.ts"

type Shown = Extract<Output, { readonly data: unknown }>

/** Kinds of content in the order in which a model is best served. */
const preferred = ["text/markdown", "text/latex", "text/plain", "application/json", "text/html", "image/svg+xml"]

const size = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} bytes`
    : bytes < 1024 * 1024
      ? `${Math.round(bytes / 1024)} KiB`
      : `${(bytes / 1024 / 1024).toFixed(1)} MiB`

const base64Bytes = (content: string): number => Math.floor(content.replaceAll(/\s|=/g, "").length * 0.75)

/** Width and height of a PNG, from its header. */
const pngSize = (base64: string): string => {
  const header = Array.from(base64.slice(0, 32), (char) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".indexOf(char)
  )
  const bytes = Array.from({ length: 24 }, (_, i) => {
    const at = Math.floor((i * 8) / 6)
    const bits = ((header[at] ?? 0) << 6) | (header[at + 1] ?? 0)
    return (bits >> (4 - ((i * 8) % 6))) & 0xff
  })
  const number = (from: number) => bytes.slice(from, from + 4).reduce((sum, byte) => sum * 256 + byte, 0)
  return bytes[1] === 0x50 && bytes[2] === 0x4e ? `, ${number(16)}×${number(20)}` : ""
}

const imageLine = (mime: string, content: string): string =>
  `[${mime}${mime === "image/png" ? pngSize(content) : ""}, ${size(base64Bytes(content))}]`

/** A bundle as text: a line for an image, or the best of its texts. */
export const bundleText = (data: Shown["data"]): string => {
  const images = Object.entries(data).filter(
    (entry): entry is [string, string] =>
      entry[0].startsWith("image/") && entry[0] !== "image/svg+xml" && typeof entry[1] === "string"
  )
  if (images.length > 0) return images.map(([mime, content]) => imageLine(mime, content)).join("\n")
  const mime = preferred.find((mime) => data[mime] !== undefined) ?? Object.keys(data)[0]
  if (mime === undefined) return "[a display without content]"
  const content = data[mime]
  return typeof content === "string" ? content : JSON.stringify(content, undefined, 1)
}

/** One output as text. */
export const outputText = (output: Output): string => {
  switch (output.kind) {
    case "stdout":
    case "stderr":
      return output.text
    case "error":
      return output.traceback === "" ? `${output.name}: ${output.message}` : output.traceback
    case "display": {
      const text = bundleText(output.data)
      return output.update === true ? `[display ${output.display_id ?? ""} is now] ${text}` : text
    }
    case "result":
      return bundleText(output.data)
  }
}

const seconds = (milliseconds: number): string =>
  milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`

/** `read ×3`, `bash ×2 (1 failed)`. */
const nestedText = (nested: ReadonlyArray<Nested>, total: number): string => {
  const groups = new Map<string, Array<Nested>>()
  for (const call of nested) groups.set(call.tool, [...(groups.get(call.tool) ?? []), call])
  const shown = Array.from(groups, ([tool, calls]) => {
    const bad = (["failed", "cancelled"] as const).flatMap((outcome) => {
      const count = calls.filter((call) => call.outcome === outcome).length
      return count === 0 ? [] : [`${count} ${outcome}`]
    })
    const spent = seconds(calls.reduce((sum, call) => sum + call.milliseconds, 0))
    return `${tool}${calls.length > 1 ? ` ×${calls.length}` : ""} (${[...bad, spent].join(", ")})`
  })
  return `Tools called: ${shown.join(", ")}${total > nested.length ? ` and ${total - nested.length} more calls` : ""}.`
}

/** The outputs, in order; where both streams or older output appear, labelled. */
const outputsText = (outputs: ReadonlyArray<Output>, gap: string): string => {
  let text = ""
  let label = "stdout"
  let isBackground = false
  const onNewLine = (next: string) => {
    if (text !== "" && !text.endsWith("\n")) text += "\n"
    text += next
  }
  for (const output of outputs) {
    if ((output.background ?? false) !== isBackground) {
      isBackground = !isBackground
      onNewLine(isBackground ? "[output of earlier cells since the last call]\n" : "[output of this cell]\n")
    }
    if (output.kind === "stdout" || output.kind === "stderr") {
      if (output.after_gap === true) onNewLine(`[… ${gap} …]\n`)
      if (output.kind !== label) onNewLine(`[${output.kind}]\n`)
      label = output.kind
      text += output.text
    } else {
      if (label === "stderr") onNewLine("[stdout]\n")
      label = "stdout"
      onNewLine(`${outputText(output).replace(/\n$/, "")}\n`)
    }
  }
  return text === "" || text.endsWith("\n") ? text : `${text}\n`
}

const kept = "State kept: variables and imports are still there."

/** What became of the cell and of the state, as sentences. */
const ending = (value: Value): string => {
  switch (value.status) {
    case "ok":
      return `Done in ${seconds(value.milliseconds)}. State kept.`
    case "error":
      return `The cell raised an error. ${kept} What was assigned before the failing line stands.`
    case "exit":
      return `The cell asked to exit with code ${value.exit_code ?? 0}: the cell ended, the interpreter did not. ${kept}`
    case "interrupted":
      return `The cell was interrupted after ${seconds(value.milliseconds)}: ${value.state_reason ?? ""} ${kept}`
    case "died":
      return `The interpreter is gone after ${seconds(value.milliseconds)}: ${value.state_reason ?? ""} State lost: variables and imports are gone; the next cell begins with a new interpreter. The cell was not run again.`
  }
}

/** The whole text. */
export const make = (value: Value): string => {
  const file = value.spilled_to
  const whole = file === undefined ? "" : `; the whole is in ${file} (open it in a cell)`
  const gap =
    value.truncated === undefined
      ? ""
      : `left out here: the output has ${value.truncated.total_bytes} bytes, ${value.truncated.total_lines} lines in all${whole}`
  const outputs = outputsText(value.outputs, gap)
  const calls = value.calls ?? []
  const total = value.calls_total ?? 0
  return [
    outputs.replace(/\n$/, ""),
    outputs === "" && value.status === "ok" ? "No output." : "",
    total > 0 ? nestedText(calls, total) : "",
    ...(value.notices ?? []).map((notice) => `Note: ${notice}`),
    file !== undefined && value.truncated === undefined ? `Some of the output is shortened${whole}.` : "",
    ending(value)
  ]
    .filter((part) => part !== "")
    .join("\n")
}
