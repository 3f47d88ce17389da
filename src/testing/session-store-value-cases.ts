import assert from 'node:assert/strict'
import type { StoreCase } from './session-store-place.ts'

/** What named values promise. */
export function valueCases(storeCase: StoreCase): void {
  storeCase('a named value is what was put last', async (store, place) => {
    assert.equal(await store.value('calibration'), undefined)
    await store.putValue('calibration', { factor: 1.25, seen: [1, null, '字'] })
    await store.putValue('nothing', null)
    await store.putValue('calibration', { factor: 2 })
    await assert.rejects(store.putValue('bad', undefined), { code: 'invalid' })
    await store.close()
    const again = await place.open()
    assert.deepEqual(await again.value('calibration'), { factor: 2 })
    assert.equal(await again.value('nothing'), null)
    await again.close()
  })
}
