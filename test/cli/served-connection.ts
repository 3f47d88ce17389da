import type { Connection } from '../../src/cli/connection.ts'
import type { Runtime } from '../../src/runtime.ts'
import { served } from '../server/served.ts'

/** The way to a gateway over a runtime in memory: inside the process of the command, or one that runs beside it. */
export function servedConnection(runtime: Runtime, where: 'in-process' | 'running'): Connection {
  const { server, request } = served(runtime)
  return {
    fetch: (path, init = {}) =>
      request(path, {
        method: init.method ?? 'GET',
        ...(typeof init.body === 'string' ? { body: init.body } : {}),
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(init.signal ? { signal: init.signal } : {}),
      }),
    close: () => {
      server.endStreams()
      return Promise.resolve()
    },
    inProcess: where === 'in-process',
  }
}
