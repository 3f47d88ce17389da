import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorMessage, serialQueue, settlesWithin, watchWrittenFiles } from '../../platform.ts'
import type { SessionStore } from '../../session.ts'
import { homeAt } from '../home/home.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { openBeside, openHomeDatabase, type StoreSetting } from '../configuration/home-store.ts'
import { loadConfiguration } from '../configuration/load.ts'
import { shareHome } from './share-home.ts'
import { SHARED_SETTINGS, type SharedOutcome, sharedRowOf, type SharedHome } from './share-settings.ts'

type SharingGateway = SharedHome & { readonly warn: (text: string) => void }

/** Compares a home with its database once, such as before a start and for a command. */
export async function shareOnce(at: SharingGateway, store: StoreSetting): Promise<SharedOutcome> {
  const opened = await openBeside(store, at.environment, at.clock)
  try {
    return await shareHome(at, opened)
  } finally {
    await opened.close()
  }
}

/** What a comparison would come to. Writes nothing. `undefined`: no gateway has shared anything yet. */
export async function lookAtShared(at: SharedHome, store: StoreSetting): Promise<SharedOutcome | undefined> {
  const { home, environment, clock } = at
  const opened = await openHomeDatabase(home, store, environment, { clock, readOnly: true })
  try {
    if (!(await opened.value(SHARED_SETTINGS))) return undefined
    return await shareHome({ ...at, warn: () => {} }, opened, { looks: true })
  } finally {
    await opened.close()
  }
}

/** The configuration of a gateway as it is now, where several share it over a database. */
export type LiveConfiguration = ReturnType<typeof openLiveConfiguration>

/** What a gateway started with: `version` of the settings of the team, where it could be asked for. */
interface StartedWith {
  readonly configuration: Configuration
  readonly store: StoreSetting
  readonly version?: number | undefined
}

/** `apply`: takes a later configuration over. `reloads`: others have changed it, so that everything is read again, as `foreword reload` does. */
export function openLiveConfiguration(
  at: SharingGateway,
  start: StartedWith,
  apply: (configuration: Configuration, how: { readonly reloads: boolean }) => Promise<void>,
) {
  const { home, warn } = at
  const file = homeAt(home).configurationFile
  const files = new Set([file, realpathSync(home) + file.slice(home.length)])
  let { configuration, version } = start
  let refused: readonly string[] = []
  const queue = serialQueue()
  let isComparing = false
  let isWritten = false

  /** Resolves with whether something is new, and whether it is from others. Rejects where the database cannot be asked. */
  async function compare(): Promise<{ readonly isNew: boolean; readonly isOthers: boolean }> {
    isWritten = false
    isComparing = true
    const outcome = await shareOnce(at, start.store).finally(() => (isComparing = false))
    // It was this comparison, or somebody else meanwhile.
    if (isWritten) later()
    for (const text of outcome.refused) if (!refused.includes(text)) warn(text)
    refused = outcome.refused
    const isOthers = outcome.isChanged || (version !== undefined && outcome.version !== version && !outcome.isGiven)
    version = outcome.version
    const isNew = isOthers || outcome.isGiven
    if (isNew) configuration = (await loadConfiguration(at)).configuration
    return { isNew, isOthers }
  }

  /** One comparison after another. What takes a configuration over may ask for the next one. */
  async function next(reloads: boolean): Promise<void> {
    const { isNew, isOthers } = await queue.add(compare)
    if (isNew) await apply(configuration, { reloads: reloads && isOthers })
  }

  /** Who has written the file does not wait: they hold a lock that a comparison needs. */
  function later(): void {
    next(false).catch((error: unknown) => warn(unsharedText(error)))
  }

  const isOld = async (store: Pick<SessionStore, 'value'>): Promise<boolean> =>
    sharedRowOf(await store.value(SHARED_SETTINGS)).version !== version

  /** Resolves when it is known what holds now. Homes that are open take it over later: one that is being opened waits for this. */
  async function learn(store: Pick<SessionStore, 'value'>): Promise<void> {
    if (!(await isOld(store))) return
    const { isNew, isOthers } = await queue.add(compare)
    if (isNew) apply(configuration, { reloads: isOthers }).catch((error: unknown) => warn(unsharedText(error)))
  }

  return {
    now: () => configuration,
    /** The configuration for a home that is opened now; that of the last look where the database does not answer in time. Never rejects. */
    async current(store: Pick<SessionStore, 'value'>): Promise<Configuration> {
      await settlesWithin(at.clock, learn(store), LOOK_MS)
      return configuration
    },
    /** Compares with the database. Resolves with what of it cannot be used here. Never rejects. */
    async share(): Promise<readonly string[]> {
      try {
        await next(false)
        return refused
      } catch (error) {
        return [unsharedText(error)]
      }
    },
    /** The version that is in use here, and what of it is not. */
    state: () => ({ version: version ?? 0, refused }),
    /** Looks at the store each second, and at the file when this process writes it. Returns what ends that. */
    watch(store: () => Pick<SessionStore, 'value'>, looked: () => Promise<void>): () => void {
      const stops = [...new Set([...files].map((path) => dirname(path)))].map((folder) =>
        watchWrittenFiles(folder, async (path) => {
          if (!files.has(path)) return
          isWritten = true
          if (!isComparing) later()
        }),
      )
      let isLooking = false
      const lookAndTell = async () => {
        if (isLooking) return
        isLooking = true
        try {
          if (await isOld(store())) await next(true)
          await looked()
        } catch {
          // The database may be starting again.
        } finally {
          isLooking = false
        }
      }
      stops.push(at.clock.every(LOOK_MS, () => void lookAndTell(), { idle: true }))
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}

const LOOK_MS = 1_000

function unsharedText(error: unknown): string {
  return `The settings of config.json are not shared: ${errorMessage(error)}`
}
