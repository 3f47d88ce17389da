import type { GatewayConnection, Io } from '../../../capability.ts'
import { readInput, requestJson } from '../../../cli.ts'
import { systemClock } from '../../../platform.ts'
import { isRecord, parseJson } from '../json-text.ts'

/** How long the description of a session may take to arrive, ms. */
const INPUT_LIMIT = 500

/**
 * The client's session in what Claude Code writes to the command of its status line: JSON with `session_id`.
 * `undefined` where nothing like it comes.
 */
export async function clientSessionIn(io: Io): Promise<string | undefined> {
  if (io.stdin.isTTY === true) return undefined
  const read = new AbortController()
  const given = readInput(io).finally(() => read.abort())
  await Promise.race([given, systemClock.sleep(io.firstInputMs ?? INPUT_LIMIT, read.signal)]).catch(() => undefined)
  const text = read.signal.aborted ? await given.catch(() => '') : ''
  // A pipe that stays open would keep this process.
  if (!read.signal.aborted && 'destroy' in io.stdin && typeof io.stdin.destroy === 'function') io.stdin.destroy()
  const value = parseJson(text)
  const id = isRecord(value) ? value['session_id'] : undefined
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** The session that a program calls `id`; `undefined` where it has made no call yet. */
export async function sessionOfClient(connection: GatewayConnection, id: string): Promise<string | undefined> {
  const { sessions } = await requestJson<{ readonly sessions: readonly BoundSession[] }>(
    connection,
    '/api/sessions?limit=200',
  )
  return sessions.find(({ binding }) => binding?.conversation === id)?.id
}

interface BoundSession {
  readonly id: string
  readonly binding?: { readonly conversation: string }
}
