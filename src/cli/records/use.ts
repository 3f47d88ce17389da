import { ask, pathTo } from '../answer.ts'
import type { CommandCall, Io } from '../../capability.ts'
import { connected } from '../connection.ts'
import { exactLine } from '../exact-text.ts'
import { usageFailure } from '../failure.ts'
import { findSession } from '../find-session.ts'
import { note, printJson } from '../io.ts'
import { findRecord } from './find-record.ts'
import type { RecordKind } from './record-kind.ts'

/** Gives a session an agent or a project from its next turn on; without a word it takes it from the session. */
export async function useRecord(kind: RecordKind, call: CommandCall, io: Io): Promise<number> {
  const named = call.text('session')
  const [, word] = call.words
  if (named === undefined) {
    throw usageFailure('A session has to be named.', `Write \`foreword ${kind.name}s use ID --session SESSION\`.`)
  }
  const { session, found } = await connected(call.home, io, 'write', async (connection) => {
    const id = await findSession(connection, named)
    const record = word === undefined ? undefined : await findRecord(connection, kind, word)
    const body = { [kind.name]: record?.id ?? null }
    await ask(connection, pathTo('/api/sessions/', id), { method: 'PATCH', body })
    return { session: id, found: record }
  })
  if (call.json) printJson(io, { session, [kind.name]: found?.id ?? null })
  else note(io, `${usedText(kind, found && exactLine(found.value.name))} from the next turn of ${session} on.`)
  return 0
}

function usedText({ name }: RecordKind, used: string | undefined): string {
  if (used === undefined) return name === 'agent' ? 'The default agent answers' : 'No project counts'
  return name === 'agent' ? `${used} answers` : `${used} counts`
}
