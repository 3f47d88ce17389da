import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goldenDigest, goldenSeeds, readGolden } from './simulate/golden.ts'
import { liveStory } from './simulate/story.ts'

/** Seeds that broke a law once, with what it was. */
const KEPT: Readonly<Record<number, string>> = {
  700_160: 'a part of a reply arrived, could not be noted, and arrived again',
  700_201: 'an entry of a call stood in the log, and its record was not written',
  700_294: 'an entry of a call stood in the log, and its record was not written',
  700_660: 'an entry of a call stood in the log, and its record was not written',
  800_013: 'a budget was added between the end of a call and its record, and did not count it',
  1_000_614:
    'the result of a call could not be written, and another one of its message, which waited for a person, ran beside the next try',
  1_033_347: 'a limit was set below what was already held',
  1_039_742: 'a limit was set below what was already spent',
}

/** `npm run test:long` lives all of these. */
const ALL_SEEDS = 5_000
/** How many seeds are lived, one after another, others each time. */
const SEEDS = Math.min(ALL_SEEDS, Number(process.env['SEEDS'] ?? 100))
const FIRST = 1 + Math.floor(Math.random() * (ALL_SEEDS - SEEDS + 1))
const LAST = FIRST + SEEDS - 1
/** A test has a limit of time. */
const SEEDS_OF_A_TEST = 150

test('the same seed is the same story, to the last digest', async () => {
  for (const seed of [3, 7, 36]) assert.deepEqual(await liveStory(seed), await liveStory(seed))
})

for (let first = FIRST; first <= LAST; first += SEEDS_OF_A_TEST) {
  const last = Math.min(LAST, first + SEEDS_OF_A_TEST - 1)
  test(`whatever people, providers, disks and crashes do, a gateway keeps its laws: seeds ${first} to ${last}`, async () => {
    for (let seed = first; seed <= last; seed += 1) await keepsItsLaws(seed)
  })
}

test('what broke a law once does so no more', async () => {
  for (const seed of Object.keys(KEPT)) await keepsItsLaws(Number(seed))
})

test('the log of the golden stories is the one that is on file: `npm run simulate -- --golden` writes another one', async () => {
  const digests = Object.fromEntries(
    await Array.fromAsync(goldenSeeds, async (seed) => [seed, await goldenDigest(seed)] as const),
  )
  assert.deepEqual(digests, readGolden())
})

async function keepsItsLaws(seed: number): Promise<void> {
  const { broken } = await liveStory(seed)
  assert.deepEqual(broken, [], `npm run simulate -- --seed ${seed} --trace`)
}
