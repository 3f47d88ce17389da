import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { builtIn } from '../../src/foreword.ts'
import { systemClock } from '../../src/platform.ts'
import { type HostedRuntime, loadConfiguration, openGatewayTokens, personHome } from '../../src/runtime.ts'
import { openPeopleHomes } from '../../src/runtime/people/people-homes.ts'
import { claimHome } from '../../src/session.ts'
import { openedHome } from '../home/opened-home.ts'

test('a home that cannot be opened in this moment keeps no gateway from joining the others, and no other home from a reload', async (t) => {
  const { runtime, home } = await openedHome(t)
  const { configuration } = await loadConfiguration({ home, environment: {}, capabilities: builtIn })
  const tokens = openGatewayTokens({ clock: systemClock, home, store: runtime.store, random: randomBytes })
  await tokens.ready
  const homes = openPeopleHomes({
    home,
    clock: systemClock,
    around: () => ({
      people: tokens.people,
      store: runtime.store,
      shared: (runtime as unknown as HostedRuntime).shared,
      peers: { id: 'here', list: async () => [] },
    }),
    configuration,
    capabilities: builtIn,
    environment: {},
    version: '0',
    warn: () => {},
  })
  t.after(() => homes.close())
  for (const name of ['ann', 'bob']) await homes.add({ name, role: 'member' }, 'test')
  const claim = await claimHome(personHome(home, 'ann'), { pid: process.pid, started: systemClock.time() }, {})
  t.after(() => claim.release())
  const opened = await homes.runtimeOf('bob')
  t.mock.method(opened, 'reload', async () => ({ warnings: ['read again'] }))

  const isRefused = () => assert.rejects(homes.runtimeOf('ann'), { message: /is already used/ })
  const first = isRefused()
  await homes.announce('http://127.0.0.1:1')
  const second = isRefused()
  assert.deepEqual(await homes.reload(), ['bob: read again'])
  await Promise.all([first, second])
})
