import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forAllStored } from './arbitrary/for-all.ts'
import { liveFigures } from './simulate/figures.ts'

test('for any session every surface shows the same figures of each call and of the next, and they add up', async () => {
  const seeds = fc.noShrink(fc.nat(999_999))
  await forAllStored(
    seeds,
    async (seed) => {
      const { broken } = await liveFigures(seed)
      assert.deepEqual(broken, [], `npm run simulate -- --figures --seed ${seed} --trace`)
    },
    24,
  )
})
