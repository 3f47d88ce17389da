import assert from 'node:assert/strict'
import test from 'node:test'
import { tokenx, callCost } from '../../src/context.ts'
import type { SealedManifest } from '../../src/runtime/calls/seal.ts'
import { fixedClock } from '../../src/testing.ts'
import { simulatedCache, simulatedRules } from '../kit/simulated-cache.ts'
import { recordedCalls, send, startGateway } from './gateway.ts'
import { playedBodies } from './play-session.ts'
import { messagesEvents, startVendor } from './vendor.ts'

const MARK = '"cache_control":{"type":"ephemeral"}'
const HOUR = '"cache_control":{"type":"ephemeral","ttl":"1h"}'

/** How a program marks its requests. */
const marks: Readonly<Record<string, (body: string) => string>> = {
  'for five minutes': (body) => body,
  'for an hour': (body) => body.replaceAll(MARK, HOUR),
  'for an hour at its beginning': (body) => body.replace(MARK, HOUR),
  'as a whole': (body) => body.replaceAll(`,${MARK}`, '').replace('{', `{${HOUR},`),
  'not at all': (body) => body.replaceAll(`,${MARK}`, ''),
}

/** Pauses before calls, minutes. */
const PAUSES = [0, 1, 1, 10, 1, 70, 1]

for (const [name, marked] of Object.entries(marks)) {
  test(`calls of another program that marks its requests ${name} are forecast as they are billed`, async (t) => {
    const clock = fixedClock({ start: '2026-11-28T10:00:00.000Z' })
    const now = () => Date.parse(clock.time())
    const cache = simulatedCache({ rule: simulatedRules.anthropic(1024), now, tokens: tokenx.text })
    const vendor = await startVendor(t, ({ body }, outgoing) => {
      const read = JSON.parse(body.toString())
      const report = cache.report({ body: read }, { text: 'Hello.' })
      const usage = {
        input_tokens: report.promptTokens - report.cachedTokens - report.cacheWrittenTokens,
        cache_read_input_tokens: report.cachedTokens,
        cache_creation_input_tokens: report.cacheWrittenTokens,
        cache_creation: { ephemeral_1h_input_tokens: report.longWrittenTokens },
        output_tokens: 1,
      }
      outgoing.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
      outgoing.end(
        messagesEvents('Hello.').replace(/"usage":\{"input_tokens".*?\}/, `"usage":${JSON.stringify(usage)}`),
      )
    })
    const providers = { anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` } }
    const gateway = await startGateway(t, { providers, clock })
    for (const [index, each] of playedBodies.entries()) {
      await clock.advance(PAUSES[index]! * 60_000)
      await send(`${gateway.url}/through/anthropic/v1/messages`, {
        headers: [
          'x-foreword-token',
          gateway.token,
          'x-api-key',
          'own',
          'x-claude-code-session-id',
          'played',
          'user-agent',
          'claude-cli/2.1.330 (external, cli)',
        ],
        body: marked(JSON.stringify({ ...each, model: 'claude-opus-4-8' })),
      })
      await recordedCalls(gateway)
    }
    const calls = await recordedCalls(gateway)
    const price = (await gateway.runtime.model('anthropic/claude-opus-4-8')).facts.price!
    let [expected, paid] = [0, 0]
    for (const { manifest, outcome } of calls) {
      const { forecast } = manifest as SealedManifest
      const bill = callCost({ ...outcome!.usage!, outputTokens: 0 }, price)!
      const error = forecast!.money! / bill - 1
      assert.ok(Math.abs(error) <= 0.05, `${error} ${JSON.stringify([forecast, outcome!.usage])}`)
      expected += forecast!.money!
      paid += bill
    }
    assert.equal(calls.length, playedBodies.length)
    assert.ok(Math.abs(expected / paid - 1) <= 0.01, String(expected / paid - 1))
  })
}
