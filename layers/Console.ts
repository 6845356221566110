/** The console: calls typed on a terminal, in one run over the current checkout (SPEC §12). */
import { Effect, Exit, Fiber, type FileSystem, Option, Queue, Schedule, type Scope } from "effect"
import type * as Answer from "../src/Answer.ts"
import { OutputSink, ProgressSink } from "../src/Call.ts"
import { DeferredFindings } from "../src/DeferredFindings.ts"
import * as AgentTranscript from "../src/harness/AgentTranscript.ts"
import { WorkerEvents } from "../src/harness/AgentWorker.ts"
import { type Card, Cards, type Event, type Response } from "../src/harness/Cards.ts"
import * as CardText from "../src/harness/CardText.ts"
import type * as Commands from "../src/harness/Commands.ts"
import * as ConsoleLine from "../src/harness/Console.ts"
import * as Pictures from "../src/harness/Pictures.ts"
import { RunInfo } from "../src/harness/RunInfo.ts"
import * as Shown from "../src/harness/Shown.ts"
import { VibeSwitch } from "../src/harness/VibeSwitch.ts"
import { visible } from "../src/harness/Visible.ts"
import * as Surface from "../src/Surface.ts"
import * as Roster from "../src/vibe/Roster.ts"
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
  readonly shown: Shown.Tail
}

/** What Tab is in the lines of a text. */
const indentation = [["    "], ""] as const

/** Reads calls until the terminal is closed; `None` where standard input and output are not a terminal. */
export const console: Option.Option<Effect.Effect<void, never, Commands.Run | Scope.Scope | FileSystem.FileSystem>> =
  process.stdin.isTTY && process.stdout.isTTY ? Option.some(Effect.suspend(() => run())) : Option.none()

