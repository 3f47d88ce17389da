import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { type Clock, errorMessage, sha256 } from '../../platform.ts'
import { openStore, storePath } from '../../session.ts'
import { accessFilePath, homeAt } from '../../runtime/home/home.ts'
import { type LoadOptions, loadConfiguration } from '../../runtime/configuration/load.ts'
import { acceptedAccess, type AcceptedPolicy, acceptedWrite, isAccepted, readAccepted } from '../../runtime/tools/edit-access.ts'
import { unconfinedPrograms, widenedWords } from '../../runtime/tools/pinned-policy.ts'
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

/** What the archive says that was accepted is no word of this home's owner: its policy is compared with what was accepted here. */
export async function pinPolicy(
  { home, arriving, clock }: Pick<ContentParts, 'home' | 'arriving' | 'clock'>,
  time: string,
): Promise<void> {
  const accepted = (await acceptedIn(home, clock)) ?? { text: '' }
  const text = await policyText(arriving)
  const waits = !isAccepted(accepted, text)
  const why = { waiting: sha256(text), unconfined: 'it came with a backup that the key of this home did not sign' }
  const folder = homeAt(arriving).data
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const store = await openStore({ path: storePath(folder), clock })
  try {
    await store.transaction([acceptedWrite({ ...accepted, ...(waits ? why : {}) }, time)])
  } finally {
    await store.close()
  }
}

/** What the configuration of a home runs beside the gateway that no sandbox confines, as clauses. */
export async function homePrograms(
  options: Pick<LoadOptions, 'home' | 'environment' | 'capabilities'>,
): Promise<readonly string[]> {
  const { configuration, capabilities } = await loadConfiguration(options)
  return unconfinedPrograms(configuration, capabilities)
}

async function policyText(home: string): Promise<string> {
  const path = await accessFilePath(home)
  return existsSync(path) ? readFile(path, 'utf8') : ''
}

/** What a home has accepted of its policy. Damage of it is often the reason for a restore: then nothing. */
async function acceptedIn(home: string, clock: Clock): Promise<AcceptedPolicy | undefined> {
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
