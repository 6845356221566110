/** Lines typed on a terminal, with editing, history and completion, and text printed above the line that is being typed. */
import { Clock, Effect, Queue, type Scope } from "effect"
import * as Readline from "node:readline"

export type Typed =
  | { readonly type: "line"; readonly text: string }
  /** Ctrl-C. */
  | { readonly type: "interrupt" }
  /** Ctrl-D on an empty line, or the terminal is gone. Nothing comes after it. */
  | { readonly type: "end" }

export interface TerminalInput {
  readonly next: Effect.Effect<Typed>
  /** Drops what was typed and not taken yet: it was meant for something else than what is asked next. */
  readonly drop: Effect.Effect<void>
  /** Completes when what is shown now has been seen: what was being typed when it came was not typed for it. */
  readonly settled: Effect.Effect<void>
  /** Shows what is asked for before the line, cut to the width of the terminal; a line that is being typed stays. */
  readonly prompt: (text: string) => void
  /** Prints above the line that is being typed. */
  readonly print: (text: string) => void
  /** Prints, and prints again what other output has moved out of sight, until something else is pinned. */
  readonly pin: (text: string | undefined) => void
  /** Takes what is being typed away, to be put back later. */
  readonly takeTyped: () => string
  readonly putTyped: (text: string) => void
  /** Adds a text, of one line or several, to what the arrow keys bring back. Nothing else is added. */
  readonly remember: (text: string) => void
}

export interface Options {
  readonly output: NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number }
  /** Candidates for the word before the cursor, and that word. */
  readonly complete?: (line: string) => readonly [ReadonlyArray<string>, string]
  /** Newest first. */
  readonly history?: ReadonlyArray<string>
}

/** Milliseconds without a key after which what is shown has been seen, and while a line is begun. */
const quiet = { idle: 200, typing: 1000 } as const
const kept = 1000

type Stream = NodeJS.WritableStream & { readonly isTTY?: boolean }

/** Where an input is open, it alone knows what stands on the terminal. */
let above: ((text: string, act: () => void) => void) | undefined

/** Writes to a stream of this process: above the line that is being typed, where the stream is a terminal and an input is open. */
export const write = (stream: Stream, text: string, done?: () => void): void => {
  const act = () => void stream.write(text, done)
  if (above === undefined || stream.isTTY !== true) act()
  else above(text, act)
}

const pasteOn = "\u001b[?2004h"
const pasteOff = "\u001b[?2004l"

