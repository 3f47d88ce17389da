import type { WaitingApproval } from '../../runtime.ts'
import type { CommandCall, Io } from '../../capability.ts'
import { connected } from '../connection.ts'
import { argvText, exactLine } from '../exact-text.ts'
import { lineLimit, note, print, printJson, width } from '../io.ts'
import { fittedTable, oneLine } from '../table.ts'
import { timeText } from '../time-text.ts'
import { waitingApprovals } from './waiting.ts'

/** One waiting call a line. */
export async function listWaiting(call: CommandCall, io: Io): Promise<number> {
  const waiting = await connected(call.home, io, 'read', waitingApprovals)
  if (call.json) for (const waits of waiting) printJson(io, waits)
  else if (waiting.length === 0) note(io, 'Nothing waits for you.')
  else print(io, waitingTable(waiting, io))
  return 0
}

function waitingTable(waiting: readonly WaitingApproval[], io: Io): string {
  const head = ['id', 'session', 'since', 'tool', 'call']
  const now = new Date()
  const rows = waiting.map((waits) => [
    exactLine(waits.approval),
    exactLine(waits.session),
    exactLine(timeText(waits.time, now)),
    exactLine(waits.request.tool),
    oneLine(shortCall(waits), Math.max(20, width(io) - 40)),
  ])
  return fittedTable([head, ...rows], { columns: lineLimit(io), spare: [1, 2] })
}

function shortCall({ request: { argv, command, input } }: WaitingApproval): string {
  if (argv !== undefined) return argvText(argv)
  return exactLine(command ?? JSON.stringify(input) ?? '')
}
