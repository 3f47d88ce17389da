import { randomBytes } from 'node:crypto'
import { openLiveConfiguration } from '../team/live-configuration.ts'
import type { HostedRuntime } from '../create-runtime.ts'
import type { WholeParts } from '../runtime-parts.ts'
import { type GatewayTokens, openGatewayTokens } from '../tokens/named-tokens.ts'
import { openPeopleHomes, type PeopleHomesOptions, type PeopleParts } from './people-homes.ts'
import type { Peers } from './placement.ts'
import { noteUsedSettings } from './used-settings.ts'

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
export function openGatewayHomes({ settingsVersion: version, shares = true, ...options }: GatewayHomesOptions) {
  const { home, configuration, clock } = options
  const { store: database } = configuration
  let around: (PeopleParts & OwnersHome) | undefined
  const live =
    database === undefined || options.onlyReads || !shares
      ? undefined
      : openLiveConfiguration(options, { configuration, store: database, version }, async (now, { reloads }) => {
          if (around === undefined) return
          const { model, providers, models } = now
          const { live: inUse } = around.shared
          Object.assign(inUse, { model, providers, models })
          for (const hear of inUse.changed) hear()
          if (!reloads) return
          await around.reload?.()
          await people.reload()
        })
  const people = openPeopleHomes({
    ...options,
    around: () => around!,
    async now() {
      // What is claimed now is opened with what holds now.
      await live?.look(around!.store).catch(() => {})
      return live?.now() ?? configuration
    },
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
      const stop = live?.watch(
        () => store,
        noteUsedSettings(options, live, () => peers),
      )
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
