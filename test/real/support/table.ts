/** Collects what each real server answered right, and prints it as a table at the end of the run. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const variable = "LIVETOOLS_TABLE"

/** `yes`: compared by value. `not provided`: the server does not advertise it, and the tool said so. */
export type Mark = "yes" | "not provided"

/** What the rows and the columns of a table are. */
const tables = ["Server × action", "Operation × adapter"] as const
export type Table = (typeof tables)[number]
type Cell = readonly [row: string, column: string, mark: Mark, table: Table]

export const record = (row: string, column: string, mark: Mark, table: Table = "Server × action"): void => {
  const folder = process.env[variable]
  if (folder === undefined) return
  const cell: Cell = [row, column, mark, table]
  fs.appendFileSync(path.join(folder, `${process.pid}.jsonl`), `${JSON.stringify(cell)}\n`)
}

const read = (folder: string): ReadonlyArray<Cell> =>
  fs
    .readdirSync(folder)
    .flatMap((name) => fs.readFileSync(path.join(folder, name), "utf8").trim().split("\n"))
    .map((line): Cell => JSON.parse(line))

const render = (name: Table, cells: ReadonlyArray<Cell>): string => {
  const rows = [...new Set(cells.map(([row]) => row))]
  const columns = [...new Set(cells.map(([, column]) => column))]
  const at = (row: string, column: string) => {
    const own = cells.filter((cell) => cell[0] === row && cell[1] === column).map(([, , mark]) => mark)
    return own.includes("yes") ? "yes" : own.length > 0 ? "–" : " "
  }
  const line = (parts: ReadonlyArray<string>) => `| ${parts.join(" | ")} |`
  return [
    line([name.split(" ")[0]!.toLowerCase(), ...columns]),
    line(["-", ...columns.map(() => "-")]),
    ...rows.map((row) => line([row, ...columns.map((column) => at(row, column))]))
  ].join("\n")
}

export const setup = (): void => {
  process.env[variable] = fs.mkdtempSync(path.join(os.tmpdir(), "livetools-table-"))
}

export const teardown = (): void => {
  const folder = process.env[variable]!
  const cells = read(folder)
  for (const name of tables) {
    const own = cells.filter((cell) => cell[3] === name)
    if (own.length === 0) continue
    const legend = "yes: compared by value; –: not provided, and the tool said so"
    console.log(`\n${name} (${legend}):\n\n${render(name, own)}\n`)
  }
  fs.rmSync(folder, { recursive: true })
}
