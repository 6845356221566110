/** Which adapters can be used here, and why the others cannot: the marker of the project and a binary that works (SPEC §7.1, §7.2). */
import { Effect, Option, Result } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Budget from "../../../src/Budget.ts"
import type { Adapter, Found } from "../../../src/debug/adapters/Adapter.ts"
import * as Row from "../../../src/debug/adapters/Row.ts"
import * as Processes from "../../../src/Processes.ts"
import * as Candidates from "../../process/Candidates.ts"
import * as Executable from "../../process/Executable.ts"
import * as Markers from "./Markers.ts"

export interface Options {
  /** The working directory, absolute, symbolic links resolved. */
  readonly root: string
  /** Whether programs from inside the working directory may run as adapters and interpreters. */
  readonly isTrusted: boolean
  readonly rows: ReadonlyArray<Row.Row>
  /** Default: the variables of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Default: the user's. */
  readonly home?: string | undefined
}

/**
 * The look-up of a run: every adapter, or those that are wanted, for a program in a folder (absolute; its marker is at or above
 * it, inside the working directory), or without one with a marker anywhere in the upper folders of the working directory.
 * Binaries that work are remembered until their file changes.
 */
export type Finder = (folder?: string, wanted?: (adapter: Adapter) => boolean) => Effect.Effect<ReadonlyArray<Found>>

/** How long a binary has to answer its check; a slow one is taken as working. */
const checkTime = "8 seconds"

interface Located {
  readonly file: string
  readonly version: string | undefined
}
interface Absent {
  readonly reason: string
  /** The last file that was there and will not do. */
  readonly file: string | undefined
}

