import { defined } from '../../platform.ts'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { CommandCall, Io } from '../../capability.ts'
import { CommandFailure } from '../failure.ts'
import { note, printJson } from '../io.ts'
import { homeStore, withWritableStore } from '../open-store.ts'
import { fileFailure } from '../read-file.ts'

/** Straight into the store, in one transaction: a running gateway sees the session at once, whole. */
export async function importSession(call: CommandCall, io: Io): Promise<number> {
  const session = await import('../../session.ts')
  const as = call.text('as')
  // What somebody else has written begins nothing here.
  const endsTurnsAt = new Date().toISOString()
  const id = await withWritableStore(await homeStore(call.home, io), (store) =>
    session
      .importSession(store, linesOf(call.words[1]!, io), { ...defined({ as }), endsTurnsAt })
      .catch((error: unknown) => {
        if (!(error instanceof session.StoreError) || error.code !== 'conflict') throw error
        throw new CommandFailure('conflict', error.message, { hint: '`--as ID` does.', cause: error })
      }),
  )
  if (call.json) printJson(io, { imported: id })
  else note(io, `Session ${id} is here. \`foreword sessions show ${id}\` shows it.`)
  return 0
}

function linesOf(file: string, io: Io): AsyncIterable<string> {
  return file === '-' ? createInterface({ input: io.stdin, crlfDelay: Infinity }) : linesOfFile(file)
}

async function* linesOfFile(file: string): AsyncGenerator<string> {
  try {
    yield* (await open(file)).readLines()
  } catch (error) {
    throw fileFailure(file, 'read', error)
  }
}
