import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { makePrivateFolder, withFileLock, writeFileAtomically } from '../../platform.ts'
import type { SessionStore } from '../../session.ts'
import { homeAt } from '../home/home.ts'
import { readHomeSecrets } from '../secrets/home-secrets.ts'
import { loadConfiguration } from '../configuration/load.ts'
import { shareFiles, teamFolders } from './share-files.ts'
import { type SharedOutcome, type SharedHome, shareSettings } from './share-settings.ts'

const named = z.record(z.string(), z.unknown())
const noteSchema = z.object({
  settings: named,
  files: named,
  version: z.int(),
  machine: z.string(),
  giving: z.object({ id: z.string(), settings: named.optional(), files: named.optional() }).optional(),
})

/** What here and the store had when they were the same, in the folder for data. */
type Note = z.infer<typeof noteSchema>

/**
 * Compares what a home shares with the other gateways on its database, and makes both the same: the settings of `config.json` that belong
 * to the team, and then the files of its skills. `looks`: only says what would be.
 */
export async function shareHome(
  at: SharedHome & { readonly warn: (text: string) => void },
  store: Pick<SessionStore, 'value' | 'transaction'>,
  { looks = false } = {},
): Promise<SharedOutcome> {
  const { home, clock, warn } = at
  const { data } = homeAt(home)
  await makePrivateFolder(data)
  const noteFile = join(data, 'shared.json')
  const writeNote = async (note: Note) => void (await writeFileAtomically(noteFile, JSON.stringify(note)))
  return withFileLock(clock, join(data, '.shared-lock'), async () => {
    const kept = await readNote(noteFile)
    const { giving, ...note } = kept ?? { settings: {}, files: {}, version: 0, machine: clock.newId('machine') }
    const aside = join(data, 'set-aside', `files ${clock.time().replaceAll(':', '-')}`)
    const setAside = async (path: string, content: string | Uint8Array) => {
      await mkdir(dirname(join(aside, path)), { recursive: true, mode: 0o700 })
      await writeFileAtomically(join(aside, path), content)
    }
    const settings = await shareSettings(
      at,
      store,
      { ...note, giving: giving?.settings && { ...giving, settings: giving.settings } },
      {
        looks,
        gives: (next) => writeNote({ ...note, giving: next }),
        setAside: (text) => setAside('config.json', text),
      },
    )
    const compared = { ...note, settings: settings.last }
    const { configuration, capabilities } = await loadConfiguration(at)
    const secrets = await readHomeSecrets(at)
    const files = await shareFiles(
      { home, clock, folders: teamFolders(home, configuration, capabilities), secretIn: secrets.findInBytes },
      store,
      { ...note, giving },
      {
        looks,
        gives: (next) => writeNote({ ...compared, giving: { ...next } }),
        async setAside(path, bytes, isConflict) {
          await setAside(path, bytes)
          // Where the folder is there for the first time, its files may be a copy of those of the other one.
          if (kept && isConflict)
            warn(`${join(home, path)} was changed at another gateway, too. Yours is at ${join(aside, path)}.`)
        },
      },
    )
    const outcome = {
      ...settings,
      version: Math.max(settings.version, files.version),
      isChanged: settings.isChanged || files.isChanged,
      isGiven: settings.isGiven || files.isGiven,
      waits: settings.waits || files.waits,
      refused: [...settings.refused, ...files.refused],
    }
    if (looks) return outcome
    if (settings.conflicts.length > 0) {
      const keys = settings.conflicts.join(', ')
      warn(
        `config.json was changed at another gateway, too, and what that one has counts (${keys}). Yours is at ${join(aside, 'config.json')}.`,
      )
    }
    const next: Note = { ...compared, files: files.last, version: outcome.version }
    if (outcome.isGiven || JSON.stringify(next) !== JSON.stringify(kept)) await writeNote(next)
    return outcome
  })
}

async function readNote(file: string): Promise<Note | undefined> {
  try {
    return noteSchema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return undefined
  }
}
