/** The port `Kernels` on Node: an interpreter for each language, each a child process that is begun when a cell needs it. */
import * as Fs from "node:fs"
import { createRequire } from "node:module"
import { Effect, Fiber, Layer, Schedule } from "effect"
import * as Budget from "../../src/Budget.ts"
import * as Enclosure from "../../src/kernel/Enclosure.ts"
import { type Cell, Kernels, type Language, type Ran } from "../../src/kernel/Kernels.ts"
import * as Outputs from "../../src/kernel/Outputs.ts"
import { Processes } from "../../src/Processes.ts"
import type * as ToolError from "../../src/ToolError.ts"
import { Workspace } from "../../src/Workspace.ts"
import * as CellRun from "./CellRun.ts"
import * as Enclosed from "./Enclosed.ts"
import * as Interpreters from "./Interpreters.ts"
import * as JavaScriptCommand from "./javascript/Command.ts"
import * as Ladder from "./Ladder.ts"
import * as Slot from "./Slot.ts"
import * as Spill from "./Spill.ts"

const require = createRequire(import.meta.url)

export interface Options {
  /** Whether programs from inside the project may run (its virtual environment). */
  readonly isTrusted: boolean
  /** The Python to use: a path from the working directory, or a name on `PATH`. Default: see `Interpreters`. */
  readonly python?: string | undefined
  /** How long a cell may show nothing and call nothing. Default 5 minutes. */
  readonly inactivity?: Budget.Budget | undefined
  /** How long a cell may take in all. Default: no limit. */
  readonly outer?: Budget.Budget | undefined
  /** How long an interpreter may take to start. Default 60 seconds. */
  readonly start?: Budget.Budget | undefined
  readonly limits?: Partial<Outputs.Limits> | undefined
  /** Where the whole text of long outputs is kept. Default: a private folder that is removed with the scope. */
  readonly spillFolder?: string | undefined
  /** Of an interpreter and all that it started, in bytes. Default: none. */
  readonly memoryLimit?: number | undefined
  /** Default: the variables of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Other ways to start the interpreters. */
  readonly candidates?: { readonly [L in Language]?: ReadonlyArray<Slot.Candidate> } | undefined
}

/** Acquires the port for one run. Closing its scope ends the interpreters and all that they started. */
export const layer = (options: Options): Layer.Layer<Kernels, never, Processes | Workspace> =>
  Layer.effect(
    Kernels,
    Effect.gen(function* () {
      const { root: cwd } = yield* Workspace
      const spills = yield* Spill.folder(options.spillFolder)
      // Where the harness has wired an enclosure, interpreters begin there (SPEC §8.5); cells open the texts that were too long.
      const processes = yield* Enclosed.make(spills.readable)
      const enclosure = yield* Enclosure.Enclosure
      const scope = yield* Effect.scope
      const env = options.env ?? process.env
      const limits = { ...Outputs.defaultLimits, ...options.limits }

      // What a shim leads to: looking that up takes longer than the start itself.
      const executables = new Map<string, string>()
      const bytecode = Interpreters.bytecodeFolder(env)
      const python = Effect.sync(() => {
        const { candidates, skipped } = Interpreters.find({
          cwd,
          python: options.python,
          isTrusted: options.isTrusted,
          env
        })
        const runner = require.resolve("#kernels/python/runner.py")
        return {
          skipped,
          candidates: candidates.map((name) => {
            const known = executables.get(name)
            return {
              name,
              command: known !== undefined && Fs.existsSync(known) ? known : name,
              args: [runner, ...(bytecode === undefined ? [] : [bytecode])],
              env: { ...env, ...Interpreters.environment },
              ready: (executable: string) => void executables.set(name, executable)
            }
          })
        }
      })
      const javascript = Effect.sync(() => {
        const command = JavaScriptCommand.make()
        return {
          skipped: [],
          candidates: [{ ...command, name: process.execPath, env: { ...env, ...command.env } }]
        }
      })

      const slotOf = (language: Language, candidates: Slot.Options["candidates"], advice: string) => {
        const given = options.candidates?.[language]
        return Slot.make({
          language,
          cwd,
          candidates: given === undefined ? candidates : Effect.succeed({ candidates: given, skipped: [] }),
          advice,
          place: Effect.asVoid(Enclosure.place(enclosure)),
          startBudget: options.start ?? Budget.after("60 seconds"),
          memoryLimit: options.memoryLimit,
          limits,
          scope
        })
      }
      const slots: { readonly [L in Language]: Slot.Slot } = {
        python: slotOf(
          "python",
          python,
          "Install Python 3.9 or later, or make a virtual environment in .venv, and call again."
        ),
        javascript: slotOf("javascript", javascript, "This is a fault of the installation.")
      }
      const ladders: { readonly [L in Language]: Ladder.Ladder } = {
        python: Ladder.make({ signal: true }),
        javascript: Ladder.make({ signal: false })
      }

      const execute = Effect.fnUntraced(function* (
        cell: Cell,
        control: CellRun.Control
      ): Effect.fn.Return<Ran, ToolError.ToolError> {
        const { language } = cell
        const slot = slots[language]
        // One that was cancelled while it waited never runs, and starts nothing.
        if (control.isCancelled) return yield* Effect.interrupt
        const session = yield* Effect.provideService(slot.session, Processes, processes)
        if (control.isCancelled) return yield* Effect.interrupt
        const number = slot.nextCell()
        const ran = yield* Effect.scoped(
          CellRun.run({
            session,
            scope,
            cell: number,
            code: cell.code,
            call: cell.call,
            control,
            inactivity: options.inactivity ?? Schedule.duration("5 minutes"),
            outer: options.outer,
            ladder: ladders[language],
            limits,
            spill: spills.open(`${language}-cell-${number}.txt`),
            takeEarlier: slot.takeEarlier,
            background: slot.background
          })
        )
        if (ran.ending.status === "died") yield* slot.forget(ran.ending.why)
        return ran
      })

      return Kernels.of({
        run: (cell) =>
          Effect.uninterruptibleMask((restore) =>
            Effect.gen(function* () {
              const slot = slots[cell.language]
              if (cell.reset) yield* slot.reset
              const control = CellRun.control()
              // The cell belongs to the interpreter: it is interrupted in its own time when the call is cancelled.
              const fiber = yield* Effect.forkIn(restore(slot.lock.withPermits(1)(execute(cell, control))), scope, {
                startImmediately: true
              })
              return yield* Effect.onInterrupt(restore(Fiber.join(fiber)), () =>
                Effect.suspend(() => {
                  control.isCancelled = true
                  return control.interrupt
                })
              )
            })
          )
      })
    })
  )
