import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { SessionStore } from '../../session.ts'
import type { CommandCall, Io } from '../../capability.ts'
import { storedSession } from '../find-session.ts'
import { note } from '../io.ts'
import { noSuchSession, withStore } from '../open-store.ts'
import { fileFailure } from '../read-file.ts'

export async function exportSession(call: CommandCall, io: Io): Promise<number> {
  const word = call.words[1]!
  return await withStore(
    call.home,
    async (store) => {
      const { id } = await storedSession(store, word)
      const file = call.text('output')
      if (file === undefined) await pipeline(await exportLines(store, id), io.stdout, { end: false })
      else await exportTo(file, store, id, io)
      return 0
    },
    () => {
      throw noSuchSession(word)
    },
  )
}

async function exportTo(file: string, store: SessionStore, id: string, io: Io): Promise<void> {
  const lines = await exportLines(store, id)
  try {
    await pipeline(lines, createWriteStream(file, { mode: 0o600 }))
  } catch (error) {
    throw fileFailure(file, 'written', error)
  }
  note(io, `Session ${id} is in ${file}.`)
}

async function exportLines(store: SessionStore, id: string): Promise<Readable> {
  const session = await import('../../session.ts')
  return Readable.from(
    (async function* () {
      for await (const line of session.exportSession(store, id)) yield `${line}\n`
    })(),
  )
}
