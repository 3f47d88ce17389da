import { randomBytes } from 'node:crypto'
import { type BrowserSessions, openBrowserSessions } from '../runtime.ts'
import { createBodyRooms } from './body-rooms.ts'
import { type Brake, createBrake } from './brake.ts'
import type { ServerOptions } from './create-server.ts'
import { createGuard, type Guard } from './guard.ts'
import { createVisits, type Visits } from './visits.ts'

/** What all servers of one gateway share: who may come in, and room for the bodies of requests. */
export interface Entrance {
  readonly guard: Guard
  readonly browsers: BrowserSessions
  readonly visits: Visits
  readonly brake: Brake
  readonly rooms: ReturnType<typeof createBodyRooms>
}

interface EntranceOptions
  extends
    Omit<ServerOptions, 'token' | 'contributions' | 'choices' | 'within'>,
    Pick<Parameters<typeof createGuard>[0], 'clock' | 'token' | 'isOpen'> {
  readonly browsers?: BrowserSessions
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
    rooms: createBodyRooms(options.heldBodyMegabytes ?? 128, clock),
  }
}
