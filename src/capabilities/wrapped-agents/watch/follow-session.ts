import type { GatewayConnection } from '../../../capability.ts'
import { apiPath, requestJson } from '../../../cli.ts'
import { systemClock } from '../../../platform.ts'
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
    await systemClock.sleep(PAUSE, signal)
  }
}

/** Changes with every call, and costs little to ask for. */
async function newestMark(connection: GatewayConnection, session: string): Promise<string> {
  return JSON.stringify(await requestJson<unknown>(connection, apiPath('/api/sessions/', session)))
}
