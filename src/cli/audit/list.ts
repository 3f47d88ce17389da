import type { AuditRecord } from '../../session.ts'
import type { CommandCall, Io } from '../../capability.ts'
import { argvText, exactLine } from '../exact-text.ts'
import { lineLimit, note, print, width } from '../io.ts'
import { withStore } from '../open-store.ts'
import { harmless } from '../style.ts'
import { fittedTable, oneLine } from '../table.ts'
import { timeText } from '../time-text.ts'
import { filterOf, withWholeIds } from './filter.ts'

const USUAL = 50

/** One record a line, oldest first. */
export async function listAudit(call: CommandCall, io: Io): Promise<number> {
  const filter = { last: USUAL, ...filterOf(call) }
  const records = await withStore(
    call.home,
    async (store) => store.audit(await withWholeIds(store, filter)),
    () => [],
  )
  if (call.json) for (const record of records) print(io, harmless(JSON.stringify(record), io.stdout))
  else if (records.length === 0) note(io, 'There are no such records.')
  else print(io, auditTable(records, io))
  return 0
}

function auditTable(records: readonly AuditRecord[], io: Io): string {
  const head = ['record', 'time', 'outcome', 'tool', 'call', 'rule', 'exit', 'ms', 'session']
  const most = Math.max(24, width(io) - 60)
  const now = new Date()
  const rows = records.map((record) => [
    String(record.number),
    exactLine(timeText(record.time, now)),
    outcomeOf(record),
    oneLine(exactLine(record.tool ?? ''), 40),
    oneLine(callOf(record), most),
    oneLine(exactLine(record.rule ?? ''), 60),
    String(record.exitCode ?? ''),
    typeof record.durationMs === 'number' ? String(Math.round(record.durationMs)) : '',
    exactLine(record.session ?? ''),
  ])
  return fittedTable([head, ...rows], { right: [0, 6, 7], columns: lineLimit(io), spare: [8, 7, 6, 0, 5] })
}

/** What was decided; of a call that ran, how it went. */
function outcomeOf({ kind, decision, ok }: AuditRecord): string {
  if (kind === 'damaged') return 'damaged'
  if (kind === 'change') return changeOutcome(decision, ok)
  if (kind === 'call' && typeof ok === 'boolean') return ok ? 'ran' : 'failed'
  return exactLine(decision ?? '')
}

/** A change that was only asked for, or denied, or that failed, has changed nothing. */
function changeOutcome(decision: AuditRecord['decision'], ok: boolean | undefined): string {
  if (ok === false) return 'failed'
  return decision === 'asked' || decision === 'denied' ? decision : 'changed'
}

/** What would run or ran, as exactly as is known. */
function callOf({ argv, command, input, reason }: AuditRecord): string {
  if (argv) return argvText(argv)
  return exactLine(command ?? input ?? reason ?? '')
}