export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<Finder, never, Processes.Processes> {
  const context = yield* Effect.context<Processes.Processes>()
  const { isTrusted, root: workspace } = options
  const places: Candidates.Places = { workspace, env: options.env, home: options.home }
  const works = new Map<string, Located>()

  const check = Effect.fnUntraced(function* (
    binary: Row.Binary,
    file: string,
    root: string
  ): Effect.fn.Return<Result.Result<Located, string>, never, Processes.Processes> {
    const named = versionIn(Path.basename(file))
    if (binary.check === undefined) return Result.succeed({ file, version: named })
    const key = JSON.stringify([file, binary.check, root, stampOf(file)])
    const known = works.get(key)
    if (known !== undefined) return Result.succeed(known)
    const ran = yield* Processes.run({
      command: file,
      args: binary.check,
      // As the adapter is: a version manager goes by the folder.
      cwd: root,
      env: options.env,
      maxBytes: 4096,
      grace: 0
    }).pipe(Effect.result, Budget.within(Budget.after(checkTime)))
    if (Option.isNone(ran)) return Result.succeed({ file, version: named })
    if (Result.isFailure(ran.value)) return Result.fail(`does not start: ${ran.value.failure.message}`)
    const { exit, stderr, stdout } = ran.value.success
    const help = binary.help === undefined ? "" : `; ${binary.help}`
    if (exit.code !== 0) {
      const said = `${stdout}\n${stderr}`.split("\n").findLast((line) => line.trim() !== "")
      const saying = said === undefined ? "" : `, saying: ${said.trim().slice(0, 300)}`
      const words = [Path.basename(file), ...binary.check].join(" ").replace(/^(.{60}).+/, "$1…")
      const how = Processes.describeExit(exit)
      return Result.fail(`is there but does not work: \`${words}\` ${how}${saying}${help}`)
    }
    const version = versionIn(`${stdout}\n${stderr}`, /\d+(\.\d+)+/) ?? named
    if (binary.least !== undefined && version !== undefined && Number.parseInt(version, 10) < binary.least) {
      return Result.fail(`is version ${version}${help}`)
    }
    const located: Located = { file, version }
    works.set(key, located)
    return Result.succeed(located)
  })

  const locate = Effect.fnUntraced(function* (row: Row.Row, root: string) {
    const problems: Array<string> = []
    /** Files by what is wrong with them: a machine has many interpreters, and they lack the same. */
    const failed = new Map<string, Array<string>>()
    const seen = new Set<string>()
    let there: string | undefined
    for (const binary of row.binaries) {
      for (const { file, isInProject } of Candidates.of(binary, root, places)) {
        there = file
        if (isInProject && !isTrusted) {
          problems.push(`${file} counts as not found: it is inside the project, which is not trusted`)
          continue
        }
        const startable = Executable.find(file, root, undefined)
        if (Result.isFailure(startable)) {
          problems.push(startable.failure.message)
          continue
        }
        // `/bin` is `/usr/bin`; a link of the file itself is another thing, as in a virtual environment.
        const place = Path.join(Fs.realpathSync(Path.dirname(file)), Path.basename(file))
        if (seen.has(place)) continue
        seen.add(place)
        const checked = yield* check(binary, file, root)
        if (Result.isSuccess(checked)) return Result.succeed(checked.success)
        failed.set(checked.failure, [...(failed.get(checked.failure) ?? []), file])
      }
    }
    for (const [problem, files] of failed)
      problems.push(`${files.length > 1 ? "each of " : ""}${files.join(", ")} ${problem}`)
    const [first, ...others] = row.binaries
    const nor = others.length === 0 ? "" : `, nor is ${others.map(({ name }) => `\`${name}\``).join(", ")}`
    const reason = problems.length > 0 ? problems.join("; ") : `${Candidates.nowhere(first)}${nor}`
    return Result.fail<Absent>({ reason, file: there })
  })

  /** The project's own interpreter, where the adapter is not on it, and what is to be known about it. */
  const interpreterOf = (
    row: Row.Row,
    root: string,
    adapter: string
  ): { readonly python?: string; readonly note?: string } => {
    for (const folder of Candidates.upwards(root, workspace)) {
      for (const { name, project = [] } of row.interpreter ?? []) {
        for (const file of project.map((below) => Path.join(folder, below, name))) {
          if (!isEntry(file)) continue
          const on = `the program runs on ${adapter}`
          if (Path.dirname(file) === Path.dirname(adapter)) return {}
          if (!Fs.existsSync(file)) return { note: `${file}, the project's own, is a link to nothing: ${on}` }
          if (!isTrusted) return { note: `${file} is inside the project, which is not trusted: ${on}` }
          const startable = Executable.find(file, root, undefined)
          if (Result.isFailure(startable)) return { note: `${startable.failure.message}: ${on}` }
          return { python: file, note: `the adapter runs on ${adapter}, the program on the project's own ${file}` }
        }
      }
    }
    return {}
  }

  const foundOf = Effect.fnUntraced(function* (row: Row.Row, marker: string | undefined, where: string) {
    const adapter = Row.adapter(row)
    if (row.disabled === true) {
      return { adapter, usable: false, reason: "it is disabled in the settings", command: [] } satisfies Found
    }
    const root = marker === undefined ? workspace : Path.dirname(marker)
    const located = yield* locate(row, root)
    const noMarker = `no root marker: none of ${row.markers.map((name) => `\`${name}\``).join(", ")} is ${where}`
    if (Result.isFailure(located)) {
      const { file, reason } = located.failure
      return {
        adapter,
        usable: false,
        command: [],
        reason: [...(marker === undefined ? [noMarker] : []), reason].join("; "),
        ...(marker === undefined ? {} : { marker }),
        ...(file === undefined ? {} : { binary: file })
      } satisfies Found
    }
    const { file, version } = located.success
    const known = { adapter, binary: file, ...(version === undefined ? {} : { version }) }
    if (marker === undefined) return { ...known, usable: false, reason: noMarker, command: [] } satisfies Found
    const { note, python } = interpreterOf(row, root, file)
    return {
      ...known,
      marker,
      usable: true,
      command: [file, ...(row.args ?? [])],
      ...(note === undefined ? {} : { reason: note }),
      ...(python === undefined ? {} : { debuggeePython: python })
    } satisfies Found
  })

  const look = (
    rows: ReadonlyArray<Row.Row>,
    markers: (names: ReadonlyArray<Row.Row["markers"]>) => ReadonlyArray<string | undefined>,
    where: string
  ) =>
    Effect.suspend(() => {
      const found = markers(rows.map((row) => row.markers))
      return Effect.forEach(
        rows,
        (row, index): Effect.Effect<Found, never, Processes.Processes> => foundOf(row, found[index], where),
        { concurrency: 4 }
      )
    }).pipe(Effect.provideContext(context), Effect.withSpan("Adapters.find"))

  return (folder, wanted) => {
    const rows = wanted === undefined ? options.rows : options.rows.filter((row) => wanted(Row.adapter(row)))
    return folder === undefined
      ? look(rows, (names) => Markers.below(workspace, names), `in ${workspace} or its upper folders`)
      : look(
          rows,
          (names) => names.map((markers) => Markers.above(folder, workspace, markers)),
          `in ${folder} or above it, up to ${workspace}`
        )
  }
})

const versionIn = (text: string, pattern = /\d+(\.\d+)*/): string | undefined => pattern.exec(text)?.[0]

/** Changes when the file that a name leads to does. */
const stampOf = (file: string): ReadonlyArray<number> => {
  const stat = Fs.statSync(file, { throwIfNoEntry: false })
  return stat === undefined ? [] : [stat.mtimeMs, stat.size, stat.ino]
}

const isEntry = (file: string): boolean => Fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined
