import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { CommandCall, Io } from '../../capability.ts'
import { defined, type KnownSecrets } from '../../platform.ts'
import type { SessionStore } from '../../session.ts'
import { CommandFailure } from '../failure.ts'
import { findStoredSession } from '../find-session.ts'
import { fileFailure } from '../input-text.ts'
import { note, printJson, programCapabilities } from '../io.ts'
import { findHomeStore, unknownSession, withStore, withWritableStore } from '../open-store.ts'

/** `foreword sessions export`: writes the lines of a session to standard output or to a file. */
export async function exportSessionFile(call: CommandCall, io: Io): Promise<number> {
  const word = call.words[1]!
  const { readHomeSecrets } = await import('../../runtime.ts')
  const capabilities = programCapabilities(io)
  const secrets = await readHomeSecrets({ home: call.home, environment: io.environment, capabilities })
  return await withStore(
    await findHomeStore(call.home),
    async (store) => {
      const { id } = await findStoredSession(store, word)
      const file = call.text('output')
      if (file === undefined) await pipeline(await exportLines(store, id, secrets), io.stdout, { end: false })
      else await exportTo(file, await exportLines(store, id, secrets), id, io)
      return 0
    },
    () => {
      throw unknownSession(word)
    },
  )
}

async function exportTo(file: string, lines: Readable, id: string, io: Io): Promise<void> {
  try {
    await pipeline(lines, createWriteStream(file, { mode: 0o600 }))
  } catch (error) {
    throw fileFailure(file, 'written', error)
  }
  note(io, `Exported session ${id} to ${file}.`)
}

async function exportLines(store: SessionStore, id: string, secrets: KnownSecrets): Promise<Readable> {
  const session = await import('../../session.ts')
  return Readable.from(
    (async function* () {
      for await (const line of session.exportSession(store, id, secrets)) yield `${line}\n`
    })(),
  )
}

/** `foreword sessions import`: writes a session in one transaction, so that a running gateway sees all of it at once. */
export async function importSessionFile(call: CommandCall, io: Io): Promise<number> {
  const session = await import('../../session.ts')
  const as = call.text('as')
  const file = call.words[1]!
  // An imported turn that has not ended must not resume here.
  const endsTurnsAt = new Date().toISOString()
  const id = await withWritableStore(await findHomeStore(call.home), (store) =>
    session
      .importSession(
        store,
        file === '-' ? createInterface({ input: io.stdin, crlfDelay: Infinity }) : fileLines(file),
        { ...defined({ as }), endsTurnsAt },
      )
      .catch((error: unknown) => {
        if (!(error instanceof session.StoreError)) throw error
        const from = file === '-' ? 'standard input' : file
        throw new CommandFailure(error.code, `Cannot import ${from}. ${error.message}`, {
          hint: error.code === 'conflict' ? 'Import it under another id with `--as ID`.' : undefined,
          cause: error,
        })
      }),
  )
  if (call.json) printJson(io, { imported: id })
  else note(io, `Imported session ${id}. Show it with \`foreword sessions show ${id}\`.`)
  return 0
}

async function* fileLines(file: string): AsyncGenerator<string> {
  try {
    yield* (await open(file)).readLines()
  } catch (error) {
    throw fileFailure(file, 'read', error)
  }
}
