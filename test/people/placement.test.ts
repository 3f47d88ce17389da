import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createPlacement } from '../../src/runtime/people/placement.ts'
import type { GatewayRow } from '../../src/session.ts'
import { random } from '../kit/random-wires.ts'
import { virtualTime } from '../simulate/virtual-time.ts'

const NAMES = ['one', 'two', 'three', 'four']
/** How often a gateway gives a sign of life, and how old that may be, ms. */
const SIGN_MS = 200
const LEASE_MS = 1_200
/** After how long without an answer of the database a gateway is cut off, ms. */
const CUT_OFF_MS = 5_000
/** How long a gateway is waited for that takes a connection and says nothing, ms. */
const SILENT_MS = 3_000

const addressOf = (id: string) => `http://${id}:4141`

/** Gateways over one database, each with its own look at the others, in time that passes only in the test. */
function world(seed: number, then: () => Promise<void> = async () => {}) {
  const time = virtualTime('2026-01-05T12:00:00.000Z')
  const chance = random(seed)
  const heartbeats = new Map(NAMES.map((id) => [id, 0]))
  const silent = new Set<string>()
  const cutOff = new Set<string>()
  const frozen = new Set<string>()

  const rows = (): readonly GatewayRow[] =>
    NAMES.map((id) => ({
      id,
      host: id,
      pid: 1,
      version: '1',
      address: addressOf(id),
      started: '',
      heartbeat: '',
      state: time.passed() - heartbeats.get(id)! > LEASE_MS ? ('lost' as const) : ('standby' as const),
    }))

  const gateways = NAMES.map((id, index) => {
    const clock = time.clock(index + 1)
    clock.every(SIGN_MS, () => {
      if (!frozen.has(id) && !cutOff.has(id)) heartbeats.set(id, time.passed())
    })
    const placement = createPlacement(
      clock,
      () => ({
        id,
        async list() {
          await clock.sleep(chance.whole(400))
          return cutOff.has(id) ? new Promise<never>(() => {}) : rows()
        },
      }),
      async (address) => {
        const other = NAMES.find((each) => addressOf(each) === address)!
        if (!silent.has(other) && !frozen.has(other)) return clock.sleep(chance.whole(500)).then(() => true)
        await clock.sleep(SILENT_MS)
        return false
      },
    )
    placement.watch(then)
    return { id, placement }
  })
  return { time, chance, gateways, silent, frozen, cutOff }
}

const run = (time: ReturnType<typeof virtualTime>, work: (sleep: (ms: number) => Promise<void>) => Promise<void>) =>
  time.run(work(time.clock(0).sleep), 3_600_000)

suite('which gateway is gone', () => {
  test('one that is frozen is gone for all others within two seconds, and is there within two once it wakes', async () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const { time, chance, gateways, frozen } = world(seed)
      await run(time, async (sleep) => {
        await sleep(5_000 + chance.whole(1_000))
        const victim = chance.one(NAMES)
        const others = gateways.filter(({ id }) => id !== victim)
        const isGone = () => others.map(({ placement }) => placement.isGone(addressOf(victim)))
        assert.deepEqual(isGone(), [false, false, false])
        frozen.add(victim)
        await sleep(2_000)
        assert.deepEqual(isGone(), [true, true, true], `seed ${seed}`)
        // Nobody else is taken for gone, and the homes of the one that is gone belong to the same one for all.
        for (const { placement } of others)
          for (const { id } of others) assert.equal(placement.isGone(addressOf(id)), false)
        const places = new Set(others.map(({ id, placement }) => placement.otherFor('ann') ?? addressOf(id)))
        assert.equal(places.size, 1, `seed ${seed}`)
        assert.ok(!places.has(addressOf(victim)))
        frozen.delete(victim)
        await sleep(SILENT_MS + 2_000)
        assert.deepEqual(isGone(), [false, false, false], `seed ${seed}`)
      })
    }
  })

  test('one that no other reaches, and the database has signs of life of, is gone, too', async () => {
    const { time, gateways, silent } = world(3)
    await run(time, async (sleep) => {
      await sleep(5_000)
      silent.add('two')
      await sleep(5_000)
      for (const { id, placement } of gateways) assert.equal(placement.isGone(addressOf('two')), id !== 'two')
    })
  })

  test('one that the database has lost, and that still answers, is gone within a second after the lease', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const { time, gateways, cutOff } = world(seed)
      await run(time, async (sleep) => {
        await sleep(5_000)
        cutOff.add('one')
        await sleep(LEASE_MS + 1_000)
        for (const { id, placement } of gateways)
          assert.equal(placement.isGone(addressOf('one')), id !== 'one', `seed ${seed}: ${id}`)
        await sleep(CUT_OFF_MS)
        for (const { id, placement } of gateways) {
          // It knows itself that it has nothing to say any more.
          assert.equal(placement.isCutOff(), id === 'one', `seed ${seed}: ${id}`)
        }
      })
    }
  })

  test('its homes are opened by others at once', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const looks: number[] = []
      const { time, chance, gateways, frozen } = world(seed, async () => void looks.push(time.passed()))
      await run(time, async (sleep) => {
        await sleep(5_000 + chance.whole(1_000))
        frozen.add('two')
        const began = time.passed()
        const isGone = () => gateways[0]!.placement.isGone(addressOf('two'))
        while (!isGone()) await sleep(1)
        const noticed = time.passed()
        assert.ok(noticed - began <= LEASE_MS + 700, `seed ${seed}: ${noticed - began} ms`)
        assert.ok(looks.includes(noticed), `seed ${seed}`)
      })
    }
  })

  test('a home that is opened for long keeps nobody from seeing who is gone', async () => {
    const { time, gateways, frozen } = world(5, () => new Promise(() => {}))
    await run(time, async (sleep) => {
      await sleep(5_000)
      frozen.add('four')
      await sleep(LEASE_MS + 1_000)
      for (const { id, placement } of gateways.slice(0, 3)) {
        assert.equal(placement.isGone(addressOf('four')), true, id)
        assert.equal(placement.isCutOff(), false, id)
      }
    })
  })
})
