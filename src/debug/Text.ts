/** The texts of `debug`, each derived from its value: short, one fact a line (DESIGN, "Results"). */
import type * as Values from "./Values.ts"

const counted = (count: number, singular: string): string => `${count} ${count === 1 ? singular : `${singular}s`}`

const at = (place: { readonly path?: string; readonly line?: number }): string | undefined =>
  place.path === undefined ? undefined : place.line === undefined ? place.path : `${place.path}:${place.line}`

const frame = (value: Values.Frame): string => `${value.name}  ${at(value) ?? "(no source)"}  [frame ${value.id}]`

export const variable = ({ name, reference, type, value }: Values.Variable): string =>
  `${name} = ${value}${type === undefined || type === "" ? "" : `  (${type})`}${
    reference === 0 ? "" : `  [reference ${reference}]`
  }`

const breakpoint = (one: Values.Breakpoint): string => {
  const bound = one.bound_line !== undefined && one.bound_line !== one.line ? `, bound at line ${one.bound_line}` : ""
  const extras = [
    one.condition === undefined ? "" : `if ${one.condition}`,
    one.hit_condition === undefined ? "" : `at hit ${one.hit_condition}`,
    one.log_message === undefined ? "" : `logs ${JSON.stringify(one.log_message)}`
  ].filter((extra) => extra !== "")
  const what = extras.length === 0 ? "" : ` (${extras.join(", ")})`
  const message = one.message === undefined ? "" : `: ${one.message}`
  return `${one.path}:${one.line}${what}  ${one.verified ? "set" : "pending"}${bound}${message}`
}

const output = (entries: ReadonlyArray<{ readonly category: string; readonly text: string }>): ReadonlyArray<string> =>
  entries.map(({ category, text }) => {
    const body = text.endsWith("\n") ? text.slice(0, -1) : text
    return `[${category}] ${body}`
  })

const stopped = (stop: Values.Stop): ReadonlyArray<string> => {
  const where = at(stop)
  const what = stop.description === undefined || stop.description === stop.reason ? "" : ` (${stop.description})`
  const inside = stop.frame === undefined ? "" : ` in ${stop.frame.name}`
  const lines = [
    `Stopped: ${stop.reason}${what}${where === undefined ? "" : ` at ${where}`}${inside}, thread ${stop.thread_id}` +
      (stop.process_id === undefined ? "" : ` of process ${stop.process_id}`) +
      (stop.frame === undefined ? "" : `, frame ${stop.frame.id}`)
  ]
  if (stop.top !== undefined)
    lines.push(`The top of the stack is ${frame(stop.top)}; shown is the nearest frame with source.`)
  for (const { line, text } of stop.source ?? []) {
    lines.push(`${line === stop.line ? ">" : " "} ${String(line).padStart(5)}  ${text}`)
  }
  if (stop.source_changed === true) {
    lines.push(`${stop.path} has changed since the program was built or started: these may not be the lines that run.`)
  }
  if (stop.locals !== undefined) {
    const total = stop.locals_total ?? stop.locals.length
    lines.push(
      stop.locals.length === 0
        ? "No locals."
        : total > stop.locals.length
          ? `Locals (${stop.locals.length} of ${total}):`
          : "Locals:"
    )
    lines.push(...stop.locals.map((one) => `  ${variable(one)}`))
  }
  return lines
}

const unbound = ({ unbound = [] }: Values.Value, verb: string): ReadonlyArray<string> =>
  unbound.length === 0
    ? []
    : [`${counted(unbound.length, "breakpoint")} ${verb}:`, ...unbound.map((one) => `  ${breakpoint(one)}`)]

const state = (value: Values.Value): ReadonlyArray<string> => {
  switch (value.state) {
    case "none":
      return ["No debug session in this conversation."]
    case "running": {
      const waited = value.waited_seconds
      return [
        waited === undefined
          ? "Running."
          : `Still running after ${waited} s: no stop so far. It goes on; \`status\` looks again, \`pause\` stops it.`,
        ...unbound(value, value.unbound?.length === 1 ? "is not bound" : "are not bound")
      ]
    }
    case "stopped":
      return value.stop === undefined ? ["Stopped."] : stopped(value.stop)
    case "ended": {
      const code = value.exit_code === undefined ? "the exit code is not known" : `exit code ${value.exit_code}`
      return [
        value.ended_because === undefined ? `Ended: ${code}.` : `Ended: ${value.ended_because} (${code}).`,
        ...unbound(value, "never bound")
      ]
    }
  }
}

const session = (value: Values.Value): ReadonlyArray<string> => {
  if (value.adapter === undefined) return []
  const verb = value.is_attached === true ? "attached to" : "launched"
  const left = value.seconds_left === undefined ? "" : `, ${Math.ceil(value.seconds_left / 60)} min left`
  return [`Session: ${value.adapter}, ${verb} ${value.program ?? "a program"}${left}.`]
}

