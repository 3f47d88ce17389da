import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { CommandCall } from '../command.ts'
import { type Io, note, printJson } from '../io.ts'
import { withWritableStore } from '../open-store.ts'
import { fileFailure } from '../read-file.ts'

/** Straight into the store, in one transaction: a running gateway sees the session at once, whole. */
export async function importSession(call: CommandCall, io: Io): Promise<number> {
  const session = await import('../../session.ts')
  const lines = await linesOf(call.words[1]!, io)
  const as = call.text('as')
  const id = await withWritableStore(call.home, (store) =>
    session.importSession(store, lines, as === undefined ? {} : { as }),
  )
  if (call.json) printJson(io, { imported: id })
  else note(io, `Session ${id} is here. \`foreword sessions show ${id}\` shows it.`)
  return 0
}

async function linesOf(file: string, io: Io): Promise<AsyncIterable<string>> {
  if (file === '-') return createInterface({ input: io.stdin, crlfDelay: Infinity })
  try {
    return (await open(file)).readLines()
  } catch (error) {
    throw fileFailure(file, 'read', error)
  }
}
