import { createServer as createHttpServer, type Server as HttpServer, type ServerResponse } from 'node:http'
import { Server as PortServer } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Failure } from '../capability.ts'
import { type Clock, defined } from '../platform.ts'
import { errorResponse } from './answer.ts'
import { type Server } from './create-server.ts'
import { closingError } from './event-stream.ts'
import { toFailure, HttpFailure } from './failure.ts'
import { assertBindIsSafe } from './guard.ts'
import { LIVE_PATH } from './routes/health-routes.ts'

export interface ListeningServer {
  readonly url: string
  readonly port: number
  /** Closes the port. New requests are refused with `closing`, 503. */
  close(options?: CloseOptions): Promise<void>
}

interface CloseOptions {
  /** How long answers in progress may take, ms; 5 s unless given. */
  readonly graceMs?: number
  /** Runs once they have ended. Connections that a web server keeps are refused in order until it is done. */
  readonly meanwhile?: () => Promise<void>
  /** Whether other gateways answer what this one refuses: then it refuses a moment longer, so that a web server loses nothing. */
  readonly hasOthers?: boolean
}

/** Opens a port for a server; port 0 means any free one. If that fails, the error has a hint. */
export async function listen(server: Server, { port, bind }: { port: number; bind: string }): Promise<ListeningServer> {
  assertBindIsSafe(bind, server.token)
  const listener = getRequestListener(
    (request, { outgoing }) => {
      if (!('req' in outgoing && 'assignSocket' in outgoing)) return server.fetch(request, {})
      return server.fetch(request, { outgoing, ...defined({ remote: outgoing.socket?.remoteAddress }) })
    },
    { errorHandler: () => errorResponse(new HttpFailure('invalid-input', 'The request is not valid HTTP.').failure) },
  )
  const refuse = getRequestListener(({ url, headers }) => server.refuse(closing, new URL(url).pathname, headers))
  const drain = createDrain()
  const http = createHttpServer({ keepAliveTimeout: 30_000 }, (incoming, outgoing) => {
    if (drain.began && incoming.url !== LIVE_PATH) return void refuse(incoming, outgoing)
    drain.enter(outgoing)
    const here = () => {
      if (!server.answer?.(incoming, outgoing)) void listener(incoming, outgoing)
    }
    if (server.pass) server.pass({ incoming, outgoing }, here)
    else here()
  })
  await startListening(http, port, bind)
  const address = http.address()
  const taken = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://${reachedAt(bind)}:${taken}`,
    port: taken,
    close: (options) => shutDown(http, server, drain, options),
  }
}

/** Where this machine reaches a server that listens on an address. No program opens 0.0.0.0, which stands for every address. */
function reachedAt(bind: string): string {
  if (bind === '0.0.0.0') return '127.0.0.1'
  if (bind === '::') return '[::1]'
  return bind.includes(':') ? `[${bind}]` : bind
}

function startListening(http: HttpServer, port: number, bind: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(describeListenError(error, port, bind), { cause: error })),
    )
    http.listen(port, bind, resolve)
  })
}

function describeListenError(error: NodeJS.ErrnoException, port: number, bind: string): string {
  const where = `${bind}:${port}`
  if (error.code === 'EADDRINUSE') {
    return `Another program listens on ${where}. Stop it, or choose another port: \`foreword start --port PORT\`, gateway.port or FOREWORD_GATEWAY_PORT.`
  }
  if (error.code === 'EADDRNOTAVAIL') return `This machine has no address ${bind}. Set gateway.bind to one it has.`
  if (error.code === 'EACCES') return `This user may not listen on ${where}. Choose a port above 1023.`
  return `The gateway cannot listen on ${where}: ${error.message}.`
}

const closing: Failure = { ...toFailure(closingError()), headers: { 'retry-after': '5', connection: 'close' } }

/** The answers in progress, and whether new ones may begin. */
type Drain = ReturnType<typeof createDrain>

function createDrain() {
  let running = 0
  const empty = Promise.withResolvers<void>()
  const settle = () => void (drain.began && running === 0 && empty.resolve())
  const drain = {
    /** Whether no new answers begin. */
    began: false,
    enter(answer: ServerResponse) {
      running += 1
      answer.once('close', () => {
        running -= 1
        settle()
      })
    },
    /** Stops new answers. Resolves when the last one has been sent. */
    emptied() {
      drain.began = true
      settle()
      return empty.promise
    },
  }
  return drain
}

async function shutDown(
  http: HttpServer,
  server: Server,
  drain: Drain,
  { graceMs = 5_000, meanwhile, hasOthers = false }: CloseOptions = {},
): Promise<void> {
  const { clock } = server
  const cancel = clock.timer(graceMs, () => {
    server.endStreams()
    // What was just written is sent first.
    clock.soon(() => http.closeAllConnections())
  })
  const emptied = drain.emptied()
  server.endStreams({ answers: false })
  await emptied
  cancel()
  // From here on the port itself refuses connections. One that a web server keeps may bring a request at any moment: it is not cut off
  // before it has to be, so that the request is refused and not lost.
  await quietMoment(clock)
  const ended = new Promise((resolve) => PortServer.prototype.close.call(http, resolve))
  try {
    await meanwhile?.()
    if (hasOthers) await takeLastRequests(http, clock)
  } finally {
    const stopSweeping = clock.every(20, () => http.closeIdleConnections())
    const stopWaiting = clock.timer(graceMs, () => http.closeAllConnections())
    await ended
    stopSweeping()
    stopWaiting()
    http.close()
  }
}

/** Waits where connections are kept: what comes on one while it is cut off is lost, and one that is in use has been refused by then. */
async function takeLastRequests(http: HttpServer, clock: Clock): Promise<void> {
  const kept = await new Promise<number>((resolve) => http.getConnections((_, count) => resolve(count ?? 0)))
  if (kept > 0) await clock.sleep(LAST_REQUESTS_MS)
}

/** Longer than a web server in use needs until it comes to each connection again, ms. */
const LAST_REQUESTS_MS = 700

/** A connection that the system has taken, and this process not yet, would be lost with the port: that is closed when there is little to do. */
async function quietMoment(clock: Clock): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) {
    const began = clock.monotonic()
    // oxlint-disable-next-line no-await-in-loop -- one turn after the other
    await clock.yield()
    if (clock.monotonic() - began < 1) return
  }
}
