/** Lines typed on a terminal, with editing, history and completion, and text printed above the line that is being typed. */
import { Effect, Queue, type Scope } from "effect"
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
  /** Shows what is asked for before the line, cut to the width of the terminal; a line that is being typed stays. */
  readonly prompt: (text: string) => void
  /** Prints above the line that is being typed. */
  readonly print: (text: string) => void
  /** Takes what is being typed away, to be put back later. */
  readonly takeTyped: () => string
  readonly putTyped: (text: string) => void
}

export interface Options {
  readonly output: NodeJS.WritableStream & { readonly columns?: number }
  /** Candidates for the word before the cursor, and that word. */
  readonly complete?: (line: string) => readonly [ReadonlyArray<string>, string]
  /** Newest first. */
  readonly history?: ReadonlyArray<string>
  /** What of a typed line is remembered, if anything. Default: all of it. */
  readonly remember?: (line: string) => string | undefined
}

/** How long a question is shown before a line can be its answer: what was typed before was not typed for it. */
export const unseen = "200 millis"

const pasteOn = "\u001b[?2004h"
const pasteOff = "\u001b[?2004l"

/** Opens standard input, which must be a terminal, until the scope closes. A pasted text of several lines is one line typed. */
export const open = (options: Options): Effect.Effect<TerminalInput, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const { output } = options
      const typed = yield* Queue.unbounded<Typed>()
      const reader = Readline.createInterface({
        input: process.stdin,
        output,
        terminal: true,
        historySize: 1000,
        removeHistoryDuplicates: true,
        history: [...(options.history ?? [])],
        completer: (line: string) => {
          const [candidates, word] = options.complete?.(line) ?? [[], line]
          return [[...candidates], word]
        }
      })
      let prompt = ""
      let isPasting = false
      let pasted: Array<string> = []
      let isClosed = false

      const onKey = (_: unknown, key: { readonly name?: string } | undefined) => {
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
      reader.on("line", (text) => {
        if (isPasting) return void pasted.push(text)
        const whole = [...pasted, text].join("\n")
        pasted = []
        Queue.offerUnsafe(typed, { type: "line", text: whole })
      })
      reader.on("history", (history) => {
        const line = history[0]
        if (line === undefined || options.remember === undefined) return
        const kept = options.remember(line)
        if (kept === undefined) history.shift()
        else history[0] = kept
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
        prompt: (text) => {
          prompt = text
          show()
        },
        print: (text) => {
          const rows = clear()
          output.write(text.endsWith("\n") ? text : `${text}\n`)
          if (prompt !== "") showBelow(rows)
        },
        takeTyped,
        putTyped: (text) => {
          if (text !== "" && !isClosed) reader.write(text)
        }
      }
      const close = () => {
        isClosed = true
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
