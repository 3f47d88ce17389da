import { errorMessage } from '../../platform.ts'
import { loadConfiguration, unconfinedPrograms, widenedPolicy } from '../../runtime.ts'
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

type ContentParts = Parameters<typeof widenedPolicy>[0] & {
  readonly findPrograms: (home: string) => Promise<readonly string[]>
  readonly links: readonly ArchivedFile[]
}

export async function restoredContent(
  { findPrograms, links, ...arrival }: ContentParts,
  signed: Pick<RestoredContent, 'key' | 'isTrusted'>,
): Promise<RestoredContent> {
  return {
    ...signed,
    policy: await widenedPolicy(arrival),
    programs: await findPrograms(arrival.arriving).catch((error: unknown) => [
      `the configuration cannot be read: ${errorMessage(error)}`,
    ]),
    links: links.map(({ path, target = '' }) => `${path} -> ${target}`),
  }
}

/** What the configuration of a home runs beside the gateway that no sandbox confines, as clauses. */
export async function homePrograms(
  options: Pick<Parameters<typeof loadConfiguration>[0], 'home' | 'environment' | 'capabilities'>,
): Promise<readonly string[]> {
  const { configuration, capabilities } = await loadConfiguration(options)
  return unconfinedPrograms(configuration, capabilities)
}
