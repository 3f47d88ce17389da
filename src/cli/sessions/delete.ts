import { answer, ask, pathTo } from '../answer.ts'
import type { CommandCall, Io } from '../../capability.ts'
import { connected } from '../connection.ts'
import { findSession } from '../find-session.ts'
import { note, printJson } from '../io.ts'
import { personAgrees, purposeOf } from '../person-agrees.ts'
import type { SessionRow } from '../../session.ts'

/** Through the gateway, since a turn may be running in the session. */
export async function deleteSession(call: CommandCall, io: Io): Promise<number> {
  return await connected(call.home, io, purposeOf(call, io), async (connection) => {
    const id = await findSession(connection, call.words[1]!)
    const row = await ask<SessionRow>(connection, pathTo('/api/sessions/', id))
    const question = `Delete session ${row.id} with ${row.turns} turns, for good?`
    if (!(await personAgrees(question, call, io))) {
      note(io, 'Nothing was deleted.')
      return 1
    }
    await answer(connection, pathTo('/api/sessions/', id), { method: 'DELETE' })
    if (call.json) printJson(io, { deleted: id })
    else note(io, `Session ${id} is deleted.`)
    return 0
  })
}
