import { withToken } from '../../src/cli/answer.ts'
import type { GatewayConnection } from '../../src/capability.ts'
import type { Runtime } from '../home/features.ts'
import { served, TOKEN } from '../server/served.ts'

/** The way to a gateway over a runtime in memory: inside the process of the command, or one that runs beside it. */
export function servedConnection(runtime: Runtime, where: 'in-process' | 'running'): GatewayConnection {
  const { server } = served(runtime)
  return {
    fetch: (path, init = {}) => server.fetch(new Request(`http://127.0.0.1:4141${path}`, withToken(init, TOKEN))),
    close: () => {
      server.endStreams()
      return Promise.resolve()
    },
    inProcess: where === 'in-process',
  }
}
