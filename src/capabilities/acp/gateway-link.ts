import type { GatewayConnection, Io } from '../../capability.ts'
import { CommandFailure, connectToHome } from '../../cli.ts'

export interface GatewayLink extends Pick<GatewayConnection, 'fetch'> {
  open(): Promise<void>
  close(): Promise<void>
}

/**
 * Connects with the first request: to the gateway that runs, or to one in this process, which then holds the home.
 * Where a running gateway stops, the next request finds its successor, or opens the home here.
 */
export function gatewayLink(home: string, io: Io): GatewayLink {
  let current: Promise<GatewayConnection> | undefined
  let isClosed = false

  function connection(): Promise<GatewayConnection> {
    if (isClosed) return Promise.reject(new CommandFailure('closing', 'The editor has disconnected.'))
    if (current) return current
    const opening = connectToHome(home, io, 'write').catch(throwBusy)
    current = opening
    opening.catch(() => forget(opening))
    return opening
  }

  function forget(opening: Promise<GatewayConnection>): void {
    if (current === opening) current = undefined
  }

  return {
    async open() {
      await connection()
    },
    async fetch(path, init) {
      const opening = connection()
      const gateway = await opening
      try {
        return await gateway.fetch(path, init)
      } catch (error) {
        if (init?.signal?.aborted || gateway.inProcess) throw error
        forget(opening)
        throw new CommandFailure('network', 'The gateway has stopped.', {
          hint: 'Try again: the next request finds its successor, or opens the home in this process.',
          cause: error,
        })
      }
    },
    async close() {
      isClosed = true
      const gateway = await current?.catch(() => undefined)
      await gateway?.close()
    },
  }
}

/** What holds a home without an address is most often another editor. */
function throwBusy(error: unknown): never {
  if (!(error instanceof CommandFailure) || error.code !== 'home-busy') throw error
  throw new CommandFailure('home-busy', error.message, {
    hint: 'If that is another editor, close it, start a gateway with `foreword start`, and both can use it. Or give this editor another home with FOREWORD_HOME.',
    cause: error,
  })
}
