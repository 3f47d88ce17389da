import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { makePrivateFolder, withFileLock, writeFileAtomically } from '../../platform.ts'
import type { SessionStore } from '../../session.ts'
import { homeAt } from '../home/home.ts'
import { type SharedNote, type SharedOutcome, type SharingHome, shareSettings } from './share-settings.ts'

const named = z.record(z.string(), z.unknown())
const noteSchema = z.object({
  settings: named,
  machine: z.string(),
  giving: z.object({ id: z.string(), settings: named }).optional(),
})

/**
 * Compares what a home shares with the other gateways on its database, and makes both the same: the settings of `config.json` that belong
 * to the team. `looks`: only says what would be.
 */
export async function shareHome(
  at: SharingHome & { readonly warn: (text: string) => void },
  store: Pick<SessionStore, 'value' | 'transaction'>,
  { looks = false } = {},
): Promise<SharedOutcome> {
  const { data } = homeAt(at.home)
  await makePrivateFolder(data)
  const noteFile = join(data, 'shared.json')
  return withFileLock(at.clock, join(data, '.shared-lock'), async () => {
    const note = (await readNote(noteFile)) ?? { settings: {}, machine: at.clock.newId('machine') }
    let aside = ''
    const outcome = await shareSettings(at, store, note, {
      looks,
      gives: async (giving) => void (await writeFileAtomically(noteFile, JSON.stringify({ ...note, giving }))),
      async setAside(text) {
        const folder = join(data, 'set-aside', `files ${at.clock.time().replaceAll(':', '-')}`)
        await mkdir(folder, { recursive: true, mode: 0o700 })
        aside = join(folder, 'config.json')
        await writeFileAtomically(aside, text)
      },
    })
    if (looks) return outcome
    if (aside !== '') {
      const keys = outcome.conflicts.join(', ')
      at.warn(
        `config.json was changed at another gateway, too, and what that one has counts (${keys}). Yours is at ${aside}.`,
      )
    }
    const next = JSON.stringify({ settings: outcome.last, machine: note.machine })
    if (outcome.isGiven || next !== JSON.stringify(note)) await writeFileAtomically(noteFile, next)
    return outcome
  })
}

async function readNote(file: string): Promise<SharedNote | undefined> {
  try {
    return noteSchema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return undefined
  }
}
