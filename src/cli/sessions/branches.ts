import type { Branch, CommandCall, Io } from '../../capability.ts'
import { apiPath, requestJson } from '../answer.ts'
import { withConnection } from '../connection.ts'
import { findSession } from '../find-session.ts'
import { lineLimit, printList, safeForTerminal } from '../io.ts'
import { fittedTable, singleLine } from '../table.ts'
import { timeText } from '../time-text.ts'

/** `foreword sessions branches`: prints one branch per line, that of the head first and marked. */
export async function listBranches(call: CommandCall, io: Io): Promise<number> {
  return await withConnection(call.home, io, 'read', async (connection) => {
    const session = await findSession(connection, call.words[1]!)
    const { branches } = await requestJson<{ readonly branches: readonly Branch[] }>(
      connection,
      apiPath('/api/sessions/', session, '/branches'),
    )
    return printList(branches, { empty: 'No turns yet.', table: () => branchTable(branches, io) }, call, io)
  })
}

function branchTable(branches: readonly Branch[], io: Io): string {
  const now = new Date()
  const rows = branches.map(({ leaf, current, after, time, words, turns }) => [
    `${current ? '* ' : ''}${leaf}`,
    after ?? '',
    timeText(time, now),
    String(turns),
    safeForTerminal(singleLine(words, 60), io.stdout),
  ])
  const head = ['last turn', 'leaves after', 'time', 'turns', 'message']
  return fittedTable([head, ...rows], { right: [3], columns: lineLimit(io), spare: [2, 1] })
}
