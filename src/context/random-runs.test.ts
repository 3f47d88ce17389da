import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { estimateTokenCount } from 'tokenx'
import { tokenx } from '../context.ts'
import { o200k } from './o200k.ts'

/** Bytes that look like chance, the same in every run. */
const bytes = (seed: string, blocks: number) =>
  Buffer.concat(Array.from({ length: blocks }, (_, block) => createHash('sha256').update(`${seed} ${block}`).digest()))
const lines = (count: number, line: (number: number) => string) =>
  Array.from({ length: count }, (_, number) => line(number)).join('\n')

const random: Readonly<Record<string, string>> = {
  base64: bytes('a', 400).toString('base64'),
  'base64 in lines': bytes('b', 400).toString('base64').replaceAll(/.{76}/g, '$&\n'),
  base64url: bytes('c', 400).toString('base64url'),
  hexadecimal: bytes('d', 400).toString('hex'),
  'hexadecimal in capitals': bytes('e', 400).toString('hex').toUpperCase(),
  'checksums of files': lines(200, (number) => `${bytes(`f${number}`, 1).toString('hex')}  src/file-${number}.ts`),
  'a lock file': lines(200, (number) => `      "integrity": "sha512-${bytes(`g${number}`, 2).toString('base64')}",`),
  'ids of calls': lines(200, (number) => `toolu_01${bytes(`h${number}`, 1).toString('hex').slice(0, 24)}`),
}

for (const [what, text] of Object.entries(random)) {
  test(`${what} is estimated within a tenth of what a tokenizer counts`, () => {
    const ratio = tokenx.text(text) / o200k.text(text)
    assert.ok(ratio > 0.9 && ratio < 1.1, ratio.toFixed(3))
  })
}

test('words, names, numbers and times are estimated as they were', () => {
  for (const text of [
    'The tide comes in twice a day, at 06:12 and at 18:40.',
    'const estimateTokenCount = createCounter(camelCaseNames, SCREAMING_NAMES, parseInt32, utf8Text)',
    '2026-11-24T18:25:50.123Z 1234567890123456 v1.2.3-beta.4 20261124T182550Z',
    'Überraschung123abc Grüße 会议0a1b2c3d',
    '',
  ]) {
    assert.equal(tokenx.text(text), estimateTokenCount(text), text)
  }
})

test('random text that is counted in slices costs the sum of them', () => {
  const text = Object.values(random).join('\n')
  const slices = [...tokenx.slices!(text)]
  assert.ok(slices.length > 5)
  assert.equal(
    slices.reduce((sum, tokens) => sum + tokens, 0),
    tokenx.text(text),
  )
})
