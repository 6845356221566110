/** Collects what each real server answered right, and prints it as a table at the end of the run. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const variable = "LIVETOOLS_TABLE"

/** `yes`: compared by value. `not provided`: the server does not advertise it, and the tool said so. */
export type Mark = "yes" | "not provided"

export const record = (row: string, column: string, mark: Mark): void => {
  const folder = process.env[variable]
  if (folder === undefined) return
  fs.appendFileSync(path.join(folder, `${process.pid}.jsonl`), `${JSON.stringify([row, column, mark])}\n`)
}

const render = (folder: string): string => {
  const lines = fs
    .readdirSync(folder)
    .flatMap((name) => fs.readFileSync(path.join(folder, name), "utf8").trim().split("\n"))
  const cells = lines.map((line): [string, string, Mark] => JSON.parse(line))
  const rows = [...new Set(cells.map(([row]) => row))]
  const columns = [...new Set(cells.map(([, column]) => column))]
  const at = (row: string, column: string) => {
    const own = cells.filter((cell) => cell[0] === row && cell[1] === column).map(([, , mark]) => mark)
    return own.includes("yes") ? "yes" : own.length > 0 ? "–" : " "
  }
  const line = (parts: ReadonlyArray<string>) => `| ${parts.join(" | ")} |`
  return [
    line(["server", ...columns]),
    line(["-", ...columns.map(() => "-")]),
    ...rows.map((row) => line([row, ...columns.map((column) => at(row, column))]))
  ].join("\n")
}

export const setup = (): void => {
  process.env[variable] = fs.mkdtempSync(path.join(os.tmpdir(), "livetools-table-"))
}

export const teardown = (): void => {
  const folder = process.env[variable]!
  if (fs.readdirSync(folder).length > 0) {
    console.log(
      `\nServer × action (yes: compared by value; –: not provided, and the tool said so):\n\n${render(folder)}\n`
    )
  }
  fs.rmSync(folder, { recursive: true })
}
