import { defined } from '../../platform.ts'
import type { LogStore } from '../../session.ts'

/** Who began a turn, as the key of its input says. */
export interface Asker {
  readonly bot: number
  readonly update: number
  /** Absent where somebody spoke as a group or a channel. */
  readonly person?: number
}

/** The key of an input: the same message handed in again is the same turn, and whoever began it is known by it. */
export function keyOf({ bot, update, person }: Asker): string {
  return `telegram:${bot}/${update}${person === undefined ? '' : `/${person}`}`
}

/** `undefined` where a turn was begun through another door. */
export async function askerOf(
  store: Pick<LogStore, 'entries'>,
  session: string,
  turn: string,
): Promise<Asker | undefined> {
  const [input] = await store.entries(session, { turn, types: ['input'] })
  const found = /^telegram:(\d+)\/(\d+)(?:\/(\d+))?$/.exec((input?.type === 'input' && input.idempotencyKey) || '')
  if (!found) return undefined
  const [bot, update, person] = found.slice(1).map((digits) => (digits === undefined ? undefined : Number(digits)))
  return { bot: bot!, update: update!, ...defined({ person }) }
}
