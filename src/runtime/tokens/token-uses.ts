import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, serialQueue, writeFileAtomically } from '../../platform.ts'
import { homeAt } from '../home/home.ts'

export type TokenUses = ReturnType<typeof openTokenUses>

/** Uses within this time are one, ms. */
const GRAIN = 60_000

export function openTokenUses({ home, clock }: { readonly home: string; readonly clock: Clock }) {
  const path = join(homeAt(home).data, 'token-uses.json')
  const queue = serialQueue()
  const noted = new Map<string, number>()

  async function write(): Promise<void> {
    const kept = await readUses(path)
    for (const [name, time] of noted) kept[name] = new Date(time).toISOString()
    await writeFileAtomically(path, `${JSON.stringify(kept, undefined, 2)}\n`)
  }

  return {
    /** Notes a use. Returns at once; the file follows, at most once a minute for each token. */
    note(name: string) {
      const time = clock.now()
      if (time - (noted.get(name) ?? -Infinity) < GRAIN) return
      noted.set(name, time)
      // A token works without a note of when it did.
      void queue.add(write).catch(() => {})
    },
    /** ISO 8601, by the name of the token. */
    all: () => queue.add(() => readUses(path)),
    /** Resolves when what was noted is on disk; `undefined`: all of it is. Never rejects. */
    idle: queue.idle,
  }
}

/** A file that is missing or damaged is one without uses. */
async function readUses(path: string): Promise<Record<string, string>> {
  try {
    const read: unknown = JSON.parse(await readFile(path, 'utf8'))
    const uses = typeof read === 'object' && read !== null ? Object.entries(read) : []
    return Object.fromEntries(uses.filter((each): each is [string, string] => typeof each[1] === 'string'))
  } catch {
    return {}
  }
}
