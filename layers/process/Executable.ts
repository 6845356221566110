/**
 * From the name of a command to the file that will run. Looking it up ourselves tells apart why a command cannot start,
 * and keeps `execvp` from its two surprises: it searches relative entries of `PATH`, and hands a file of unknown format
 * to a shell.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { Result } from "effect"
import { SpawnError, type SpawnReason } from "../../src/Processes.ts"

export const failure = (command: string, reason: SpawnReason, why: string): SpawnError =>
  new SpawnError({ command, reason, message: `cannot start ${JSON.stringify(command)}: ${why}` })

type Found = Result.Result<string, SpawnError>

const magics = ["7f454c46", "feedface", "feedfacf", "cefaedfe", "cffaedfe", "cafebabe"]

/** The first bytes of a file, or `undefined` where it may be run but not read. */
const head = (file: string): Buffer | undefined => {
  let fd: number | undefined
  try {
    fd = fs.openSync(file, "r")
    const buffer = Buffer.alloc(256)
    return buffer.subarray(0, fs.readSync(fd, buffer, 0, buffer.length, 0))
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
}

const checkFormat = (command: string, file: string): Found => {
  const bytes = head(file)
  if (bytes === undefined || magics.includes(bytes.toString("hex", 0, 4))) return Result.succeed(file)
  if (bytes.toString("latin1", 0, 2) !== "#!") {
    const why = `${file} is neither a program for this system nor a script that begins with #!`
    return Result.fail(failure(command, "bad_format", why))
  }
  const interpreter = /^#![ \t]*([^ \t\n]*)/.exec(bytes.toString())?.[1] ?? ""
  if (path.isAbsolute(interpreter) && !fs.existsSync(interpreter)) {
    const why = `the interpreter in the first line of ${file}, ${JSON.stringify(interpreter)}, does not exist`
    return Result.fail(failure(command, "not_found", why))
  }
  return Result.succeed(file)
}

/** `undefined`: there is no such file. */
const checkFile = (command: string, file: string): Found | undefined => {
  try {
    const stat = fs.statSync(file, { throwIfNoEntry: false })
    if (stat === undefined) return undefined
    if (!stat.isFile()) return Result.fail(failure(command, "not_executable", `${file} is not a file`))
    fs.accessSync(file, fs.constants.X_OK)
  } catch {
    return Result.fail(failure(command, "not_executable", `permission denied: ${file} is not executable (chmod +x)`))
  }
  return checkFormat(command, file)
}

/** The absolute path of the file that the command names, checked to be startable. */
export const find = (command: string, cwd: string, searchPath: string | undefined): Found => {
  if (command.includes("/")) {
    const file = path.resolve(cwd, command)
    return checkFile(command, file) ?? Result.fail(failure(command, "not_found", `there is no file ${file}`))
  }
  const entries = (searchPath ?? "/usr/local/bin:/usr/bin:/bin").split(":")
  const directories = entries.filter((entry) => path.isAbsolute(entry))
  const found = directories.flatMap((directory) => checkFile(command, path.join(directory, command)) ?? [])
  const skipped = entries.length - directories.length
  const why =
    `no such command in the ${directories.length} directories of PATH` +
    (skipped === 0 ? "" : ` (${skipped} relative entries are not searched)`) +
    "; install it, or give the path of its file"
  return found.find(Result.isSuccess) ?? found[0] ?? Result.fail(failure(command, "not_found", why))
}

/** Why this directory cannot be a working directory, if so. */
export const checkDirectory = (command: string, cwd: string): SpawnError | undefined => {
  if (!path.isAbsolute(cwd)) return failure(command, "bad_directory", `the working directory ${cwd} is not absolute`)
  try {
    if (!fs.statSync(cwd).isDirectory()) return failure(command, "bad_directory", `${cwd} is not a directory`)
    fs.accessSync(cwd, fs.constants.X_OK)
    return undefined
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error)
    const why = code === "ENOENT" ? "does not exist" : `cannot be entered (${code})`
    return failure(command, "bad_directory", `the working directory ${cwd} ${why}`)
  }
}

/** A NUL byte would cut a string short, or show its value in the error that Node makes of it. */
export const checkArguments = (
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
): SpawnError | undefined => {
  if (command === "") return failure(command, "bad_argument", "the command is empty")
  if (command.includes("\0")) return failure(command, "bad_argument", "the command contains a NUL character")
  const index = args.findIndex((arg) => arg.includes("\0"))
  if (index >= 0) return failure(command, "bad_argument", `argument ${index + 1} contains a NUL character`)
  const entry = Object.entries(env).find(([name, value]) => name === "" || /[=\0]/.test(name) || value.includes("\0"))
  if (entry === undefined) return undefined
  const why = `the variable ${JSON.stringify(entry[0])} has a name that is empty or has "=", or contains a NUL character`
  return failure(command, "bad_argument", why)
}
