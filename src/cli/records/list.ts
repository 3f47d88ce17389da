import type { CommandCall, Io } from '../../capability.ts'
import { connected } from '../connection.ts'
import { exactLine } from '../exact-text.ts'
import { lineLimit, note, print, printJson, width } from '../io.ts'
import { fittedTable, oneLine } from '../table.ts'
import { fieldText } from './field-text.ts'
import { fetchRecords } from './find-record.ts'
import type { LiveRecord, RecordKind } from './record-kind.ts'

/** One agent or project a line. */
export async function listRecords(kind: RecordKind, call: CommandCall, io: Io): Promise<number> {
  const records = await connected(call.home, io, 'read', (connection) => fetchRecords(connection, kind))
  if (call.json) for (const record of records) printJson(io, record)
  else if (records.length === 0)
    note(io, `There are no ${kind.name}s. \`foreword ${kind.name}s new --name NAME\` makes one.`)
  else print(io, recordTable(kind, records, io))
  return 0
}

function recordTable({ columns, text }: RecordKind, records: readonly LiveRecord[], io: Io): string {
  const rows = records.map(({ id, value }) => [
    id,
    exactLine(value.name),
    ...columns.map((column) => exactLine(fieldText(value[column]))),
    oneLine(exactLine(fieldText(value[text]).replaceAll(/\s+/g, ' ')), Math.max(20, width(io) - 60)),
  ])
  const head = ['id', 'name', ...columns, text]
  const spare = head.map((_, column) => column).slice(2)
  return fittedTable([head, ...rows], { columns: lineLimit(io), spare: spare.toReversed() })
}
