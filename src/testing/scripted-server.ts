import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server on the loopback interface, for tests over real connections. */
export interface ScriptedServer {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  close(): Promise<void>
}

/** Starts a server. Where `handle` rejects after the headers were sent, the connection breaks; otherwise `fail` answers. */
export async function scriptedServer(
  handle: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>,
  fail: (error: unknown, response: ServerResponse) => void,
  port = 0,
): Promise<ScriptedServer> {
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      if (response.destroyed || response.headersSent) return response.destroy()
      fail(error, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
