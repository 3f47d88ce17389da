import { answer, pathTo } from '../answer.ts'
import type { CommandCall } from '../command.ts'
import { connected } from '../connection.ts'
import { exactLine } from '../exact-text.ts'
import { type Io, note, printJson } from '../io.ts'
import { personAgrees } from '../subjects/person-agrees.ts'

/** Removes what other sessions were given of one. */
export async function forgetSession(call: CommandCall, io: Io): Promise<number> {
  const session = call.words[1]!
  const question = `Forget the session ${session} in all others, for good?`
  if (!(await personAgrees(question, call, io))) {
    note(io, 'Nothing was forgotten.')
    return 1
  }
  await connected(call.home, io, 'write', async (connection) => {
    await answer(connection, pathTo('/api/sessions/', session, '/memory'), { method: 'DELETE' })
  })
  if (call.json) printJson(io, { forgotten: session })
  else {
    note(
      io,
      `No other session is given anything of ${exactLine(session)}. Its log stays: \`foreword sessions delete\` removes it.`,
    )
  }
  return 0
}
