import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runsAllCases } from './arbitrary/some-cases.ts'
import { histories, liveHistory } from './simulate/histories.ts'

/**
 * Of the writes of a history one in so many fails, others each time: from the first one on that is printed. An odd number, since every
 * second one fails as a full disk does.
 */
const EACH = runsAllCases ? 1 : 5
/** `FIRST=3` lives those of a failure that was printed. */
const FIRST = Number(process.env['FIRST'] ?? 1 + Math.floor(Math.random() * EACH))

// As SQLite tests itself: https://sqlite.org/testing.html, section 3.2.
for (const name of Object.keys(histories)) {
  test(`${name}: whatever the disk refuses first, nothing that was acknowledged is lost, and the gateway goes on`, async (t) => {
    const { asked, broken } = await liveHistory(name, 0)
    assert.deepEqual(broken, [])
    assert.ok(asked > 50)
    t.diagnostic(`FIRST=${FIRST}, each of ${EACH}`)
    for (let failing = FIRST; failing <= asked; failing += EACH) {
      const ending = await liveHistory(name, failing)
      assert.deepEqual(ending.broken, [], [`FIRST=${FIRST}: at ${failing} of ${asked}`, ...ending.trace].join('\n'))
    }
  })
}
