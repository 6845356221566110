/** The `livetools` command. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit, Layer, Logger, Option, Runtime } from "effect"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Commands from "../src/harness/Commands.ts"
import { Output } from "../src/harness/Output.ts"
import * as Run from "./Run.ts"
import * as StandardOutput from "./StandardOutput.ts"
import * as TerminalCards from "./TerminalCards.ts"
import * as Version from "./Version.ts"

const command = Commands.make({ run: Run.layer, connectTerminal: TerminalCards.connect })

const platform = Layer.mergeAll(
  NodeServices.layer,
  StandardOutput.layer,
  Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])
)

const program = Command.run(command, { version: Version.version }).pipe(
  Effect.tapError((error) =>
    error instanceof Commands.UsageError
      ? Effect.flatMap(Output, (output) => output.err(`livetools: ${error.message}\n`))
      : Effect.void
  ),
  Effect.provide(platform)
)

const teardown: Runtime.Teardown = (exit, onExit) => {
  const error = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined
  if (CliError.isCliError(error)) onExit(2)
  else Runtime.defaultTeardown(exit, onExit)
}

NodeRuntime.runMain(program, { teardown })
