/** Which servers may serve a file, and of the others, why not (SPEC §3.1, §3.7). */
import * as Path from "node:path"
import { Effect } from "effect"
import type { Answer } from "../../src/lsp/LanguageServers.ts"
import * as Row from "../../src/lsp/rows/Row.ts"
import * as ToolError from "../../src/ToolError.ts"
import type { Workspace } from "../../src/Workspace.ts"
import * as Roots from "./Roots.ts"
import type * as Supervisor from "./Supervisor.ts"

/** The servers that may serve a file in one role, the best first, or why there is none. */
export type Choice =
  | { readonly usable: ReadonlyArray<Supervisor.Usable>; readonly absent?: undefined }
  | { readonly usable: readonly []; readonly absent: Answer<never> }

export interface Options {
  readonly rows: ReadonlyArray<Row.Row>
  readonly supervisor: Supervisor.Supervisor
  readonly workspace: Workspace["Service"]
}

export const make = ({ rows, supervisor, workspace }: Options) => {
  /** The rows, or the one that is asked for. */
  const only = (server: string | undefined): Effect.Effect<ReadonlyArray<Row.Row>, ToolError.ToolError> => {
    if (server === undefined) return Effect.succeed(rows)
    const named = rows.filter(({ id }) => id === server)
    if (named.length > 0) return Effect.succeed(named)
    const ids = rows.map(({ id }) => id).join(", ")
    return Effect.fail(ToolError.make("invalid_params", `There is no server "${server}". There are: ${ids}.`))
  }

  /** Whether a row can serve a file, and why not. */
  const usable = Effect.fnUntraced(function* (row: Row.Row, file: string) {
    const not = (reason: string, root?: string): Answer<never> => ({
      id: row.id,
      ...(root === undefined ? {} : { root }),
      outcome: "not_covered",
      reason
    })
    if (row.disabled === true) return not("it is disabled in the settings")
    const found = Roots.of(row, file, workspace.root)
    if (found === undefined) {
      const markers = row.markers.join(", ")
      return not(`no root marker (${markers}) at or above the file, inside the working directory`)
    }
    const binary = yield* supervisor.find(row, found.root)
    if (binary.status !== "found") return not(binary.reason, found.root)
    return { row, root: found.root, command: binary.command }
  })

  /** One choice for each role that the file's rows have; a row without a role is one of its own. */
  const choices = Effect.fnUntraced(function* (file: string, server: string | undefined) {
    const serving = (yield* only(server)).filter((row) => Row.languageOf(row, Path.basename(file)) !== undefined)
    const roles = new Map<string, Array<Row.Row>>()
    for (const row of serving) {
      const role = server === undefined ? (row.role ?? `\0${row.id}`) : row.id
      roles.set(role, [...(roles.get(role) ?? []), row])
    }
    const chosen: Array<Choice> = []
    for (const same of roles.values()) {
      const good: Array<Supervisor.Usable> = []
      const bad: Array<Answer<never>> = []
      for (const row of same) {
        const one = yield* usable(row, file)
        if ("command" in one) good.push(one)
        else bad.push(one)
      }
      if (good.length > 0) {
        chosen.push({ usable: good })
        continue
      }
      const others = bad.slice(1).map(({ id }) => id)
      const also = others.length === 0 ? "" : ` (nor can ${others.join(", ")} be used: see status)`
      const absent = bad[0]!
      chosen.push({
        usable: [],
        absent: absent.outcome === "not_covered" ? { ...absent, reason: absent.reason + also } : absent
      })
    }
    return chosen
  })

  return { choices, only }
}