const run = Effect.fnUntraced(function* () {
  const surface = yield* Surface.Wired
  const cards = yield* Cards
  const vibe = yield* VibeSwitch
  const deferred = yield* Effect.serviceOption(DeferredFindings)
  const { cap, cwd } = yield* RunInfo
  const history = ConsoleHistory.open(StateFolder.path(process.env, process.platform))
  const messages = yield* Queue.unbounded<Message>()
  const clock = yield* Effect.clockWith((it) => Effect.succeed(it))

  let card: Card | undefined
  let isSeen = false
  /** The numbers of the cards that were put aside, by their ids. */
  const aside = new Map<string, number>()
  let running: Running | undefined
  /** Lines that came while a call ran. */
  let ahead: Array<string> = []
  /** The lines of a call that is not whole yet. */
  let begun = ""
  /** What is open in it. */
  let open = ""
  /** What was being typed when the card was seen. */
  let kept = ""

  const input = yield* TerminalInput.open({
    output: process.stdout,
    history: history.lines,
    complete: (line) =>
      card !== undefined && isSeen
        ? ConsoleLine.completeAnswer(line, card)
        : begun !== ""
          ? indentation
          : ConsoleLine.complete(line, surface.entries, (prefix) => ConsolePaths.near(cwd, prefix))
  })
  const print = (text: string) => input.print(text)

  const prompt = () => {
    if (card !== undefined && isSeen) return input.prompt(CardText.prompt(card))
    const waiting = aside.size === 0 ? "" : `[${[...aside.values()].join(", ")} aside] `
    if (running === undefined) return input.prompt(begun === "" ? `${waiting}livetools> ` : `${open}… `)
    const seconds = Math.round((clock.currentTimeMillisUnsafe() - running.since) / 1000)
    const queued = ahead.length === 0 ? "" : `; ${ahead.length} to do after it`
    const what = running.isCancelled ? "is being cancelled" : running.status
    const now = [running.tool, seconds > 0 ? `${seconds} s${queued}` : queued, what].filter((each) => each !== "")
    return input.prompt(`${waiting}(${now.join(" ")}) `)
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
      Effect.provideService(OutputSink, ({ kind, text }) => {
        running?.shown.push(text)
        return kind === "stdout" || kind === "stderr" ? status(running?.shown.lastLine() ?? "") : Effect.void
      }),
      Effect.forkScoped
    )
    yield* Fiber.await(fiber).pipe(
      Effect.flatMap((exit) => Queue.offer(messages, { type: "done", exit })),
      Effect.forkScoped
    )
    running = {
      tool,
      fiber,
      since: clock.currentTimeMillisUnsafe(),
      status: "",
      isCancelled: false,
      shown: Shown.tail()
    }
  })

  const perform = Effect.fnUntraced(function* (line: string) {
    const text = begun === "" ? line : `${begun}\n${line}`
    const command = ConsoleLine.parse(text, surface.entries, surface.absent)
    begun = command.type === "more" ? text : ""
    open = command.type === "more" ? command.open : ""
    if (command.type !== "more" && command.type !== "nothing") {
      history.add(text)
      input.remember(text)
    }
    yield* obey(command)
  })

  const obey = Effect.fnUntraced(function* (command: ConsoleLine.Command) {
    switch (command.type) {
      case "call":
        return yield* begin(command.tool, command.params)
      case "help":
        return print(ConsoleLine.help(command.tool, surface.entries))
      case "tools":
        return print(toolsText(surface))
      case "vibe":
        if (command.on === false) yield* tellLost
        if (command.on !== undefined) yield* vibe.set(command.on)
        return print(`Vibe mode is ${(yield* vibe.isOn) ? "on" : "off"}.`)
      case "wrong":
        return print(command.message)
      case "card":
        if ((yield* cards.recall) === 0) print("No card is open.")
        return
      case "skip":
      case "answer":
        return print(`No card is open.${aside.size === 0 ? "" : " :card shows those that were put aside."}`)
      case "end":
        return yield* Effect.asVoid(Queue.offer(messages, { type: "end" }))
      case "more":
      case "nothing":
        return
    }
  })

  /** Goes on with what was typed ahead, as far as it can. */
  const proceed: Effect.Effect<void, never, Scope.Scope> = Effect.suspend(() => {
    const line = running === undefined ? ahead.shift() : undefined
    return line === undefined ? Effect.sync(prompt) : Effect.andThen(perform(line), proceed)
  })

  /** What writes turned out to have caused, where no answer is to come that would say it. */
  const tellFindings = Effect.gen(function* () {
    if (Option.isNone(deferred) || (yield* vibe.undelivered).some(Roster.isAtWork)) return
    for (const { text } of yield* deferred.value.take) print(visible(text))
  })

  /** Which workers are stopped by what ends now. */
  const tellLost = Effect.map(vibe.undelivered, (workers) => {
    for (const worker of workers.filter(Roster.isAtWork)) print(Roster.lost(worker))
  })

  const respond = Effect.fnUntraced(function* (asked: Card, response: Response) {
    const answered = yield* Effect.result(cards.answer(asked.card_id, response))
    if (answered._tag === "Failure") print(answered.failure.message)
  })

  const atCard = Effect.fnUntraced(function* (asked: Card, line: string) {
    const command = ConsoleLine.parse(line, surface.entries, surface.absent)
    if (ConsoleLine.isCall(command)) {
      const how = asked.asker === undefined ? "cancels the call that asks" : "puts it aside"
      print(`That is a call, and a card is open: Ctrl-C ${how}. ${CardText.escape(line)}`)
    } else if (!ConsoleLine.isCommand(line)) yield* respond(asked, CardText.read(asked, line))
    else if (command.type === "answer") yield* respond(asked, { text: command.text })
    else if (command.type === "skip") yield* respond(asked, { skip: true })
    else if (command.type === "card") input.pin(CardText.render(asked))
    else if (command.type === "wrong") print(`${command.message} ${CardText.escape(line)}`)
    else yield* obey(command)
    prompt()
  })

  const interrupt = Effect.suspend(() => {
    const { asker, card_id } = card ?? {}
    if (card_id !== undefined && isSeen && (asker !== undefined || running === undefined)) {
      input.takeTyped()
      return cards.putAside(card_id)
    }
    if (running === undefined) {
      begun = ""
      input.takeTyped()
      print("Ctrl-D ends the run.")
    } else {
      if (!running.isCancelled) running.fiber.interruptUnsafe()
      running.isCancelled = true
      if (ahead.length > 0) print(`Not done any more: ${ahead.join("; ")}`)
      ahead = []
    }
    return Effect.sync(prompt)
  })

  const onCard = Effect.fnUntraced(function* (event: Event) {
    if (event.type === "open") {
      card = event.card
      isSeen = false
      aside.delete(card.card_id)
      input.pin(CardText.render(card))
      const seen: Message = { type: "seen", card }
      return yield* Effect.andThen(input.settled, Queue.offer(messages, seen)).pipe(Effect.forkScoped)
    }
    const isOpen = card?.card_id === event.card_id
    const number = (isOpen ? card?.number : aside.get(event.card_id)) ?? ""
    aside.delete(event.card_id)
    if (isOpen) input.pin(undefined)
    if (event.reason === "withdrawn") print(`[${number}] is withdrawn.`)
    if (event.reason === "aside" && card !== undefined) {
      aside.set(card.card_id, card.number)
      print(`[${number}] is put aside, and whoever asks goes on waiting. :card shows it again.`)
    }
    if (!isOpen) return prompt()
    if (isSeen) input.takeTyped()
    card = undefined
    prompt()
    input.putTyped(kept)
    kept = ""
  })

  const done = Effect.fnUntraced(function* (exit: Exit.Exit<Answer.Answer>) {
    const { shown, tool = "" } = running ?? {}
    running = undefined
    if (Exit.isFailure(exit)) return print(visible(Shown.cancelled(tool, shown?.text() ?? "")))
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
        yield* tellLost
        return print("")
      case "interrupt":
        yield* interrupt
        break
      case "line":
        if (card !== undefined && isSeen) yield* atCard(card, message.text)
        else if (running !== undefined && ConsoleLine.isAtOnce(message.text)) {
          yield* obey(ConsoleLine.parse(message.text, surface.entries))
          prompt()
        } else {
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
        kept = input.takeTyped()
        prompt()
        break
      case "done":
        yield* done(message.exit)
        yield* proceed
        break
      case "tick":
        if (running === undefined) yield* tellFindings
        else if (card === undefined) prompt()
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
