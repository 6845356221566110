/** The console: calls typed on a terminal, in one run over the current checkout (SPEC §12). */
import { Effect, Exit, Fiber, type FileSystem, Option, Queue, Schedule, type Scope } from "effect"
import type * as Answer from "../src/Answer.ts"
import { OutputSink, ProgressSink } from "../src/Call.ts"
import * as AgentTranscript from "../src/harness/AgentTranscript.ts"
import { WorkerEvents } from "../src/harness/AgentWorker.ts"
import { type Card, Cards, type Event } from "../src/harness/Cards.ts"
import * as CardText from "../src/harness/CardText.ts"
import type * as Commands from "../src/harness/Commands.ts"
import * as ConsoleLine from "../src/harness/Console.ts"
import * as Pictures from "../src/harness/Pictures.ts"
import { RunInfo } from "../src/harness/RunInfo.ts"
import { VibeSwitch } from "../src/harness/VibeSwitch.ts"
import { visible } from "../src/harness/Visible.ts"
import * as Surface from "../src/Surface.ts"
import * as ConsoleHistory from "./ConsoleHistory.ts"
import * as ConsolePaths from "./ConsolePaths.ts"
import * as StateFolder from "./edits/StateFolder.ts"
import * as TerminalInput from "./TerminalInput.ts"

type Message =
  | TerminalInput.Typed
  | { readonly type: "card"; readonly event: Event }
  | { readonly type: "done"; readonly exit: Exit.Exit<Answer.Answer> }
  | { readonly type: "tick" }
  /** The card has been seen, so that a line can be its answer. */
  | { readonly type: "seen"; readonly card: Card }

/** A call that runs. */
interface Running {
  readonly tool: string
  readonly fiber: Fiber.Fiber<Answer.Answer>
  readonly since: number
  status: string
  isCancelled: boolean
}

/** Reads calls until the terminal is closed; `None` where standard input and output are not a terminal. */
export const console: Option.Option<Effect.Effect<void, never, Commands.Run | Scope.Scope | FileSystem.FileSystem>> =
  process.stdin.isTTY && process.stdout.isTTY ? Option.some(Effect.suspend(() => run())) : Option.none()

