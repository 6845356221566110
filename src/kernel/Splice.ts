/**
 * Puts what comes through three pipes back into the order in which it was produced. Before a frame the runner writes a mark
 * with the frame's number into both text pipes (the echo of a cell and its end have one number); where its own writes change
 * from one pipe to the other it writes a mark that has no frame (with a tilde). A mark that never comes (a program may close
 * its descriptors) is given up by the caller.
 */

export type Pipe = "stdout" | "stderr"

export type Item<F> =
  | { readonly pipe: Pipe; readonly text: string; readonly bytes: number }
  | { readonly pipe?: never; readonly frame: F }

export interface Splice<F> {
  /** Takes what was read from a text pipe. The chunk must not be changed afterwards. */
  readonly read: (pipe: Pipe, chunk: Uint8Array) => void
  /** Takes a frame; they come in the order of their numbers, which may be equal. */
  readonly frame: (frame: F) => void
  /** What is due now, in order. */
  readonly take: () => ReadonlyArray<Item<F>>
  /** What has not come yet and holds something back: a mark, or only the frame of a mark (there may be none). */
  readonly waitsFor: () => "mark" | "frame" | undefined
  /** Goes on without what is waited for; a pipe without its mark counts as closed until a mark comes through it again. */
  readonly giveUp: () => void
  /** Nothing more comes through this pipe. */
  readonly end: (pipe: Pipe) => void
}

type Event = { readonly text: string; readonly bytes: number } | { readonly mark: number }

interface Channel {
  readonly pipe: Pipe
  readonly decoder: TextDecoder
  readonly events: Array<Event>
  /** What may be the beginning of a mark. */
  hold: Uint8Array
  /** The last mark before the first event. */
  at: number
  isClosed: boolean
}

const channel = (pipe: Pipe): Channel => ({
  pipe,
  decoder: new TextDecoder("utf-8", { ignoreBOM: true }),
  events: [],
  hold: new Uint8Array(0),
  at: 0,
  isClosed: false
})

const [NUL, COLON, TILDE, ZERO] = [0, 58, 126, 48]
const maxDigits = 15

export const make = <F extends { readonly seq: number }>(marker: string): Splice<F> => {
  const start = new TextEncoder().encode(`\0${marker}`)
  const channels = [channel("stdout"), channel("stderr")] as const
  const of = (pipe: Pipe) => (pipe === "stdout" ? channels[0] : channels[1])
  const frames: Array<F> = []
  /** Every frame up to this number has come, or will not. */
  let framesUntil = 0
  /** Marks above `framesUntil` that have no frame. */
  const switches = new Set<number>()

  const push = (channel: Channel, bytes: Uint8Array) => {
    if (bytes.length === 0) return
    channel.events.push({ text: channel.decoder.decode(bytes, { stream: true }), bytes: bytes.length })
  }

  /** Half a character is not completed by what comes later. */
  const flush = (channel: Channel) => {
    const rest = channel.decoder.decode()
    if (rest !== "") channel.events.push({ text: rest, bytes: 0 })
  }

  /** The mark that begins at an offset: its end and number; `partial`: it may be one; `undefined`: it is none. */
  const markAt = (bytes: Uint8Array, at: number) => {
    for (let i = 0; i < start.length; i++) {
      if (at + i >= bytes.length) return "partial"
      if (bytes[at + i] !== start[i]) return undefined
    }
    let end = at + start.length
    if (end >= bytes.length) return "partial"
    if (bytes[end++] !== COLON) return undefined
    let seq = 0
    for (let digits = 0; ; digits++, end++) {
      if (end >= bytes.length) return "partial"
      const digit = bytes[end]! - ZERO
      if (digit < 0 || digit > 9) {
        if (digits === 0) return undefined
        break
      }
      if (digits === maxDigits) return undefined
      seq = seq * 10 + digit
    }
    const isSwitch = bytes[end] === TILDE
    if (isSwitch) end++
    if (end >= bytes.length) return "partial"
    return bytes[end] === NUL ? { end: end + 1, seq, isSwitch } : undefined
  }

  const read = (channel: Channel, chunk: Uint8Array) => {
    let bytes = chunk
    if (channel.hold.length > 0) {
      bytes = new Uint8Array(channel.hold.length + chunk.length)
      bytes.set(channel.hold)
      bytes.set(chunk, channel.hold.length)
      channel.hold = new Uint8Array(0)
    }
    let from = 0
    for (let nul = bytes.indexOf(NUL); nul >= 0;) {
      const mark = markAt(bytes, nul)
      if (mark === "partial") {
        push(channel, bytes.subarray(from, nul))
        channel.hold = bytes.slice(nul)
        return
      }
      if (mark === undefined) {
        nul = bytes.indexOf(NUL, nul + 1)
        continue
      }
      push(channel, bytes.subarray(from, nul))
      if (!mark.isSwitch) flush(channel)
      else if (mark.seq > framesUntil) switches.add(mark.seq)
      channel.events.push({ mark: mark.seq })
      channel.isClosed = false
      from = mark.end
      nul = bytes.indexOf(NUL, from)
    }
    push(channel, bytes.subarray(from))
  }

  const reached = (other: Channel, seq: number) => other.at >= seq || (other.isClosed && other.events.length === 0)
  const hasFrame = (seq: number) => seq > framesUntil && !switches.has(seq)

  /** Whether text behind this mark is due. */
  const isDue = (seq: number) =>
    channels.every((channel) => reached(channel, seq)) &&
    !(frames[0] !== undefined && frames[0].seq <= seq) &&
    !hasFrame(seq)

  const step = (items: Array<Item<F>>): boolean => {
    let moved = false
    for (const channel of channels) {
      for (let event = channel.events[0]; event !== undefined; event = channel.events[0]) {
        if ("mark" in event) channel.at = Math.max(channel.at, event.mark)
        else if (!isDue(channel.at)) break
        else if (event.text !== "" || event.bytes > 0) items.push({ pipe: channel.pipe, ...event })
        channel.events.shift()
        moved = true
      }
    }
    const frame = frames[0]
    if (frame !== undefined && channels.every((channel) => reached(channel, frame.seq))) {
      frames.shift()
      items.push({ frame })
      moved = true
    }
    return moved
  }

  const waitsFor = () => {
    if (frames.length > 0) return "mark"
    const holding = channels.filter(({ events }) => events.length > 0)
    if (holding.length === 0) return undefined
    return holding.every(({ at }) => channels.every((channel) => reached(channel, at))) ? "frame" : "mark"
  }

  return {
    read: (pipe, chunk) => read(of(pipe), chunk),
    frame: (frame) => {
      frames.push(frame)
      framesUntil = Math.max(framesUntil, frame.seq)
      for (const seq of switches) if (seq <= framesUntil) switches.delete(seq)
    },
    take: () => {
      const items: Array<Item<F>> = []
      while (step(items));
      return items
    },
    waitsFor,
    giveUp: () => {
      const wanted = Math.max(frames[0]?.seq ?? 0, ...channels.map(({ at }) => at))
      framesUntil = Math.max(framesUntil, ...channels.map(({ at }) => at))
      for (const channel of channels) if (channel.at < wanted) channel.isClosed = true
    },
    end: (pipe) => {
      const channel = of(pipe)
      push(channel, channel.hold)
      channel.hold = new Uint8Array(0)
      flush(channel)
      channel.isClosed = true
    }
  }
}
