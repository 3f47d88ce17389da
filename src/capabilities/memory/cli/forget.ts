import { answer, connected, findSession, note, pathTo, personAgrees, printJson, purposeOf } from '../../../cli.ts'
import type { CommandCall, Io } from '../../../capability.ts'

/** Removes what other sessions were given of one. */
export async function forgetSession(call: CommandCall, io: Io): Promise<number> {
  return await connected(call.home, io, purposeOf(call, io), async (connection) => {
    const session = await findSession(connection, call.words[1]!)
    if (!(await personAgrees(`Forget the session ${session} in all others, for good?`, call, io))) {
      note(io, 'Nothing was forgotten.')
      return 1
    }
    await answer(connection, pathTo('/api/sessions/', session, '/memory'), { method: 'DELETE' })
    if (call.json) printJson(io, { forgotten: session })
    else {
      note(
        io,
        `No other session is given anything of ${session}. Its log stays: \`foreword sessions delete\` removes it.`,
      )
    }
    return 0
  })
}
