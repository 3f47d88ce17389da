import { authorized } from './authorized.ts'
import type { Connection, Io } from '../capability.ts'
import { openGateway, serverOf } from './gateway.ts'
import { note } from './io.ts'
import { configurationWithWarnings } from './load-configuration.ts'
import { version } from './version.ts'

/** A gateway inside this process that opens no port. `undefined`: another process was quicker to take the home. */
export async function localGateway(home: string, io: Io): Promise<Connection | undefined> {
  const { StoreError } = await import('../session.ts')
  try {
    const { server, token, close } = await openGateway(home, io, (text) => note(io, text))
    return connectionTo(server, token, close)
  } catch (error) {
    if (error instanceof StoreError && error.code === 'claimed') return undefined
    throw error
  }
}

/** The same for looking only: it holds nothing, so it works beside any other process on the home. */
export async function readingGateway(home: string, io: Io): Promise<Connection> {
  const { capabilities, configuration } = await configurationWithWarnings(home, io)
  const { openRuntime } = await import('../runtime.ts')
  const { environment } = io
  const options = { home, capabilities, configuration, environment, version: version() }
  const runtime = await openRuntime({ ...options, recovers: false, onlyReads: true })
  return connectionTo(await serverOf(runtime, configuration, undefined, io), undefined, () => runtime.close())
}

interface Doors {
  fetch(request: Request): Promise<Response>
}

function connectionTo(server: Doors, token: string | undefined, close: () => Promise<void>): Connection {
  return {
    fetch: (path, init = {}) => server.fetch(new Request(new URL(path, 'http://127.0.0.1'), authorized(init, token))),
    close,
    inProcess: true,
  }
}
