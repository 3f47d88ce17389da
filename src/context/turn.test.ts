import assert from 'node:assert/strict'
import test from 'node:test'
import type { AnyMessage } from './message.ts'
import { turnsOf } from './turn.ts'

const said: Readonly<Record<string, AnyMessage>> = {
  S: { role: 'system', content: 'S' },
  U: { role: 'user', content: 'U' },
  A: { role: 'assistant', content: 'A' },
  T: { role: 'tool', content: [] },
}

/** A list of messages, and the turns it is split into; the one after the bar is current. */
const table: readonly (readonly [string, string])[] = [
  ['', '|'],
  ['U', '|U'],
  ['U A', '|UA'],
  ['U A U', 'UA|U'],
  ['U A T A U A U', 'UATA UA|U'],
  ['U U A U', 'UUA|U'],
  ['A U A', 'A|UA'],
  ['S U A S U', 'UA|U'],
  ['U S U A', '|UUA'],
  ['S', '|'],
]

for (const [messages, turns] of table) {
  test(`"${messages}" becomes the turns "${turns}"`, () => {
    const list = messages.split(' ').filter(Boolean)
    const { history, current } = turnsOf(list.map((letter) => said[letter]!))
    const letters = ({ messages: own }: typeof current) =>
      own.map(({ message }) => message.role.charAt(0).toUpperCase()).join('')
    assert.equal(`${history.map(letters).join(' ')}|${letters(current)}`, turns)
    assert.deepEqual(
      [...history, current].map((turn) => turn.id),
      [...history, current].map((_, index) => `turn-${index + 1}`),
    )
  })
}
