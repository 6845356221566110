/** What an agent says and does, as lines for a person. */
import type { Event } from "./Agent.ts"
import { visible } from "./Visible.ts"

const maxLines = 20
const maxLine = 400

/** The event as lines, each behind the prefix. */
export const render = (event: Event, prefix = ""): string => {
  switch (event.type) {
    case "said":
      return indent(visible(event.text.trim()).split("\n"), prefix, "")
    case "note":
      return indent([`(${visible(event.text)})`], prefix, "")
    case "call":
      return indent([`> ${visible(event.tool)} ${clip(JSON.stringify(event.params) ?? "")}`], prefix, "")
    case "answer": {
      const { answer } = event
      const lines = visible(answer.text).trimEnd().split("\n").map(clip)
      const more = lines.length > maxLines ? [`… ${lines.length - maxLines} more lines`] : []
      const head = answer.isFailure
        ? [`${answer.code}: ${lines[0] ?? ""}`, ...lines.slice(1, maxLines)]
        : lines.slice(0, maxLines)
      return indent([...head, ...more], prefix, "  ")
    }
  }
}

const clip = (line: string): string => (line.length > maxLine ? `${line.slice(0, maxLine)}…` : line)

const indent = (lines: ReadonlyArray<string>, prefix: string, by: string): string =>
  lines.map((line) => `${prefix}${by}${line}\n`).join("")
