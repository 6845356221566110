/** TCP connections on this machine, to adapters that speak over one. */
import * as Net from "node:net"
import { Data, type Duration, Effect, Schedule, type Scope } from "effect"
import * as Pipes from "../process/Pipes.ts"
import type { Transport } from "./Transport.ts"

/** Nobody listens there, or whoever did has hung up. */
export class ConnectError extends Data.TaggedError("ConnectError")<{ readonly message: string }> {}

const transportOf = (socket: Net.Socket): Pick<Transport, "bytes" | "write" | "end"> => {
  const { end, write } = Pipes.writer(socket, () => "the connection is closed")
  return { bytes: Pipes.reader(socket), write, end }
}

const destroy = (socket: Net.Socket) =>
  Effect.sync(() => {
    socket.destroy()
  })

const connectOnce = (port: number, host: string): Effect.Effect<Net.Socket, ConnectError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Net.Socket, ConnectError>((resume) => {
      const socket = Net.connect({ port, host, noDelay: true })
      // Stays: an error that nobody listens for would end the host.
      socket.on("error", (error) => {
        socket.destroy()
        resume(Effect.fail(new ConnectError({ message: error.message })))
      })
      socket.once("connect", () => resume(Effect.succeed(socket)))
      return destroy(socket)
    }),
    destroy,
    { interruptible: true }
  )

/** Connects, knocking for a while where nobody listens yet. */
export const connect = Effect.fnUntraced(function* (port: number, patience: Duration.Input, host?: string) {
  const first = connectOnce(port, host ?? "127.0.0.1")
  const either =
    host === undefined ? Effect.catch(first, (error) => Effect.mapError(connectOnce(port, "::1"), () => error)) : first
  const socket = yield* either.pipe(
    Effect.retry(Schedule.spaced("100 millis").pipe(Schedule.upTo({ duration: patience })))
  )
  return transportOf(socket)
})

/** Listens for one connection; `accepted` completes with it. */
export const listen = Effect.fnUntraced(function* () {
  const server = yield* Effect.acquireRelease(
    Effect.callback<Net.Server, ConnectError>((resume) => {
      const created = Net.createServer({ noDelay: true })
      created.once("error", (error) => resume(Effect.fail(new ConnectError({ message: error.message }))))
      created.listen(0, "127.0.0.1", () => resume(Effect.succeed(created)))
    }),
    (created) =>
      Effect.sync(() => {
        created.close()
      })
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const accepted = Effect.acquireRelease(
    Effect.callback<Net.Socket>((resume) => {
      server.once("connection", (socket) => {
        server.close()
        resume(Effect.succeed(socket))
      })
    }),
    destroy,
    { interruptible: true }
  ).pipe(Effect.map(transportOf))
  return { port, accepted }
})
