import { contentHash } from '../content.ts'
import type { Write } from '../session-store.ts'
import { putAudit, removeArchived } from './audit-table.ts'
import type { CallBase } from './call-difference.ts'
import { finishCall, putCall, type SerializedCall, serializeCall } from './call-table.ts'
import type { Sql } from './sql.ts'
import { putContent, putHeldContent } from './content-table.ts'
import { append, type LastAppends, serializeBodies } from './entry-table.ts'
import { putFile, setFileOwner, setFileState } from './file-table.ts'
import { putRecord } from './record-table.ts'
import { bind } from './session-table.ts'
import { cutLongTexts, type LongText } from './text-parts.ts'
import { putValue, replaceValue } from './value-table.ts'

export interface PreparedWrite {
  /** About how much it writes. */
  readonly characters: number
  /** To be run within a transaction. Returns the entries that it wrote, where it appends. */
  readonly run: () => Sql<unknown>
  /** To which it appends. */
  readonly session?: string
  readonly call?: SerializedCall
  /** Texts that are too long for one row. `put` is told where they were written. */
  readonly long?: readonly { readonly texts: readonly LongText[]; put(parts: string): void }[]
}

/** Serializes one write. */
export function prepareWrite(
  write: Write,
  newestCalls: ReadonlyMap<string, CallBase>,
  lastAppends: LastAppends,
): PreparedWrite {
  if (write.type === 'append') {
    const { session, time } = write
    const made = serializeBodies(write.bodies)
    const characters = made.data.reduce((sum, data) => sum + data.length, 0)
    const long = Array.from(made.texts, ([index, texts]) => ({
      texts,
      put: (parts: string) => made.parts.set(index, parts),
    }))
    const run = () => append(lastAppends, session, made, time)
    return { characters, run, session, ...(long.length > 0 && { long }) }
  }
  if (write.type === 'call') {
    const call = serializeCall(write.record, newestCalls.get(write.record.session ?? ''))
    return { characters: call.row.record.length, run: () => putCall(call), call }
  }
  if (write.type === 'content') return prepareContent({ ...write, hash: contentHash(write.text) })
  return { characters: 0, run: () => apply(write) }
}

export function prepareContent({
  text,
  hash,
  holds,
  shared,
}: Pick<Extract<Write, { type: 'content' }>, 'text' | 'holds' | 'shared'> & { readonly hash: string }): PreparedWrite {
  const texts: LongText[] = []
  const short = String(cutLongTexts(text, texts))
  let parts: string | null = null
  return {
    characters: short.length,
    run: () => (holds ? putHeldContent(short, hash, holds, shared, parts) : putContent(short, hash, parts)),
    ...(texts.length > 0 && { long: [{ texts, put: (made: string) => void (parts = made) }] }),
  }
}

function apply(write: Exclude<Write, { readonly type: 'append' | 'call' | 'content' }>): Sql<unknown> {
  switch (write.type) {
    case 'call-outcome':
      return finishCall(write.id, write.outcome)
    case 'value':
      return write.was ? replaceValue(write.key, write.value, write.was.value) : putValue(write.key, write.value)
    case 'binding':
      return bind(write.binding, write.session)
    case 'record':
      return putRecord(write.change, write.time)
    case 'file':
      return putFile(write.row)
    case 'file-state':
      return setFileState(write.id, write.state)
    case 'file-owner':
      return setFileOwner(write.id, write.owner)
    case 'audit':
      return putAudit(write.facts, write.time)
    case 'audit-archived':
      return removeArchived(write.archived)
  }
}

/** The ids of the calls whose outcome is among some writes, for `watchCalls`. */
export function endedCalls(writes: readonly Write[]): readonly string[] {
  return writes.flatMap((write) => {
    if (write.type === 'call-outcome') return [write.id]
    return write.type === 'call' && write.record.outcome ? [write.record.id] : []
  })
}
