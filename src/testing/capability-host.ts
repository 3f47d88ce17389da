import { systemClock } from '../platform.ts'
import { type CapabilityBase, RuntimeError } from '../capability.ts'
import { layoutOf, tokenx, usualLayout } from '../context.ts'
import { createRecords } from '../runtime.ts'
import { openStore } from '../session.ts'
import { readAccess } from '../tool.ts'
import { fixedClock } from './fixed-clock.ts'

/**
 * What capabilities are started with in tests: a store in memory, a clock that does not move, every tool allowed, and no
 * runtime unless one is given. `startCapabilities([mine], await capabilityHost())` starts a capability.
 */
export async function capabilityHost(given: Partial<CapabilityBase> = {}): Promise<CapabilityBase> {
  const { clock = fixedClock({ timers: systemClock }), store = await openStore({ clock, path: ':memory:' }) } = given
  return {
    home: { folder: '/nowhere', data: '/nowhere/data', workspace: '/nowhere/workspace' },
    environment: {},
    version: '0',
    layout: layoutOf(usualLayout),
    counter: tokenx,
    timeZone: 'UTC',
    writes: true,
    listens: false,
    access: async () => readAccess('{"global": {"mode": "full"}}', {}),
    records: (kind) => createRecords({ store, clock }, kind),
    redact: (text) => text,
    warn: () => {},
    runtime() {
      throw new RuntimeError('internal', 'this test gives no runtime')
    },
    ...given,
    store,
    clock,
  }
}