const run = Effect.fnUntraced(function* () {
  const surface = yield* Surface.Wired
  const cards = yield* Cards
  const vibe = yield* VibeSwitch
  const { cap, cwd } = yield* RunInfo
  const history = ConsoleHistory.open(StateFolder.path(process.env, process.platform))
  const messages = yield* Queue.unbounded<Message>()
  const clock = yield* Effect.clockWith((it) => Effect.succeed(it))

  let card: Card | undefined
  let isSeen = false
  let running: Running | undefined
  /** Lines that came while a call ran. */
  let ahead: Array<string> = []
  /** The lines of a call that is not whole yet. */
  let begun = ""
  /** What was being typed when a card came. */
  let kept = ""

  const input = yield* TerminalInput.open({
    output: process.stdout,
    history: history.lines,
    remember: (line) =>
      card !== undefined || line.trim() === ""
        ? undefined
        : `${begun === "" ? "" : `${begun} `}${line}`.replaceAll("\n", " "),
    complete: (line) => ConsoleLine.complete(line, surface.entries, (prefix) => ConsolePaths.near(cwd, prefix))
  })
  const print = (text: string) => input.print(text)

  const prompt = () => {
    if (card !== undefined && isSeen) return input.prompt(CardText.prompt(card))
    if (running === undefined) return input.prompt(begun === "" ? "livetools> " : "… ")
    const seconds = Math.round((clock.currentTimeMillisUnsafe() - running.since) / 1000)
    const what = running.isCancelled ? "is being cancelled" : running.status
    return input.prompt(
      `(${[running.tool, ...(seconds > 0 ? [`${seconds} s`] : []), what].filter(Boolean).join(" ")}) `
    )
  }

  const begin = Effect.fnUntraced(function* (tool: string, params: unknown) {
    const status = (text: string) =>
      Effect.sync(() => {
        const line = visible(text.trimEnd().split("\n").at(-1) ?? "").slice(0, 100)
        if (running === undefined || line === "") return
        running.status = line
        prompt()
      })
    const fiber = yield* surface.dispatch(tool, params).pipe(
      Effect.provideService(ProgressSink, ({ message, percentage }) =>
        status(percentage === undefined ? message : `${message} ${Math.round(percentage)}%`)
      ),
      Effect.provideService(OutputSink, ({ kind, text }) =>
        kind === "stdout" || kind === "stderr" ? status(text) : Effect.void
      ),
      Effect.forkScoped
    )
    yield* Fiber.await(fiber).pipe(
      Effect.flatMap((exit) => Queue.offer(messages, { type: "done", exit })),
      Effect.forkScoped
    )
    running = { tool, fiber, since: clock.currentTimeMillisUnsafe(), status: "", isCancelled: false }
  })

  const perform = Effect.fnUntraced(function* (line: string) {
    const text = begun === "" ? line : `${begun}\n${line}`
    const command = ConsoleLine.parse(text, surface.entries)
    begun = command.type === "more" ? text : ""
    if (command.type !== "more" && command.type !== "nothing") history.add(text)
    switch (command.type) {
      case "call":
        return yield* begin(command.tool, command.params)
      case "help":
        return print(ConsoleLine.help(command.tool, surface.entries))
      case "tools":
        return print(toolsText(surface))
      case "vibe":
        if (command.on !== undefined) yield* vibe.set(command.on)
        return print(`Vibe mode is ${(yield* vibe.isOn) ? "on" : "off"}.`)
      case "wrong":
        return print(command.message)
      case "end":
        return yield* Queue.offer(messages, { type: "end" })
      default:
        return
    }
  })

  /** Goes on with what was typed ahead, as far as it can. */
  const proceed: Effect.Effect<void, never, Scope.Scope> = Effect.suspend(() => {
    const line = running === undefined ? ahead.shift() : undefined
    return line === undefined ? Effect.sync(prompt) : Effect.andThen(perform(line), proceed)
  })

  const answerCard = Effect.fnUntraced(function* (asked: Card, line: string) {
    const answered = yield* Effect.result(cards.answer(asked.card_id, CardText.read(asked, line)))
    if (answered._tag === "Failure") print(answered.failure.message)
    prompt()
  })

  const interrupt = () => {
    if (running === undefined) {
      begun = ""
      input.takeTyped()
      print("Ctrl-D ends the run.")
      return prompt()
    }
    if (!running.isCancelled) running.fiber.interruptUnsafe()
    running.isCancelled = true
    ahead = []
    prompt()
  }

  const onCard = Effect.fnUntraced(function* (event: Event) {
    if (event.type === "open") {
      kept = input.takeTyped()
      card = event.card
      isSeen = false
      print(CardText.render(event.card))
      const seen: Message = { type: "seen", card: event.card }
      yield* Queue.offer(messages, seen).pipe(Effect.delay(TerminalInput.unseen), Effect.forkScoped)
      return
    }
    if (event.reason === "withdrawn") print(`[${card?.number ?? ""}] is withdrawn.`)
    input.takeTyped()
    card = undefined
    prompt()
    input.putTyped(kept)
    kept = ""
  })

  const done = Effect.fnUntraced(function* (exit: Exit.Exit<Answer.Answer>) {
    const tool = running?.tool ?? ""
    running = undefined
    if (Exit.isFailure(exit)) return print(`${tool} was cancelled.`)
    const { text } = exit.value
    print(visible(exit.value.isFailure ? `${exit.value.code}: ${text}` : text))
    for (const line of yield* Pictures.save(exit.value)) print(line)
  })

  yield* cards.connect((event) => Effect.asVoid(Queue.offer(messages, { type: "card", event })))
  const transcript = AgentTranscript.make()
  yield* (yield* WorkerEvents).listen((task, event) =>
    event.type === "said" || event.type === "note"
      ? Effect.sync(() => print(transcript(event, task.worker_id)))
      : Effect.void
  )
  yield* input.next.pipe(
    Effect.flatMap((typed) => Queue.offer(messages, typed)),
    Effect.forever,
    Effect.forkScoped
  )
  yield* Queue.offer(messages, { type: "tick" }).pipe(Effect.repeat(Schedule.spaced("1 second")), Effect.forkScoped)

  print(`livetools in ${cwd} (cap ${cap}, ${surface.entries.length} tools). :help says what can be typed.`)
  prompt()
  for (;;) {
    const message = yield* Queue.take(messages)
    switch (message.type) {
      case "end":
        return print("")
      case "interrupt":
        interrupt()
        break
      case "line":
        if (card !== undefined && isSeen) yield* answerCard(card, message.text)
        else {
          ahead.push(...message.text.split("\n"))
          yield* proceed
        }
        break
      case "card":
        yield* onCard(message.event)
        break
      case "seen":
        if (message.card !== card) break
        isSeen = true
        kept += input.takeTyped()
        prompt()
        break
      case "done":
        yield* done(message.exit)
        yield* proceed
        break
      case "tick":
        if (running !== undefined && card === undefined) prompt()
        break
    }
  }
})

const toolsText = ({ absent, entries }: Surface.Surface): string => {
  const width = Math.max(...[...entries, ...absent].map(({ name }) => name.length), 0)
  const row = (name: string, tier: string, text: string) => `  ${name.padEnd(width)}  ${tier.padEnd(5)}  ${text}\n`
  return [
    ...entries.map(({ description, name, tier }) => row(name, tier, description.split(/(?<=\.)\s/, 1)[0] ?? "")),
    ...(absent.length === 0 ? [] : ["Absent:\n"]),
    ...absent.map(({ missing, name, tier }) => row(name, tier, missing.join("; ")))
  ].join("")
}
