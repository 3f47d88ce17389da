import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type Clock, errorMessage } from '../../platform.ts'
import { openStore, storePath } from '../../session.ts'
import { accessFilePath, homeAt } from '../home/home.ts'
import { acceptedAccess, type AcceptedPolicy, readAccepted } from '../tools/edit-access.ts'
import { widenedWords } from '../tools/pinned-policy.ts'
import type { ArchivedFile } from './read-archive.ts'

/** What an archive brings that can do more than be read. It is shown before anything of it is put in place. */
export interface RestoredContent {
  /** Who signed the archive: the id of the key. Absent where it has no signature. */
  readonly key?: string
  /** The key is that of the home, or the one that was asked for. */
  readonly isTrusted: boolean
  /** What its policy lets through beyond what this home has accepted, in sentences. */
  readonly policy: readonly string[]
  /** What it runs beside the gateway without a sandbox, as clauses: plugins, modules, MCP servers. */
  readonly programs: readonly string[]
  /** Links, as `path -> target`. */
  readonly links: readonly string[]
}

interface ContentParts {
  readonly home: string
  readonly arriving: string
  readonly clock: Clock
  readonly findPrograms: (home: string) => Promise<readonly string[]>
  readonly links: readonly ArchivedFile[]
}

export async function restoredContent(
  { home, arriving, clock, findPrograms, links }: ContentParts,
  signed: Pick<RestoredContent, 'key' | 'isTrusted'>,
): Promise<RestoredContent> {
  const accepted = await acceptedIn(home, clock)
  return {
    ...signed,
    policy: widenedWords(acceptedAccess(accepted ?? { text: '' }), await policyText(arriving)),
    programs: await findPrograms(arriving).catch((error: unknown) => [
      `the configuration cannot be read: ${errorMessage(error)}`,
    ]),
    links: links.map(({ path, target = '' }) => `${path} -> ${target}`),
  }
}

/** The text of the policy of a home; empty where it has none. */
export async function policyText(home: string): Promise<string> {
  const path = await accessFilePath(home)
  return existsSync(path) ? readFile(path, 'utf8') : ''
}

/** What a home has accepted of its policy. Damage of it is often the reason for a restore: then nothing. */
export async function acceptedIn(home: string, clock: Clock): Promise<AcceptedPolicy | undefined> {
  const path = storePath(homeAt(home).data)
  if (!existsSync(path)) return undefined
  try {
    const store = await openStore({ path, clock, readOnly: true })
    try {
      return await readAccepted(store)
    } finally {
      await store.close()
    }
  } catch {
    return undefined
  }
}
