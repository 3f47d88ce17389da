import { randomBytes } from 'node:crypto'
import type { HostedRuntime } from '../create-runtime.ts'
import { type GatewayTokens, openGatewayTokens } from '../tokens/named-tokens.ts'
import { openPeopleHomes, type PeopleHomesOptions, type PeopleParts } from './people-homes.ts'
import type { Peers } from './placement.ts'

/** The home of the owner as it is open here. */
type OwnersHome = Pick<HostedRuntime, 'store'> & Pick<PeopleParts, 'shared'>

/** The homes of the people of a gateway, together with what lets people in. Nothing is opened before `within` says in which home they lie. */
export function openGatewayHomes(options: Omit<PeopleHomesOptions, 'around'>) {
  const { home, configuration, clock } = options
  let around: PeopleParts | undefined
  const people = openPeopleHomes({ ...options, around: () => around! })
  return {
    people,
    /** Opens what lets people in, over the home of the owner. A gateway that stood by calls it again once it has that home itself. */
    async within({ store, shared }: OwnersHome, peers: Peers | undefined = store.gateways): Promise<GatewayTokens> {
      const configured = configuration.gateway.token
      const tokens = openGatewayTokens({ home, configured, store, random: randomBytes, clock })
      await tokens.ready
      around = { people: tokens.people, store, shared, peers }
      return tokens
    },
  }
}
