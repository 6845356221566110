/** What an agent says and does, as lines for a person. */
import type { Event } from "./Agent.ts"
import { visible } from "./Visible.ts"

const maxLines = 20
const maxLine = 400

/**
 * What renders the events of a run, the workers' behind their names. An answer that does not stand right below its call, as
 * when calls run together, begins with the call that it belongs to.
 */
export const make = (): ((event: Event, worker?: string) => string) => {
  const open = new Map<string, string>()
  let above: string | undefined
  return (event, worker) => {
    const prefix = worker === undefined ? "" : `[${worker}] `
    const key = "id" in event ? `${prefix}${event.id}` : undefined
    const isBelow = key !== undefined && key === above
    above = event.type === "call" ? key : undefined
    if (key === undefined) return render(event, prefix)
    if (event.type === "call") open.set(key, callOf(event))
    const call = open.get(key)
    if (event.type !== "answer" && event.type !== "cancelled") return render(event, prefix)
    open.delete(key)
    return (isBelow ? "" : indent([`< ${call ?? visible(event.tool)}`], prefix, "")) + render(event, prefix)
  }
}

const callOf = ({ params, tool }: Event & { readonly type: "call" }): string =>
  `${visible(tool)} ${clip(JSON.stringify(params) ?? "")}`

/** The event as lines, each behind the prefix. */
const render = (event: Event, prefix: string): string => {
  switch (event.type) {
    case "said":
      return indent(visible(event.text.trim()).split("\n"), prefix, "")
    case "note":
      return indent(`(${visible(event.text)})`.split("\n"), prefix, "")
    case "call":
      return indent([`> ${callOf(event)}`], prefix, "")
    case "cancelled": {
      const lines = visible(event.shown).trimEnd().split("\n").map(clip)
      const left = lines.length > maxLines ? [`… ${lines.length - maxLines} lines before`] : []
      const shown = event.shown.trim() === "" ? [] : [...left, ...lines.slice(-maxLines)]
      return indent([`cancelled.${shown.length === 0 ? "" : " It had shown:"}`, ...shown], prefix, "  ")
    }
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