/** Opens standard input, which must be a terminal, until the scope closes. A pasted text of several lines is one line typed. */
export const open = (options: Options): Effect.Effect<TerminalInput, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const { output } = options
      const typed = yield* Queue.unbounded<Typed>()
      const clock = yield* Clock.Clock
      let history = (options.history ?? []).slice(0, kept)
      const reader = Readline.createInterface({
        input: process.stdin,
        output,
        terminal: true,
        historySize: kept,
        history: [...history],
        completer: (line: string) => {
          const [candidates, word] = options.complete?.(line) ?? [[], line]
          return [[...candidates], word]
        }
      })
      let prompt = ""
      let isPasting = false
      let pasted: Array<string> = []
      let isClosed = false
      let lastKey = 0
      let pinned: string | undefined
      /** Rows printed since what is pinned was. */
      let scrolled = 0
      /** The history as readline keeps it. */
      let live: Array<string> | undefined

      const onKey = (_: unknown, key: { readonly name?: string } | undefined) => {
        lastKey = clock.currentTimeMillisUnsafe()
        if (key?.name === "paste-start") isPasting = true
        if (key?.name === "paste-end") isPasting = false
      }
      const end = () => {
        if (isClosed) return
        isClosed = true
        Queue.offerUnsafe(typed, { type: "end" })
      }
      // Before readline's own listener, which turns a line end inside of a paste into a line.
      process.stdin.prependListener("keypress", onKey)
      process.stdin.on("error", end)
      reader.on("line", (line) => {
        // A line that was brought back has its ends as `\r` in later versions of Node.
        const text = line.replaceAll("\r", "\n")
        if (isPasting) return void pasted.push(text)
        const whole = [...pasted, text].join("\n")
        pasted = []
        Queue.offerUnsafe(typed, { type: "line", text: whole })
      })
      const restore = () => void live?.splice(0, live.length, ...history)
      reader.on("history", (all) => {
        live = all
        restore()
      })
      reader.on("SIGINT", () => {
        pasted = []
        Queue.offerUnsafe(typed, { type: "interrupt" })
      })
      reader.on("close", end)
      // After Ctrl-Z: readline has paused itself, and the shell has its own mode of pasting.
      reader.on("SIGCONT", () => {
        output.write(pasteOn)
        showBelow(reader.getCursorPos().rows)
      })
      output.write(pasteOn)

      /** Takes prompt and line from the screen, and gives how far below their first row the cursor was. */
      const clear = () => {
        const { rows } = reader.getCursorPos()
        Readline.moveCursor(output, 0, -rows)
        Readline.cursorTo(output, 0)
        Readline.clearScreenDown(output)
        return rows
      }
      const show = () => {
        if (isClosed) return
        reader.setPrompt(clip(prompt, output.columns || Infinity))
        reader.prompt(true)
      }
      // Readline goes up to where it believes the first row to be, over whatever was printed since.
      const showBelow = (rows: number) => {
        if (isClosed) return
        output.write("\n".repeat(rows))
        show()
      }
      const takeTyped = () => {
        const line = reader.line
        if (line !== "") reader.write(null, { ctrl: true, name: "e" })
        if (line !== "") reader.write(null, { ctrl: true, name: "u" })
        return line
      }
      const rowsOf = (text: string) =>
        text
          .replace(/\n$/, "")
          .split("\n")
          .reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / (output.columns || Infinity))), 0)
      const put = (text: string, act: () => void) => {
        const rows = clear()
        act()
        if (!text.endsWith("\n")) output.write("\n")
        scrolled += rowsOf(text)
        const screen = output.rows || Infinity
        if (pinned !== undefined && scrolled > Math.max(screen - rowsOf(pinned) - 2, screen / 2)) {
          output.write(pinned)
          scrolled = 0
        }
        if (prompt !== "") showBelow(rows)
      }
      const print = (text: string) => put(text, () => void output.write(text))
      above = put
      const isTyping = () =>
        clock.currentTimeMillisUnsafe() - lastKey < (reader.line === "" ? quiet.idle : quiet.typing)
      const input: TerminalInput = {
        next: Queue.take(typed),
        drop: Effect.gen(function* () {
          if (!isClosed) takeTyped()
          const dropped = yield* Queue.clear(typed)
          yield* Queue.offerAll(
            typed,
            dropped.filter(({ type }) => type !== "line")
          )
        }),
        settled: Effect.gen(function* () {
          yield* Effect.sleep(quiet.idle)
          while (isTyping()) yield* Effect.sleep(100)
        }),
        prompt: (text) => {
          prompt = text
          show()
        },
        print,
        pin: (text) => {
          pinned = undefined
          if (text !== undefined) print(text)
          pinned = text
          scrolled = 0
        },
        takeTyped,
        putTyped: (text) => {
          if (text === "" || isClosed) return
          // Written key by key, a line end in it would be the Enter key.
          Object.assign(reader, { line: `${reader.line}${text}`, cursor: reader.line.length + text.length })
          show()
        },
        remember: (text) => {
          history = [text, ...history.filter((each) => each !== text)].slice(0, kept)
          restore()
        }
      }
      const close = () => {
        isClosed = true
        above = undefined
        process.stdin.off("keypress", onKey)
        process.stdin.off("error", end)
        clear()
        output.write(pasteOff)
        reader.close()
      }
      return { input, close }
    }),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.map(({ input }) => input))

/** Leaves the last column free. From Hangul on, a character may take two columns. */
const clip = (text: string, columns: number): string => {
  const widthOf = (character: string) => (character.codePointAt(0)! < 0x1100 ? 1 : 2)
  let width = 0
  let kept = ""
  for (const character of text) {
    width += widthOf(character)
    if (width < columns - 2) kept += character
  }
  return width < columns ? text : `${kept}… `
}
