import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageTokens, tokenx, toolTokens } from '../../src/context.ts'
import type { ModelRequest } from '../../src/model.ts'
import { scriptedModel } from '../../src/testing.ts'
import { type Opened, opened } from './opened.ts'

/** What the counter makes of a whole request. */
function estimated({ tools, system, messages }: ModelRequest): number {
  let tokens = system === undefined ? 0 : tokenx.perMessage + tokenx.text(system)
  for (const tool of tools) tokens += toolTokens(tokenx, tool)
  for (const message of messages) tokens += messageTokens(tokenx, message)
  return tokens
}

/** A provider that counts `factor` times what the counter does. */
const counting = (factor: number) =>
  scriptedModel({
    answer: (request) => ({ text: 'ok', usage: { promptTokens: Math.round(estimated(request) * factor) } }),
  })

async function learned({ runtime }: Opened) {
  return (await runtime.models()).find(({ current }) => current)?.calibration
}

test('the ratio between what a provider counts and what was estimated is learned, shown and kept', async (t) => {
  const before = await opened(t, { model: counting(1.3) })
  assert.equal(await learned(before), undefined)
  for (let n = 0; n < 6; n += 1) await before.say('hello')
  const shown = await learned(before)
  assert.equal(shown?.samples, 6)
  assert.equal(shown?.counter, 'tokenx@4')
  assert.ok(Math.abs(shown.ratio - 1.3) < 0.05, String(shown.ratio))

  const after = await before.reopened({ model: counting(1.3) })
  assert.deepEqual(await learned(after), shown)
  assert.deepEqual([...before.warnings, ...after.warnings], [])
})

test('what was learned leaves less room where the counter counts short', async (t) => {
  const margins = []
  for (const factor of [1, 1.5]) {
    const at = await opened(t, { model: counting(factor) })
    for (let n = 0; n < 6; n += 1) await at.say('hello')
    margins.push((await at.runtime.preview({ input: 'hello' })).manifest.budget.margin)
  }
  assert.ok(margins[1]! > 1500 && margins[0]! < 150, String(margins))
})

test('a provider that reports nonsense teaches nothing', async (t) => {
  const at = await opened(t, { model: scriptedModel({ answer: () => ({ text: 'ok', usage: { promptTokens: 1e9 } }) }) })
  for (let n = 0; n < 3; n += 1) await at.say('hello')
  assert.equal(await learned(at), undefined)
})

test('a failed call and a silent provider teach nothing', async (t) => {
  const at = await opened(t, {
    model: scriptedModel({ answer: (_, n) => (n === 1 ? { fail: 'auth' } : { text: 'ok' }) }),
  })
  for (let n = 0; n < 3; n += 1) await at.say('hello')
  assert.equal(await learned(at), undefined)
})

/** Counts code as half as much again, and everything else as the counter does. */
const countingCode = scriptedModel({
  facts: { cache: { kind: 'automatic', minimumTokens: 0, lifetimeSeconds: 300 } },
  answer(request) {
    const code = request.messages.flatMap(({ content }) =>
      typeof content === 'string' && content.includes('export function') ? [content] : [],
    )
    const more = code.reduce((sum, text) => sum + tokenx.text(text) / 2, 0)
    return { text: 'ok', usage: { promptTokens: Math.round(estimated(request) + more), outputTokens: 5 } }
  },
})

const code = (n: number) =>
  `export function tide${n}(hours: number[]) {\n  return hours.map((hour) => hour * ${n})\n}\n`
const prose = (n: number) => `On day ${n} the ferry leaves before the tide turns. `

test('what a provider counts is learned for each kind of text, and the next prompt is in the interval that is shown', async (t) => {
  let at = await opened(t, { model: countingCode })
  let session: string | undefined
  for (let n = 1; n <= 12; n += 1) {
    const asked = await at.say((n % 2 ? code(n) : prose(n)).repeat(12), session === undefined ? {} : { session })
    session = asked.session
  }
  for (const restarted of [false, true]) {
    if (restarted) at = await at.reopened()
    for (const kind of [code, prose]) {
      const input = kind(50).repeat(20)
      const { forecast } = (await at.runtime.preview({ session: session!, input })).manifest
      const { cached, fresh, between } = forecast!
      const text = tokenx.text(input) * (kind === code ? 1.5 : 1)
      const reported = (await at.store.calls(session!, { last: 1 }))[0]!.outcome!.usage!.promptTokens!
      const real = reported + 5 + tokenx.perMessage + text
      assert.ok(Math.abs(cached + fresh - real) < text * 0.06, `${cached + fresh} instead of ${real}`)
      assert.ok(between![0] <= real && real <= between![1], String(between))
      assert.ok(between![1] - between![0] < text * 0.6)
    }
  }
})