const breakpoints = (value: Values.Value): ReadonlyArray<string> => {
  const files = value.breakpoints ?? []
  const functions = value.functions ?? []
  return [
    ...(files.length === 0 ? [] : ["Breakpoints:", ...files.map((one) => `  ${breakpoint(one)}`)]),
    ...(functions.length === 0
      ? []
      : [
          "Function breakpoints:",
          ...functions.map(
            ({ message, name, verified }) =>
              `  ${name}  ${verified ? "set" : "pending"}${message === undefined ? "" : `: ${message}`}`
          )
        ]),
    ...(value.exceptions === undefined ? [] : [`Exceptions that stop the program: ${value.exceptions}.`])
  ]
}

const adapters = (value: Values.Value): ReadonlyArray<string> =>
  (value.adapters ?? []).map(({ binary, id, marker, reason, usable, version }) => {
    const parts = [
      marker === undefined ? undefined : `marker ${marker}`,
      binary === undefined ? undefined : `binary ${binary}${version === undefined ? "" : ` (${version})`}`
    ].filter((part) => part !== undefined)
    const found = parts.length === 0 ? "" : ` [${parts.join(", ")}]`
    return `${id}: ${usable ? "usable" : "not usable"}${reason === undefined ? "" : `: ${reason}`}${found}`
  })

const leftOf = (value: Values.Value): ReadonlyArray<string> => [
  ...((value.output_dropped ?? 0) > 0
    ? [`${value.output_dropped} bytes before that were lost: the buffer holds 256 KiB.`]
    : []),
  ...((value.output_left ?? 0) > 0 ? [`${value.output_left} more bytes: call \`output\` again.`] : [])
]

const body = (value: Values.Value, op: string): ReadonlyArray<string> => {
  switch (op) {
    case "adapters":
      return adapters(value)
    case "status":
      return [...state(value), ...session(value), ...breakpoints(value), ...unread(value)]
    case "breakpoints": {
      const lines = breakpoints(value)
      return lines.length === 0 ? ["No breakpoints are set there."] : lines
    }
    case "threads": {
      const threads = value.threads ?? []
      const total = value.total ?? threads.length
      const head = total > threads.length ? `${threads.length} of ${total} threads:` : `${counted(total, "thread")}:`
      return [head, ...threads.map(({ id, name }) => `  ${id}  ${name}`)]
    }
    case "stack": {
      const frames = value.frames ?? []
      if (frames.length === 0) return ["The adapter gave no frames for that thread."]
      const total = value.total ?? frames.length
      const head =
        total > frames.length ? `${frames.length} frames of a deeper stack:` : `${counted(frames.length, "frame")}:`
      return [head, ...frames.map((one, index) => `  #${index} ${frame(one)}`)]
    }
    case "scopes":
      return (value.scopes ?? []).map(({ name, reference }) => `${name}  [reference ${reference}]`)
    case "variables": {
      const variables = value.variables ?? []
      if (variables.length === 0)
        return [(value.total ?? 0) > 0 ? `No more: there are ${value.total}.` : "It has no children."]
      return [
        ...((value.total ?? 0) > variables.length
          ? [`${variables.length} of ${value.total}, the next with \`start\`:`]
          : []),
        ...variables.map(variable)
      ]
    }
    case "set_variable":
    case "evaluate":
      return [
        `${value.is_error === true ? "It could not be evaluated: " : ""}${value.result ?? ""}${
          value.type === undefined || value.type === "" ? "" : `  (${value.type})`
        }${(value.reference ?? 0) === 0 ? "" : `  [reference ${value.reference}]`}`
      ]
    case "output": {
      const entries = value.output ?? []
      if (entries.length === 0) {
        return [value.state === "none" ? "Nothing has been debugged in this conversation." : "No new output."]
      }
      return [...output(entries), ...leftOf(value)]
    }
    default:
      return [
        ...state(value),
        ...(value.output === undefined || value.output.length === 0
          ? []
          : ["The end of its output:", ...output(value.output)]),
        ...unread(value)
      ]
  }
}

const unread = (value: Values.Value): ReadonlyArray<string> => [
  ...(value.important === undefined ? [] : [`The adapter says: ${value.important}`]),
  ...(value.output_left === undefined || value.output_left === 0 || value.output !== undefined
    ? []
    : [`${value.output_left} bytes of new output: op \`output\`.`])
]

export const text = (value: Values.Value, { op }: { readonly op: string }): string =>
  [...body(value, op), ...(value.notes ?? []).map((note) => `Note: ${note}`)].join("\n")
