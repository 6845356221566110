/**
 * Standard output and error of the cells. Every write is on its way before it returns, so that texts of the console, of children
 * and of native code stand in the order in which they were produced.
 */
import ChildProcess from "node:child_process"
import { Console } from "node:console"
import { syncBuiltinESMExports } from "node:module"
import { Writable } from "node:stream"
import { slot } from "./Messages.ts"
import { type Wire, writeAll } from "./Wire.ts"

export interface Streams {
  /** Writes to standard error, as the kernel. */
  readonly tell: (text: string) => void
}

const { from: bufferFrom } = Buffer

type Launch = (...args: ReadonlyArray<unknown>) => unknown

export const install = (wire: Wire, shared: Int32Array): Streams => {
  let last = 0
  /** Where writes change from one pipe to the other, the host has to know. */
  const turnTo = (fd: number) => {
    if (last !== fd && last !== 0) wire.mark()
    last = fd
  }
  const write = (fd: number, bytes: Uint8Array) => {
    turnTo(fd)
    writeAll(fd, bytes)
  }

  const stream = (fd: number) => {
    const output = new Writable({
      decodeStrings: true,
      highWaterMark: 1024 * 1024,
      write: (chunk: Uint8Array, _encoding, done) => {
        try {
          write(fd, chunk)
          done()
        } catch (error) {
          done(error as Error)
        }
      }
    })
    // A program cannot close them, as with Node's own; the next cell still writes.
    output.end = ((...args: Parameters<typeof output.end>) => {
      if (args[0] !== undefined && typeof args[0] !== "function") output.write(args[0])
      return output
    }) as typeof output.end
    output.destroy = () => output
    return Object.assign(output, { fd, _type: "pipe" })
  }
  const stdout = stream(1)
  const stderr = stream(2)
  const give = (name: "stdout" | "stderr", value: unknown) =>
    Object.defineProperty(process, name, { configurable: true, enumerable: true, get: () => value })
  give("stdout", stdout)
  give("stderr", stderr)

  // Node's own console also tells the inspector, which would keep what is printed.
  const console = new Console({ stdout, stderr })
  Object.assign(console, { Console })
  Object.defineProperty(globalThis, "console", {
    configurable: true,
    enumerable: false,
    writable: true,
    value: console
  })

  const launching = (launch: Launch, isWaiting: boolean): Launch =>
    function (this: unknown, ...args) {
      // What a child writes stands after what was written before it and before what is written afterwards.
      if (last !== 0) wire.mark()
      if (isWaiting) Atomics.store(shared, slot.waitsForChild, 1)
      try {
        return Reflect.apply(launch, this, args)
      } finally {
        if (isWaiting) {
          Atomics.store(shared, slot.waitsForChild, 0)
          wire.mark()
        } else last = -1
      }
    }
  const replace = (owner: object, name: string, isWaiting: boolean) => {
    const launch = launching(Reflect.get(owner, name) as Launch, isWaiting)
    Reflect.set(owner, name, Object.defineProperty(launch, "name", { value: name }))
  }
  for (const name of ["spawnSync", "execSync", "execFileSync"]) replace(ChildProcess, name, true)
  replace(ChildProcess.ChildProcess.prototype, "spawn", false)
  syncBuiltinESMExports()

  return { tell: (text) => write(2, bufferFrom(text)) }
}
