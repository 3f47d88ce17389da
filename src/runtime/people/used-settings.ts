import { z } from 'zod'
import type { SessionStore } from '../../session.ts'
import type { LiveConfiguration } from '../team/live-configuration.ts'
import { openBeside } from '../configuration/home-store.ts'
import { editValue } from '../edit-value.ts'
import type { PersonHomeOptions } from './open-person-home.ts'
import type { Peers } from './placement.ts'

const KEY = 'gateway/used-settings'

const inUse = z.record(z.string(), z.object({ version: z.int(), refused: z.array(z.string()) }))

/** By gateway, the version of the settings of the team that it uses, and what of it it cannot use. */
export type UsedSettings = z.infer<typeof inUse>

/** What each gateway says of itself. */
export async function usedSettings(store: Pick<SessionStore, 'value'>): Promise<UsedSettings> {
  return inUse.safeParse(await store.value(KEY)).data ?? {}
}

/** Says to the others what this gateway uses, where that is something else than it said before. */
export function noteUsedSettings(
  { configuration, environment, clock }: Pick<PersonHomeOptions, 'configuration' | 'environment' | 'clock'>,
  live: Pick<LiveConfiguration, 'state'>,
  peers: () => Peers | undefined,
): () => Promise<void> {
  let said = ''
  return async () => {
    const state = live.state()
    const self = peers()
    if (self === undefined || JSON.stringify(state) === said) return
    const known = new Set((await self.list()).map(({ id }) => id))
    const store = await openBeside(configuration.store!, environment, clock)
    try {
      await editValue(store, KEY, (was) => {
        const others = Object.entries(inUse.safeParse(was).data ?? {}).filter(([id]) => known.has(id))
        return { ...Object.fromEntries(others), [self.id]: state }
      })
      said = JSON.stringify(state)
    } finally {
      await store.close()
    }
  }
}
