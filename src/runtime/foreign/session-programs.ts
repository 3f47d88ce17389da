import type { SessionProgram } from '../../capability.ts'
import { defined } from '../../platform.ts'
import type { SessionRow, SessionStore } from '../../session.ts'
import { programOf } from '../sessions/own-session.ts'

/** The program of each session that belongs to one, by the id of the session. */
export async function sessionPrograms(
  store: Pick<SessionStore, 'entries' | 'calls'>,
  sessions: readonly SessionRow[],
): Promise<ReadonlyMap<string, SessionProgram>> {
  const programs = new Map<string, SessionProgram>()
  for (const { id, turns, entries } of sessions) {
    // A turn is of this gateway: a session that has one belongs to no other program.
    const name = turns > 0 ? undefined : await programOf(store, id)
    if (name === undefined) continue
    const [newest] = await store.calls(id, { last: 1 })
    programs.set(id, { name, ...defined({ version: newest?.foreign?.version }), calls: Math.max(0, entries - 1) })
  }
  return programs
}
