import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { refusal } from './answer.ts'
import { type Server } from './create-server.ts'
import { HttpFailure } from './failure.ts'
import { assertBindIsSafe } from './loopback.ts'

/** An open port. */
export interface Listening {
  /** Such as `http://127.0.0.1:4141`. */
  readonly url: string
  readonly port: number
  /** Takes no more requests, ends streams, waits up to `graceMs` (5 s unless said) for answers, and lets the port go. */
  close(options?: { graceMs?: number }): Promise<void>
}

/** Opens a port for a server. Port 0 takes a free one. Rejects with what to do where the port cannot be had. */
export async function listen(server: Server, { port, bind }: { port: number; bind: string }): Promise<Listening> {
  assertBindIsSafe(bind, server.token)
  const listener = getRequestListener((request, bindings) => server.fetch(request, bindingsOf(bindings)), {
    errorHandler: () =>
      refusal(new HttpFailure(400, 'invalid-input', 'The request is not HTTP as it should be.').failure, '/'),
  })
  const http = createHttpServer({ keepAliveTimeout: 30_000 }, (incoming, outgoing) => void listener(incoming, outgoing))
  await opened(http, port, bind)
  const address = http.address()
  const taken = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://${bind.includes(':') ? `[${bind}]` : bind}:${taken}`,
    port: taken,
    close: ({ graceMs = 5_000 } = {}) => closed(http, server, graceMs),
  }
}

function bindingsOf(bindings: Parameters<Parameters<typeof getRequestListener>[0]>[1]): Parameters<Server['fetch']>[1] {
  return 'req' in bindings.outgoing && 'assignSocket' in bindings.outgoing ? { outgoing: bindings.outgoing } : {}
}

function opened(http: HttpServer, port: number, bind: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(cannotListen(error, port, bind), { cause: error })),
    )
    http.listen(port, bind, resolve)
  })
}

function cannotListen(error: NodeJS.ErrnoException, port: number, bind: string): string {
  const where = `${bind}:${port}`
  if (error.code === 'EADDRINUSE') {
    return `Another program listens on ${where}. Stop it, or choose another port with gateway.port (FOREWORD_GATEWAY_PORT).`
  }
  if (error.code === 'EADDRNOTAVAIL') return `This machine has no address ${bind}. Set gateway.bind to one it has.`
  if (error.code === 'EACCES') return `This user may not listen on ${where}. Choose a port above 1023.`
  return `The gateway cannot listen on ${where}: ${error.message}.`
}

function closed(http: HttpServer, server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => http.closeAllConnections(), graceMs)
    // A connection that answers its last request becomes idle later on.
    const sweep = setInterval(() => http.closeIdleConnections(), 20)
    http.close(() => {
      clearTimeout(timer)
      clearInterval(sweep)
      resolve()
    })
    server.endStreams()
  })
}
