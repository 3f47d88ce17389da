import assert from 'node:assert/strict'
import { test } from 'node:test'
import { histories, liveHistory } from './simulate/histories.ts'

// As SQLite tests itself: https://sqlite.org/testing.html, section 3.2.
for (const name of Object.keys(histories)) {
  test(`${name}: whatever the disk refuses first, nothing that was acknowledged is lost, and the gateway goes on`, async () => {
    const { asked, broken } = await liveHistory(name, 0)
    assert.deepEqual(broken, [])
    assert.ok(asked > 50)
    for (let failing = 1; failing <= asked; failing += 1) {
      const ending = await liveHistory(name, failing)
      assert.deepEqual(ending.broken, [], [`at ${failing} of ${asked}`, ...ending.trace].join('\n'))
    }
  })
}
