import { randomBytes } from 'node:crypto'
import { type BrowserSessions, type GatewayTokens, openBrowserSessions, type PeopleHomes } from '../runtime.ts'
import { createBodyBudgets } from './body-budgets.ts'
import { type Brake, createBrake } from './brake.ts'
import { createGuard, type Guard } from './guard.ts'
import { createVisits, type Visits } from './visits.ts'

/** What all servers of one gateway share: who may come in, and room for the bodies of requests. */
export interface Entrance {
  readonly guard: Guard
  readonly browsers: BrowserSessions
  readonly visits: Visits
  readonly brake: Brake
  readonly bodyBudgets: ReturnType<typeof createBodyBudgets>
}

type GuardOptions = Parameters<typeof createGuard>[0]

interface EntranceOptions extends Omit<GuardOptions, 'named' | 'uses' | 'people' | 'browsers' | 'brake'> {
  readonly tokens?: GatewayTokens | undefined
  readonly people?: Pick<PeopleHomes, 'people'> | undefined
  readonly browsers?: BrowserSessions
  /** 128 unless given. */
  readonly heldBodyMegabytes?: number | undefined
}

/** Opens the entrance of an address. `record`: what is kept of wrong tokens. */
export function createEntrance(
  options: EntranceOptions,
  record: Parameters<typeof createBrake>[0]['record'],
): Entrance {
  const { clock, tokens, people } = options
  const brake = createBrake({ clock, record })
  const browsers = options.browsers ?? tokens?.browsers ?? openBrowserSessions({ random: randomBytes, clock })
  const guard = createGuard({ ...options, ...tokens, people: people?.people, browsers, brake })
  return {
    guard,
    browsers,
    brake,
    visits: createVisits(clock, guard.isValid),
    bodyBudgets: createBodyBudgets(options.heldBodyMegabytes ?? 128, clock),
  }
}
