import assert from 'node:assert/strict'
import test from 'node:test'
import { systemClock } from '../../runtime.ts'
import { approvalButtons, approvalText, parseButton } from './approval-messages.ts'

const digest = 'f'.repeat(64)

test('what a button brings back fits into 64 bytes, and says which call and which decision', () => {
  const approval = systemClock.newId('approval')
  const buttons = approvalButtons({ approval, digest, grant: digest }, false).flat()
  assert.ok(buttons.every(({ data }) => Buffer.byteLength(data) <= 64))
  assert.deepEqual(
    buttons.map(({ data }) => parseButton(data)),
    (['once', 'session', 'tool', 'deny'] as const).map((decision) => ({ decision, digest: 'f'.repeat(12), approval })),
  )
})

test('what no button of ours says is no decision', () => {
  for (const data of [
    '',
    'once',
    'once.ffffffffffff',
    `allow.${digest.slice(0, 12)}.a`,
    `once.${digest}.a`,
    'once.ffffffffffff.a b',
  ]) {
    assert.equal(parseButton(data), undefined)
  }
})

test('a question of any size fits into a message', () => {
  for (const size of [0, 2_900, 3_100, 200_000]) {
    const request = {
      tool: 't'.repeat(500),
      input: {},
      command: 'x'.repeat(size),
      folder: '/f',
      diff: '+ 😀\n'.repeat(size),
    }
    const { text, shortened } = approvalText('approval_1', { request, digest }, 'The person who asked may answer here.')
    assert.ok(text.text.length <= 4096)
    assert.equal(shortened, size > 2_000)
    assert.ok(text.entities.every(({ offset, length }) => offset + length <= text.text.length))
  }
})
