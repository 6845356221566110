/** The Python cells of `test/cases/kernel-open.json`, each with its `check` as it reads there. */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { expect } from "vitest"
import * as Runner from "./PythonRunner.ts"

export interface Case {
  readonly id: string
  readonly language: string
  readonly what: string
  readonly cells: ReadonlyArray<string>
}

type Results = ReadonlyArray<Runner.Result>

const all = JSON.parse(
  Fs.readFileSync(new URL("../cases/kernel-open.json", import.meta.url), "utf8")
) as ReadonlyArray<Case>

/** Cases that are written in the language of a later Python than 3.9: its minor version. */
const since: { readonly [id: string]: number } = { X11: 11, N5: 10 }

export const cases = all.filter((one) => one.language === "python" && Runner.minor >= (since[one.id] ?? 9))

const forged = JSON.stringify({ t: "done", cell: 1, seq: 1, status: "ok", note: "SPOOFED" })

/** Cells that the collection names instead of spelling out, or gives as an expression of Python. */
export const pseudo: { readonly [name: string]: string } = {
  [`'x = """'+'a'*1_000_000+'"""\\nlen(x)'`]: `x = """${"a".repeat(1_000_000)}"""\nlen(x)`,
  SPOOF: `import os\nos.write(1, ${JSON.stringify(forged)}.encode() + b"\\n")\nprint("after")`,
  SPOOF2: `import sys, os\nsys.__stdout__.write(${JSON.stringify(forged)} + "\\n"); sys.__stdout__.flush()\nfor fd in range(3, 10):\n    try: os.write(fd, b'{"t":"done"}\\n')\n    except OSError: pass\nprint("after")`
}

const last = (rs: Results) => rs.at(-1)!
const kinds = (result: Runner.Result) =>
  result.outputs.map((output) => (output.kind === "frame" ? output.frame.t : output.kind))
const text = Runner.allText
const echoOf = (rs: Results, at = -1) => Runner.echo(rs.at(at)!)
const bundlesOf = (result: Runner.Result) => [...Runner.displays(result), ...Runner.results(result)]

const echoes = (value: string) => (rs: Results) => expect(echoOf(rs)).toBe(value)
const shows = (part: string) => (rs: Results) => expect(text(last(rs))).toContain(part)
const silent = (rs: Results) => expect(last(rs).outputs).toEqual([])
const noResult = (rs: Results) => expect(Runner.results(last(rs))).toEqual([])
const survives =
  (value = "1") =>
  (rs: Results) => {
    expect(rs.map((result) => result.status)).not.toContain("died")
    expect(echoOf(rs)).toBe(value)
  }
const interrupted = (rs: Results) => {
  expect(rs[1]!.status).toBe("interrupted")
  expect(echoOf(rs)).toBe("1")
}
const oneImage = (rs: Results) => expect(Runner.images(last(rs))).toHaveLength(1)

