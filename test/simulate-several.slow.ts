import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveWithSeveral } from './simulate/several.ts'

/** How many seeds are lived: `npm run test:long` lives five hundred. */
const SEEDS = Math.ceil(Number(process.env['SEEDS'] ?? 400) / 10)

test('whenever one gateway takes the store of another one over, every message is answered once and no letter is sent twice', async (t) => {
  let [letters, processes] = [0, 0]
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const story = await liveWithSeveral(seed)
    assert.deepEqual(story.broken, [], `seed ${seed}\n${story.trace.join('\n')}`)
    letters += story.letters
    processes += story.processes
  }
  assert.ok(letters > SEEDS * 6)
  t.diagnostic(`${SEEDS} stories, ${processes} gateways, ${letters} letters`)
})
