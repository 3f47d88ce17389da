import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { detectOverflow } from './overflow.ts'

interface Recorded {
  readonly name: string
  readonly provider: string
  readonly status: number
  readonly body: string
  readonly overflow: { readonly limit?: number; readonly sent?: number } | null
}

const recorded = JSON.parse(
  readFileSync(new URL('../../test/recorded/overflow.json', import.meta.url), 'utf8'),
) as readonly Recorded[]

for (const { name, provider, status, body, overflow } of recorded) {
  test(`${provider}, ${name}: ${overflow ? 'an overflow' : 'no overflow'}`, () => {
    assert.deepEqual(detectOverflow(status, body), overflow ?? undefined)
  })
}

test('a hostile error text is read in a moment', () => {
  const long = 'maximum context length is 4 '.repeat(2000) + 'prompt contains '.repeat(2000)
  assert.deepEqual(detectOverflow(400, long), { limit: 4 })
})