export const checks: { readonly [id: string]: (rs: Results) => void } = {
  E2: silent,
  E3: silent,
  E5: noResult,
  E6: echoes("2"),
  E7: (rs) => expect(Runner.results(last(rs)).map((data) => data["text/plain"])).toEqual(["2"]),
  E8: noResult,
  E10: echoes("42"),
  E11: echoes("(7, 7)"),
  E14: echoes("7"),
  E16: shows("BB"),
  E18: (rs) => expect(text(last(rs)).length).toBeLessThan(200_000),
  E19: silent,
  E20: echoes("5"),
  M1: shows("pip "),
  M2: shows("hi-there"),
  M3: (rs) => {
    expect(echoOf(rs)).toBe("['a', 'b']")
    expect(rs[0]!.outputs).toEqual([])
  },
  M4b: shows(process.env["HOME"] ?? ""),
  M6b: (rs) => expect(rs[0]!.status).toBe("ok"),
  M7: echoes(String.raw`'\n%foo\n!bar\n%%baz\n'`),
  M8: echoes("1"),
  M9: echoes("5"),
  M9b: (rs) => {
    expect(echoOf(rs, 0)).toBe("6")
    expect(echoOf(rs)).toBe("7")
  },
  M10: shows("loop"),
  M11: shows("loop"),
  M14: (rs) => {
    shows("number of items")(rs)
    expect(last(rs).status).toBe("ok")
  },
  M15: shows("dd"),
  M16: (rs) => {
    shows("in-0")(rs)
    shows("in-1")(rs)
  },
  M17: echoes("3"),
  M17c: echoes("3"),
  M19: echoes(String.raw`'hello\nworld\n'`),
  M20: (rs) => {
    expect(echoOf(rs)).toBe("True")
    expect(text(rs[0]!)).not.toContain("xx")
  },
  M21: (rs) => {
    expect(echoOf(rs)).toBe("5")
    expect(Runner.stdout(rs[1]!)).toContain("__main__")
  },
  M22: (rs) => expect(bundlesOf(last(rs)).some((data) => "text/html" in data)).toBe(true),
  M25: echoes("2"),
  M26: echoes("2"),
  M27: shows("lead"),
  M28: echoes("True"),
  M30: shows("line 3"),
  M31: (rs) => {
    shows("a\tb")(rs)
    shows("it's")(rs)
  },
  M33: (rs) => expect(last(rs).first).toBeLessThan(last(rs).millis - 800),
  O1d: (rs) => expect(Runner.stdout(last(rs))).toBe("cprintf2\npy\n"),
  O1e: (rs) => {
    survives()(rs)
    expect(text(rs[0]!).length).toBeGreaterThan(100_000)
  },
  O1f: (rs) => {
    survives()(rs)
    expect(text(rs[0]!).length).toBeGreaterThan(1_000_000)
  },
  O3b: (rs) => expect(last(rs).first).toBeLessThan(last(rs).millis - 800),
  O4: shows("errline"),
  O5: survives(),
  O6: (rs) => {
    shows("SPOOFED")(rs)
    expect(Runner.stdout(last(rs))).toContain("after")
  },
  O6b: (rs) => {
    expect(Runner.stdout(last(rs))).toContain("after")
    expect(last(rs).status).toBe("ok")
  },
  O7: shows("bufbytes"),
  O8: shows("viafd"),
  O8b: echoes("1"),
  O9: echoes("'utf-8'"),
  O10: (rs) => {
    survives()(rs)
    expect(text(rs[0]!)).toContain("b")
  },
  O12: (rs) => expect(Runner.stdout(last(rs))).toBe("4\n"),
  O13: shows("thr"),
  O13b: (rs) => {
    survives()(rs)
    expect(rs.map(text).join("")).toContain("late-thr")
  },
  O14: (rs) => {
    expect(text(rs[0]!)).toContain("l1")
    expect(text(rs[1]!)).toContain("l2")
  },
  O15: shows("wmsg"),
  O18: echoes("[1, 4, 9]"),
  O19: (rs) => {
    survives()(rs)
    expect(text(rs[0]!)).toContain("par")
    expect(text(rs[0]!)).toContain("kid")
  },
  O19b: (rs) => {
    expect(rs.slice(1).map((result) => Runner.echo(result))).toEqual(["11", "12", "13"])
    expect(Runner.stdout(rs[0]!)).toContain("par")
    expect(Runner.errorOf(rs[0]!)).toBeUndefined()
  },
  O19c: (rs) => {
    expect(rs.slice(1).map((result) => Runner.echo(result))).toEqual(["11", "12", "13"])
    expect(Runner.results(rs[0]!).map((data) => data["text/plain"])).toEqual(["'parent'"])
  },
  O20: (rs) => {
    expect(Runner.stdout(rs[0]!)).toContain("ok")
    expect(rs[0]!.millis).toBeLessThan(15_000)
    expect(echoOf(rs)).toBe("1")
  },
  O21: (rs) => {
    survives()(rs)
    expect(text(rs[0]!)).toContain("name? ")
    expect(Runner.errorOf(rs[0]!)?.["name"]).toBe("EOFError")
  },
  O22: (rs) => {
    expect(echoOf(rs, 0)).toBe("0")
    expect(echoOf(rs)).toBe("1")
  },
  O23b: (rs) => {
    expect(echoOf(rs, 0)).toBe("0")
    expect(echoOf(rs)).toBe("1")
  },
  O25: survives(),
  O27: survives(),
  O28: survives(),
  X2: shows("return q/0"),
  X5: (rs) => {
    shows("KeyError")(rs)
    shows("direct cause")(rs)
  },
  X7c: (rs) => {
    expect(rs[1]!.status).toBe("exit")
    expect(echoOf(rs)).toBe("9")
  },
  X8: (rs) => {
    expect(text(rs[1]!)).toContain("mine")
    expect(rs[1]!.status).toBe("error")
    expect(echoOf(rs)).toBe("9")
  },
  X11: (rs) => {
    shows("grp")(rs)
    shows("ValueError")(rs)
  },
  X13: (rs) => {
    expect(Runner.errorOf(rs[0]!)).toBeDefined()
    expect(echoOf(rs)).toBe("1")
  },
  X14: (rs) => {
    expect(Runner.stdout(last(rs))).toContain("before")
    expect(last(rs).status).toBe("error")
  },
  X15: echoes("5"),
  X16: (rs) => {
    expect(text(rs[0]!)).toContain("MemoryError")
    expect(echoOf(rs)).toBe("1")
  },
  X17b: (rs) => {
    expect(last(rs).status).toBe("died")
    shows("Segmentation fault")(rs)
  },
  X19: (rs) => expect(text(rs[0]!) + text(rs[1]!)).toContain("bg-err"),
  I1: interrupted,
  I2: interrupted,
  I5: interrupted,
  I7: interrupted,
  I8: echoes("1"),
  I9: (rs) => {
    shows("KeyboardInterrupt")(rs)
    shows("time.sleep(60)")(rs)
    expect(last(rs).status).toBe("interrupted")
  },
  A1: echoes("5"),
  A4: echoes("(7, [1, 2])"),
  A6: echoes("1"),
  N2: echoes("True"),
  N5: (rs) => {
    expect(Runner.errorOf(last(rs))).toBeUndefined()
    shows("P")(rs)
  },
  N6: echoes("'__main__'"),
  N9: echoes("[]"),
  N10: (rs) => expect(Runner.stdout(last(rs))).toBe("1\n"),
  N12: (rs) => expect(["ok", "error"]).toContain(last(rs).status),
  N13: echoes("['']"),
  N16: echoes("1000000"),
  N17: (rs) => expect(Runner.stdout(last(rs))).toBe("1\n"),
  D2: (rs) => expect(kinds(last(rs)).filter((kind) => kind !== "stderr")).toEqual(["stdout", "display", "stdout"]),
  D3: oneImage,
  D3b: (rs) => {
    oneImage(rs)
    shows("Line2D")(rs)
  },
  D6: (rs) => {
    expect(kinds(last(rs))).toEqual(["stdout", "display", "stdout"])
    expect(Runner.stderr(last(rs))).toBe("")
  },
  D7: echoes("[]"),
  D8: (rs) => expect(Runner.images(rs[1]!)).toHaveLength(1),
  D8b: (rs) => expect(Runner.images(rs[1]!)).toHaveLength(1),
  D10: (rs) => {
    expect(echoOf(rs)).toBe("1")
    expect(JSON.stringify(bundlesOf(rs[0]!)).length).toBeLessThan(5_000_000)
    expect(Runner.images(rs[0]!)).toHaveLength(1)
  },
  D13: (rs) => expect(Runner.displays(last(rs))).toHaveLength(3),
  D14: (rs) => expect(bundlesOf(last(rs)).some((data) => "image/svg+xml" in data)).toBe(true),
  D15: oneImage,
  D17: (rs) => {
    expect(Runner.errorOf(last(rs))).toBeUndefined()
    expect(Runner.displays(last(rs)).map((data) => data["text/plain"])).toEqual(["'first'", "'second'"])
  },
  D19: (rs) => expect(last(rs).status).toBe("ok"),
  D20: (rs) => expect(bundlesOf(last(rs)).some((data) => data["text/html"] === "h")).toBe(true),
  D21: (rs) => expect(JSON.stringify(bundlesOf(last(rs))).length).toBeLessThan(300_000),
  D24: (rs) => {
    shows("MagicMock")(rs)
    expect(Runner.errorOf(last(rs))).toBeUndefined()
  },
  D25: shows("thr-disp"),
  D26: (rs) => expect(Runner.images(last(rs))).toEqual([])
}

