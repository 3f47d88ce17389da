import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AuditOptions, AuditStore } from '../../session.ts'
import type { CommandCall } from '../command.ts'
import { type Io, note } from '../io.ts'
import { withStore } from '../open-store.ts'
import { fileFailure } from '../read-file.ts'
import { harmless } from '../style.ts'
import { filterOf, withWholeIds } from './filter.ts'

const PAGE = 500

/** Complete records as JSON Lines, oldest first. */
export async function exportAudit(call: CommandCall, io: Io): Promise<number> {
  const filter = filterOf(call)
  const file = call.text('output')
  const found = await withStore(
    call.home,
    async (store) => {
      await write(recordLines(store, await withWholeIds(store, filter)), file, io)
      return true
    },
    () => false,
  )
  if (!found) await write([], file, io)
  if (file !== undefined) note(io, `The audit is in ${file}.`)
  return 0
}

async function write(lines: AsyncIterable<string> | Iterable<string>, file: string | undefined, io: Io): Promise<void> {
  const source = Readable.from(lines)
  if (file === undefined) {
    const shown = source.map((line: string) => harmless(line, io.stdout))
    return await pipeline(shown, io.stdout, { end: false })
  }
  try {
    await pipeline(source, createWriteStream(file, { mode: 0o600 }))
  } catch (error) {
    throw fileFailure(file, 'written', error)
  }
}

async function* recordLines(store: AuditStore, filter: AuditOptions): AsyncGenerator<string> {
  if (filter.last !== undefined) {
    for (const record of await store.audit(filter)) yield `${JSON.stringify(record)}\n`
    return
  }
  for (let after = 0; ;) {
    const page = await store.audit({ ...filter, after, limit: PAGE })
    for (const record of page) yield `${JSON.stringify(record)}\n`
    if (page.length < PAGE) return
    after = page.at(-1)!.number
  }
}
