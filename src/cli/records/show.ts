import type { CommandCall, Io } from '../../capability.ts'
import { connected } from '../connection.ts'
import { exactLine } from '../exact-text.ts'
import { print, printJson } from '../io.ts'
import { harmless, styled } from '../style.ts'
import { table } from '../table.ts'
import { fullTimeText } from '../time-text.ts'
import { fieldText } from './field-text.ts'
import { findRecord } from './find-record.ts'
import type { LiveRecord, RecordKind } from './record-kind.ts'

/** One agent or project, with everything that it says to the model. */
export async function showRecord(kind: RecordKind, call: CommandCall, io: Io): Promise<number> {
  const record = await connected(call.home, io, 'read', (connection) => findRecord(connection, kind, call.words[1]!))
  if (call.json) printJson(io, record)
  else tellRecord(kind, record, io)
  return 0
}

function tellRecord({ text }: RecordKind, { id, version, time, value }: LiveRecord, io: Io): void {
  const { name, [text]: said, ...others } = value
  const fields = Object.entries(others).map(([field, given]) => [field, exactLine(fieldText(given))])
  print(io, styled(io, 'bold', exactLine(name)))
  print(io, table([['id', id], ['version', `${version}, ${fullTimeText(time, new Date())}`], ...fields]))
  const words = fieldText(said).trimEnd()
  if (words !== '') print(io, `\n${harmless(words, io.stdout)}`)
}
