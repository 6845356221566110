/** The `livetools` command. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Layer, Logger, Option, Runtime } from "effect"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Commands from "../src/harness/Commands.ts"
import { Output } from "../src/harness/Output.ts"
import * as TerminalConsole from "./Console.ts"
import * as Run from "./Run.ts"
import * as StandardOutput from "./StandardOutput.ts"
import * as TerminalCards from "./TerminalCards.ts"
import * as TerminalInput from "./TerminalInput.ts"
import * as Version from "./Version.ts"

const command = Commands.make({
  run: Run.layer,
  connectTerminal: TerminalCards.connect,
  console: TerminalConsole.console
})

/** Help that was asked for is output; help because of a wrong call goes to standard error, where nobody parses it. */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
    const formatter = CliOutput.defaultFormatter({ colors: process.stderr.isTTY === true })
    return Effect.andThen(
      Console.error(formatter.formatHelpDoc(event.helpDoc)),
      Console.error(formatter.formatErrors(event.errors))
    )
  }
}

const platform = Layer.mergeAll(
  CliOutput.layerPresenter(presenter),
  NodeServices.layer,
  StandardOutput.layer,
  Logger.layer([Logger.make((entry) => TerminalInput.write(process.stderr, `${Logger.formatLogFmt.log(entry)}\n`))])
)

const program = Command.run(command, { version: Version.version }).pipe(
  Effect.tapError((error) =>
    error instanceof Commands.UsageError || error instanceof Commands.ModelFailed
      ? Effect.flatMap(Output, (output) => output.err(`livetools: ${error.message}\n`))
      : Effect.void
  ),
  Effect.provide(platform)
)

const teardown: Runtime.Teardown = (exit, onExit) => {
  const error = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined
  const isHelp = error instanceof CliError.ShowHelp && error.errors.length === 0
  if (CliError.isCliError(error) && !isHelp) onExit(2)
  else Runtime.defaultTeardown(exit, onExit)
}

NodeRuntime.runMain(program, { teardown })
