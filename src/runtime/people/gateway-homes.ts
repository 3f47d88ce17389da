import { randomBytes } from 'node:crypto'
import { errorMessage } from '../../platform.ts'
import type { HostedRuntime } from '../create-runtime.ts'
import type { WholeParts } from '../runtime-parts.ts'
import { type GatewayTokens, openGatewayTokens } from '../tokens/named-tokens.ts'
import { openPeopleHomes, type PeopleHomesOptions, type PeopleParts } from './people-homes.ts'
import type { Peers } from './placement.ts'

/** What compares a home with its database. Loaded with one. */
export const teamSettings = () => import('../team/live-configuration.ts')

/** Compares before a start. `undefined`: there is no database, or it cannot be asked, which the start reports. */
export async function shareBeforeStart(
  at: Parameters<Awaited<ReturnType<typeof teamSettings>>['shareOnce']>[0],
  { store }: Pick<PeopleHomesOptions['configuration'], 'store'>,
) {
  if (store === undefined) return undefined
  const { shareOnce } = await teamSettings()
  return shareOnce(at, store).catch(() => undefined)
}

/** The home of the owner as it is open here. `reload`: it is not elsewhere. */
type OwnersHome = Pick<HostedRuntime, 'store'> &
  Partial<Pick<HostedRuntime, 'reload'>> & {
    readonly shared: Pick<WholeParts, 'live'> & Pick<PeopleParts['shared'], 'policy'>
  }

interface GatewayHomesOptions extends Omit<PeopleHomesOptions, 'around' | 'now'> {
  /** The version of the settings of the team that `configuration` has. */
  readonly settingsVersion?: number | undefined
  /** `false`: the configuration is that of a program, and belongs to it. */
  readonly shares?: boolean
}

/** The homes of the people of a gateway, together with what lets people in. Nothing is opened before `within` says in which home they lie. */
export async function openGatewayHomes({ settingsVersion: version, shares = true, ...options }: GatewayHomesOptions) {
  const { home, configuration, clock } = options
  const { store: database } = configuration
  let around: (PeopleParts & OwnersHome) | undefined
  const live =
    database === undefined || options.onlyReads || !shares
      ? undefined
      : (await teamSettings()).openLiveConfiguration(
          options,
          { configuration, store: database, version },
          async (now, { reloads }) => {
            if (around === undefined) return
            const { model, providers, models } = now
            const { live: inUse } = around.shared
            Object.assign(inUse, { model, providers, models })
            for (const hear of inUse.changed) hear()
            if (!reloads) return
            await around.reload?.().catch((error: unknown) => options.warn(errorMessage(error)))
            await people.reload()
          },
        )
  const people = openPeopleHomes({
    ...options,
    around: () => around!,
    // What is claimed now is opened with what holds now.
    now: async () => (await live?.current(around!.store)) ?? configuration,
  })
  return {
    people,
    /** Its configuration where other gateways can change it, too; absent: nobody can. */
    live,
    /** Opens what lets people in, over the home of the owner. A gateway that stood by calls it again once it has that home itself. */
    async within(owners: OwnersHome, peers: Peers | undefined = owners.store.gateways): Promise<GatewayTokens> {
      const { store } = owners
      const configured = configuration.gateway.token
      const tokens = openGatewayTokens({ home, configured, store, random: randomBytes, clock })
      await tokens.ready
      around = { ...owners, people: tokens.people, peers }
      const note = live && (await import('./used-settings.ts')).noteUsedSettings(options, live, () => peers)
      const stop = live?.watch(() => store, note!)
      return {
        ...tokens,
        close() {
          stop?.()
          tokens.close()
        },
      }
    },
  }
}
