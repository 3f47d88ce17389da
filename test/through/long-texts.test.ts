import assert from 'node:assert/strict'
import test from 'node:test'
import { tokenx } from '../../src/context.ts'
import { splitBody } from '../../src/foreign.ts'
import { createBodyAnalysis } from '../../src/runtime/foreign/analysis/body-analysis.ts'
import { countingRests, withShorterTexts } from '../../src/runtime/foreign/analysis/read-grown-body.ts'
import { systemClock } from '../../src/platform.ts'

const bytesOf = (...contents: readonly unknown[]) =>
  Buffer.from(JSON.stringify({ model: 'm', messages: contents.map((content) => ({ role: 'user', content })) }))
const words = (count: number) => 'The keeper notes the wind, the tide and 7 ships. '.repeat(count)
const read = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString()) as unknown

test('of a very long text its beginning is read, and its account and its parts are those of the whole', async () => {
  const analysis = createBodyAnalysis(systemClock, async () => tokenx)
  const head = { method: 'POST', path: '/v1/chat/completions', headers: {} }
  const bytes = bytesOf(words(100_000), 'And this?')
  const {
    account,
    words: first,
    stored,
  } = await analysis.take({ id: 'a', head, bytes, provider: 'p', counter: 'tokenx' })
  const exact = tokenx.text(words(100_000))
  assert.ok(Math.abs(account!.manifest.used - exact) < exact * 0.01, `${account!.manifest.used} and ${exact}`)
  assert.match(first!, /^The keeper notes/)
  assert.equal(stored.body.bytes, bytes.byteLength)
  const shorter = withShorterTexts(bytes)
  assert.ok(shorter.byteLength < bytes.byteLength - 1_500_000)
  assert.equal(Buffer.concat(splitBody(bytes)).compare(bytes), 0)
})

test('texts that differ only behind their beginning are told apart, and no shorter text is touched', () => {
  const [one, other] = [withShorterTexts(bytesOf(`${words(90_000)}a`)), withShorterTexts(bytesOf(`${words(90_000)}b`))]
  assert.notEqual(Buffer.from(one).compare(other), 0)
  const short = bytesOf(words(80_000), 'x')
  assert.equal(withShorterTexts(short), short)
  assert.equal(withShorterTexts(Buffer.from('no JSON')).toString(), 'no JSON')
})

test('no text is cut within a character or an escape', () => {
  // Of each, the places where the beginning could end within it.
  for (const [piece, step] of [
    ['\u{1f600}', 3],
    ['\u0001', 5],
    ['\\', 1],
  ] as const) {
    const period = `${piece}${'-'.repeat(13)}`
    const length = Buffer.byteLength(JSON.stringify(period)) - 2
    for (let before = 0; before < length; before += step) {
      const text = '+'.repeat(before) + period.repeat(Math.ceil(4_200_000 / length))
      const { messages } = read(withShorterTexts(bytesOf(text))) as { messages: [{ content: string }] }
      const beginning = messages[0].content.replace(/foreword\d{12}[0-9a-f]{64}$/, '')
      assert.ok(text.startsWith(beginning) && beginning.length > 2_000_000, JSON.stringify(piece))
    }
  }
})

test('a mark that somebody else wrote makes no text cheaper', () => {
  const counter = countingRests(tokenx)
  const text = words(20_000)
  for (const rest of ['000000000000', '999999999999']) {
    const marked = `${text}foreword${rest}${'0'.repeat(64)}`
    assert.ok(counter.text(marked) >= tokenx.text(text))
  }
  assert.equal(counter.text('short'), tokenx.text('short'))
})
