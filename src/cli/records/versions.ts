import { ask, pathTo } from '../answer.ts'
import type { CommandCall, Io } from '../../capability.ts'
import { connected } from '../connection.ts'
import { exactLine } from '../exact-text.ts'
import { usageFailure } from '../failure.ts'
import { note, print, printJson, width } from '../io.ts'
import { oneLine, table } from '../table.ts'
import { timeText } from '../time-text.ts'
import { fieldText } from './field-text.ts'
import { idOf } from './find-record.ts'
import type { KeptRecord, RecordKind } from './record-kind.ts'

/** Every version, newest first. */
export async function listVersions(kind: RecordKind, call: CommandCall, io: Io): Promise<number> {
  const { versions } = await connected(call.home, io, 'read', async (connection) => {
    const id = await idOf(connection, kind, call.words[1]!)
    return await ask<{ versions: readonly KeptRecord[] }>(connection, pathTo(`/api/${kind.name}s/`, id, '/versions'))
  })
  if (call.json) for (const version of versions) printJson(io, version)
  else print(io, versionTable(kind, versions, io))
  return 0
}

/** Makes an earlier version the newest, also of what was removed: then its id has to be named. */
export async function restoreVersion(kind: RecordKind, call: CommandCall, io: Io): Promise<number> {
  const version = versionNamed(call.words[2]!)
  const restored = await connected(call.home, io, 'write', async (connection) => {
    const id = await idOf(connection, kind, call.words[1]!)
    const path = pathTo(`/api/${kind.name}s/`, id, '/restore')
    return await ask<KeptRecord>(connection, path, { method: 'POST', body: { version } })
  })
  if (call.json) printJson(io, restored)
  else
    note(io, `Version ${version} of ${exactLine(restored.value!.name)} counts again, as version ${restored.version}.`)
  return 0
}

/** Throws a usage failure for what is no version. */
export function versionNamed(word: string): number {
  if (/^[1-9]\d{0,8}$/.test(word)) return Number(word)
  throw usageFailure(`${word} is no version.`, 'A version is a number, from 1 on; `versions` lists them.')
}

function versionTable({ text }: RecordKind, versions: readonly KeptRecord[], io: Io): string {
  const now = new Date()
  const rows = versions.map(({ version, time, value }) => [
    String(version),
    timeText(time, now),
    value === undefined ? '(removed)' : exactLine(value.name),
    oneLine(exactLine(fieldText(value?.[text]).replaceAll(/\s+/g, ' ')), Math.max(20, width(io) - 60)),
  ])
  return table([['version', 'time', 'name', text], ...rows], [0])
}