/** Cases on libraries that are not part of Python. */
export const needsLibraries = new Set(
  cases.filter((one) => /import (?:pandas|matplotlib|numpy)/.test(one.cells.join("\n"))).map((one) => one.id)
)

/** Cells that end only because they are interrupted. */
export const endless = /while True|sleep[(,](?:30|60)/

/** Runs a case in a fresh kernel in a folder of its own and checks it. */
export const check = async (one: Case, options: Runner.Options = {}) => {
  const holds = checks[one.id]
  if (holds === undefined) throw new Error(`no check for ${one.id}`)
  const cwd = Fs.mkdtempSync(Path.join(Os.tmpdir(), "livetools-cells-"))
  const kernel = new Runner.Kernel({ cwd, ...options })
  try {
    const results: Array<Runner.Result> = []
    for (const cell of one.cells) {
      if (cell === "IDLEINT") {
        kernel.interrupt(0)
        continue
      }
      const code = pseudo[cell] ?? cell
      const running = kernel.run(code)
      results.push(one.id.startsWith("I") && endless.test(code) ? await ladder(kernel, running) : await running)
    }
    holds(results)
  } finally {
    await kernel.close()
    Fs.rmSync(cwd, { recursive: true, force: true })
  }
}

/** Interrupts as the host does: the process, a second later its group, a second later the process again. */
const ladder = async (kernel: Runner.Kernel, running: Promise<Runner.Result>) => {
  const wait = (millis: number) => new Promise<"waited">((resolve) => setTimeout(() => resolve("waited"), millis))
  const over = running.then(
    () => "over" as const,
    () => "over" as const
  )
  await kernel.ready
  await wait(1000)
  for (const step of [() => kernel.interrupt(), () => kernel.interruptGroup(), () => kernel.interrupt()]) {
    step()
    if ((await Promise.race([over, wait(1000)])) === "over") break
  }
  return running
}
