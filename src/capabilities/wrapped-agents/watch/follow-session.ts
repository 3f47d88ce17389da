import type { GatewayConnection } from '../../../capability.ts'
import { apiPath, requestJson } from '../../../cli.ts'
import { sleep } from '../../../platform.ts'
import type { WatchedCall } from '../watched-call.ts'
import { fetchSessionView, type SessionView } from './session-view.ts'

/** How often a session is looked at, ms. */
const PAUSE = 500

/** The views of a session, one at once and one after each change of its calls, until `signal` is aborted. */
export async function* followSession(
  connection: GatewayConnection,
  session: string,
  signal: AbortSignal,
): AsyncGenerator<SessionView> {
  let seen: string | undefined
  while (!signal.aborted) {
    const mark = await newestMark(connection, session)
    if (mark !== seen) {
      seen = mark
      yield await fetchSessionView(connection, session)
    }
    await sleep(PAUSE, signal)
  }
}

/** Changes with every call, and with what becomes known of the newest one. */
async function newestMark(connection: GatewayConnection, session: string): Promise<string> {
  const path = apiPath('/api/sessions/', session, '/calls?limit=1')
  const { calls } = await requestJson<{ readonly calls: readonly WatchedCall[] }>(connection, path)
  return JSON.stringify(calls)
}
