import { randomBytes } from 'node:crypto'
import type { Pairings } from '../../capability.ts'
import type { SessionStore } from '../../session.ts'
import { createPairings } from '../channels/pairings.ts'
import type { StoreSetting } from '../configuration/home-store.ts'
import type { PersonHomeOptions } from './open-person-home.ts'

/** Writes to homes in a database that other gateways have open, and to that of the owner, which may be here. */
export function besideHomes(
  { configuration, environment, clock }: Pick<PersonHomeOptions, 'configuration' | 'environment' | 'clock'>,
  ownersStore: () => SessionStore,
) {
  async function write<Result>(store: StoreSetting, work: (store: SessionStore) => Promise<Result>): Promise<Result> {
    const { openBeside } = await import('../configuration/home-store.ts')
    const opened = await openBeside(store, environment, clock)
    try {
      return await work(opened)
    } finally {
      await opened.close()
    }
  }

  return {
    /** Does something to the store of one, beside the gateway that has it. */
    write,
    /** Does something to the pairings of the owner, wherever their home is open. */
    inOwners<Result>(work: (pairings: Pairings) => Promise<Result>): Promise<Result> {
      const pairings = (store: SessionStore) => createPairings({ store, clock, random: randomBytes })
      const { store } = configuration
      return store === undefined ? work(pairings(ownersStore())) : write(store, (owners) => work(pairings(owners)))
    },
  }
}
