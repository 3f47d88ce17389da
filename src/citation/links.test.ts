import assert from 'node:assert/strict'
import test from 'node:test'
import { citedText, withLinks } from '../citation.ts'

const sources: Readonly<Record<number, { readonly url?: string }>> = {
  1: { url: 'https://example.org/a' },
  2: { url: 'http://example.org/b_(c) "d"' },
  3: {},
  4: { url: 'javascript:alert(1)' },
}

const table: readonly (readonly [string, string])[] = [
  ['High water at six [1].', 'High water at six [[1]](https://example.org/a).'],
  ['[[1]]', '[[1]](https://example.org/a)'],
  ['【1】', '[[1]](https://example.org/a)'],
  ['[1, 3]', '[[1]](https://example.org/a)[3]'],
  ['[1, 99]', '[[1]](https://example.org/a)[99]'],
  ['[2]', '[[2]](http://example.org/b_%28c%29%20%22d%22)'],
  ['[1](https://example.org/as/the/model/wrote)', '[[1]](https://example.org/a)'],
  ['[3] and [3](https://example.org/3)', '[3] and [3](https://example.org/3)'],
  ['[4], [2024] and `[1]`', '[4], [2024] and `[1]`'],
]

for (const [written, shown] of table) {
  test(`with links, ${written} is ${shown}`, () => {
    const pieces = citedText(written, (number) => number in sources)
    assert.equal(
      withLinks(pieces, (number) => sources[number]),
      shown,
    )
  })
}
