import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WaitingApproval } from '../../src/capability.ts'
import { open, recordedCalls, send, startGateway, talkToken, type TestGateway } from './gateway.ts'
import { answerMessages, messagesEvents, startVendor, type Vendor } from './vendor.ts'

/** A price at which sums are easy: a dollar for a million tokens of either kind. */
const models = {
  'anthropic/plain': { window: 100_000, price: { input: 1, output: 1 } },
  'openai/plain': { window: 100_000, price: { input: 1, output: 1 } },
}

async function openGateway(
  t: TestContext,
  {
    answer = answerMessages(),
    budgets,
    through = {},
  }: { answer?: Vendor['answer']; budgets: readonly object[]; through?: object },
) {
  const vendor = await startVendor(t, answer)
  const providers = {
    anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` },
    openai: { kind: 'openai', baseURL: `${vendor.url}/v1` },
  }
  const gateway = await startGateway(t, { providers, through, configuration: { models, budgets } })
  return { vendor, gateway }
}

const body = JSON.stringify({
  model: 'plain',
  stream: true,
  messages: [{ role: 'user', content: 'Say hello' }],
  max_tokens: 128_000,
})

function say(gateway: TestGateway, path = '/anthropic/v1/messages', content = body) {
  return send(`${gateway.url}/through${path}`, {
    headers: ['x-foreword-token', gateway.token, 'x-api-key', 'own'],
    body: content,
  })
}

test('room for an answer that a program never uses is not held', async (t) => {
  const { gateway, vendor } = await openGateway(t, { budgets: [{ limit: { usd: 0.01 }, per: 'day' }] })
  assert.equal((await say(gateway)).status, 200)
  assert.equal(vendor.received.length, 1)
  await recordedCalls(gateway)
  const [budget] = await gateway.runtime.budgets()
  assert.equal(budget?.held, 0)
  assert.ok(Math.abs((budget?.spent ?? 0) - 15e-6) < 1e-9, `${budget?.spent} spent`)
})

test('a call that could pass a budget is refused in the form of its API, with the status that its clients do not try again', async (t) => {
  const { gateway, vendor } = await openGateway(t, {
    budgets: [{ limit: { usd: 0.0001 }, per: 'day' }],
    through: { overBudget: 'refuse' },
  })
  const messages = await say(gateway)
  assert.equal(messages.status, 402)
  assert.equal(header(messages.rawHeaders, 'x-should-retry'), 'false')
  const said = JSON.parse(messages.body.toString()) as { type: string; error: { type: string; message: string } }
  assert.deepEqual([said.type, said.error.type], ['error', 'billing_error'])
  assert.match(said.error.message, /left of \$0\.00010 for the day/)
  const responses = await say(gateway, '/openai/v1/responses', JSON.stringify({ model: 'plain', input: 'Say hello' }))
  assert.equal(responses.status, 400)
  assert.equal((JSON.parse(responses.body.toString()) as { error: { code: string } }).error.code, 'insufficient_quota')
  assert.equal(vendor.received.length, 0)
  const [first] = await recordedCalls(gateway)
  assert.equal(first?.outcome?.error?.code, 'over-budget')
})

test('embeddings are held to a budget by what they send, and are on record with what that cost', async (t) => {
  const { gateway, vendor } = await openGateway(t, {
    budgets: [{ limit: { usd: 0.001 }, per: 'day' }],
    through: { overBudget: 'refuse' },
    answer: (_, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      const data = [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }]
      outgoing.end(
        JSON.stringify({ object: 'list', data, model: 'plain', usage: { prompt_tokens: 6, total_tokens: 6 } }),
      )
    },
  })
  const embed = (input: string | readonly string[]) =>
    say(gateway, '/openai/v1/embeddings', JSON.stringify({ model: 'plain', input, encoding_format: 'float' }))
  assert.equal((await embed(['One text.', 'Another text.'])).status, 200)
  const refused = await embed('word '.repeat(5_000))
  assert.equal(refused.status, 402)
  assert.equal(vendor.received.length, 1)
  const [first, second] = await recordedCalls(gateway)
  assert.equal(first?.foreign?.kind, 'embedding')
  assert.equal(first.manifest.entries.length, 1)
  assert.equal(first.outcome?.usage?.promptTokens, 6)
  assert.equal(second?.outcome?.error?.code, 'over-budget')
  assert.equal(second.session, first.session)
  const [budget] = await gateway.runtime.budgets()
  assert.ok(Math.abs((budget?.spent ?? 0) - 6e-6) < 1e-9, `${budget?.spent} spent`)
})

test('a stream of Chat Completions that reports no usage costs what can be estimated of it', async (t) => {
  const { gateway } = await openGateway(t, {
    budgets: [{ limit: { usd: 1 }, per: 'day' }],
    answer: (_, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      const chunk = (delta: object, finish: string | null) =>
        `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
      outgoing.end(`${chunk({ content: 'x'.repeat(700) }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`)
    },
  })
  const messages = [{ role: 'user', content: 'Say hello' }]
  await say(gateway, '/openai/v1/chat/completions', JSON.stringify({ model: 'plain', stream: true, messages }))
  const [call] = await recordedCalls(gateway)
  assert.equal(call?.outcome?.usageEstimated, true)
  assert.equal(call.outcome.usage?.outputTokens, 200)
  assert.equal(call.outcome.usage.promptTokens, call.manifest.used)
  const [budget] = await gateway.runtime.budgets()
  assert.ok(Math.abs((budget?.spent ?? 0) - (200 + call.manifest.used) / 1e6) < 1e-9, `${budget?.spent} spent`)
})

test('a call that its provider refuses costs nothing, and has the code of its status', async (t) => {
  let status = 0
  const { gateway } = await openGateway(t, {
    budgets: [{ limit: { usd: 1 }, per: 'day' }],
    answer: (_, outgoing) => void outgoing.writeHead(status).end('no'),
  })
  const statuses = [400, 401, 402, 404, 429, 500, 529]
  for (status of statuses) assert.equal((await say(gateway)).status, status)
  const calls = await recordedCalls(gateway)
  assert.deepEqual(
    calls.map(({ outcome }) => outcome?.error?.code),
    ['bad-request', 'auth', 'quota', 'bad-request', 'rate-limit', 'server', 'server'],
  )
  assert.equal((await gateway.runtime.budgets())[0]?.spent, 0)
})

test('a call waits until there is room for it', async (t) => {
  const begun = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const { gateway, vendor } = await openGateway(t, {
    budgets: [{ limit: { usd: 0.0035 }, per: 'day' }],
    answer: async (request, outgoing) => {
      begun.resolve()
      await go.promise
      await answerMessages()(request, outgoing)
    },
  })
  const first = say(gateway)
  await begun.promise
  const second = say(gateway)
  await waits(gateway)
  assert.equal(vendor.received.length, 1)
  go.resolve()
  assert.equal((await first).status, 200)
  assert.equal((await second).status, 200)
})

test('a caller that leaves while its call waits is not waited for', async (t) => {
  const { gateway, vendor } = await openGateway(t, { budgets: [{ limit: { usd: 0.0001 }, per: 'day' }] })
  const left = new AbortController()
  const sent = open(`${gateway.url}/through/anthropic/v1/messages`, {
    headers: ['x-foreword-token', gateway.token, 'x-api-key', 'own'],
    body,
    signal: left.signal,
  })
  await waits(gateway)
  left.abort()
  await assert.rejects(sent)
  const [call] = await recordedCalls(gateway)
  assert.equal(call?.outcome?.foreign?.end, 'left')
  assert.equal(vendor.received.length, 0)
})

test('an answer is stopped where it passes the limit', async (t) => {
  const { gateway, vendor } = await openGateway(t, {
    budgets: [{ limit: { usd: 0.0035 }, per: 'day' }],
    answer: (_, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      const [before] = messagesEvents('x'.repeat(30_000)).split('event: content_block_stop')
      outgoing.write(before)
      // It would go on for ever.
    },
  })
  const closed = vendor.next().then(({ incoming }) => once(incoming.socket, 'close'))
  await assert.rejects(say(gateway))
  await closed
  const [call] = await recordedCalls(gateway)
  assert.equal(call?.outcome?.foreign?.end, 'stopped')
  assert.equal(call.outcome?.usageEstimated, true)
  assert.ok((call.outcome?.usage?.outputTokens ?? 0) > 8_000)
  assert.match(gateway.warnings.join('\n'), /stopped at a limit/)
})

test('a person sees a call that waits, and lets it leave once', async (t) => {
  const { gateway, vendor } = await openGateway(t, { budgets: [{ limit: { usd: 0.0001 }, per: 'day' }] })
  const sent = say(gateway)
  const question = await asked(gateway)
  assert.deepEqual([question.session, question.request.tool], ['', 'model'])
  assert.match(question.held?.sentence ?? '', /This call may cost .* left of \$0\.00010 for the day/)
  const decision = { type: 'approve', scope: 'once' } as const
  const other = gateway.runtime.decide(question.approval, { decision, digest: 'other', by: 'cli' })
  await assert.rejects(other, /another call than the one that waits/)
  await gateway.runtime.decide(question.approval, { decision, digest: question.digest, by: 'cli' })
  assert.equal((await sent).status, 200)
  assert.equal(vendor.received.length, 1)
  assert.deepEqual(await gateway.runtime.approvals(), [])
  const again = gateway.runtime.decide(question.approval, { decision, digest: question.digest, by: 'cli' })
  await assert.rejects(again, /No call waits for approval/)
  const [call] = await recordedCalls(gateway)
  const audit = await gateway.runtime.store.audit({ turn: call!.id })
  assert.deepEqual(
    audit.map(({ decision: word, by }) => [word, by]),
    [
      ['asked', undefined],
      ['approved', 'cli'],
    ],
  )
})

test('a person refuses a call that waits, and its program is told why', async (t) => {
  const { gateway, vendor } = await openGateway(t, { budgets: [{ limit: { usd: 0.0001 }, per: 'day' }] })
  const sent = say(gateway)
  const { approval, digest } = await asked(gateway)
  const decision = { type: 'deny', reason: 'Not today.' } as const
  await gateway.runtime.decide(approval, { decision, digest, by: 'cli' })
  const { status, body: said } = await sent
  assert.equal(status, 402)
  assert.match(said.toString(), /a person refused it.*Not today\./)
  assert.equal(vendor.received.length, 0)
})

test('a limit that is raised for a waiting call is raised for the calls after it', async (t) => {
  const { gateway, vendor } = await openGateway(t, { budgets: [{ limit: { usd: 0.0001 }, per: 'day' }] })
  const sent = say(gateway)
  const { approval, digest } = await asked(gateway)
  await gateway.runtime.decide(approval, { decision: { type: 'approve', scope: 'session' }, digest, by: 'cli' })
  assert.equal((await sent).status, 200)
  assert.equal((await say(gateway)).status, 200)
  assert.equal(vendor.received.length, 2)
})

/** Answers that would never end, in every form in which a stream may come. `write` gets bytes of it. */
const endless: Readonly<
  Record<string, { path: string; event: (words: string) => string; parts: (event: string) => readonly string[] }>
> = {
  'Messages with spaces behind colons': {
    path: '/anthropic/v1/messages',
    event: (text) =>
      `event: content_block_delta\ndata: {"type" : "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text" : "${text}"}}\n\n`,
    parts: (event) => [event],
  },
  'Responses, each event in two parts': {
    path: '/openai/v1/responses',
    event: (delta) => `data: ${JSON.stringify({ type: 'response.output_text.delta', output_index: 0, delta })}\n\n`,
    parts: (event) => [event.slice(0, 45), event.slice(45)],
  },
  'Chat Completions with a second choice': {
    path: '/openai/v1/chat/completions',
    event: (content) => `data: ${JSON.stringify({ choices: [{ index: 1, delta: { content } }] })}\n\n`,
    parts: (event) => [event],
  },
  generateContent: {
    path: '/openai/v1beta/models/plain:streamGenerateContent?alt=sse',
    event: (text) => `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text }] } }] })}\r\n\r\n`,
    parts: (event) => [event.slice(0, 20), event.slice(20)],
  },
  'Chat Completions in another script': {
    path: '/openai/v1/chat/completions',
    event: (words) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { reasoning_content: '語'.repeat(words.length / 3) } }] })}\n\n`,
    parts: (event) => [event],
  },
}

for (const [form, { path, event, parts }] of Object.entries(endless)) {
  test(`twenty endless streams at once do not pass a limit by more than the bound of one answer: ${form}`, async (t) => {
    let written = 0
    const { gateway } = await openGateway(t, {
      budgets: [{ limit: { usd: 0.1 }, per: 'day' }],
      through: { overBudget: 'refuse' },
      answer: async (_, outgoing) => {
        outgoing.writeHead(200, { 'content-type': 'text/plain' })
        // A bound that ends the test where nothing else does: 20 times 17,000 tokens.
        for (let at = 0; at < 20 && !outgoing.destroyed; at += 1) {
          for (const part of parts(event('x'.repeat(3_000)))) {
            outgoing.write(part)
            written += 3_000 / 3.5 / parts('').length
            // No vendor is faster, and the gateway runs in this process, too.
            await sleep(5)
          }
        }
        outgoing.end()
      },
    })
    const messages = [{ role: 'user', content: 'Say hello' }]
    const content = JSON.stringify({ model: 'plain', stream: true, messages, input: 'Say hello', max_tokens: 60_000 })
    await Promise.allSettled(Array.from({ length: 20 }, () => say(gateway, path, content)))
    const calls = await recordedCalls(gateway)
    assert.equal(calls.length, 20)
    assert.ok(calls.some(({ outcome }) => outcome?.foreign?.end === 'stopped'))
    // What the buffers of twenty connections hold is written, too: on a busy machine up to 190,000 tokens. Unstopped, it is 343,000.
    assert.ok(written > 0.05e6 && written < 0.22e6, `${written} tokens were written`)
    assert.ok(((await gateway.runtime.budgets())[0]?.spent ?? 1) < 0.12)
  })
}

test('an answer that comes whole is held at all that it may be', async (t) => {
  const { gateway, vendor } = await openGateway(t, {
    budgets: [{ limit: { usd: 0.05 }, per: 'day' }],
    through: { overBudget: 'refuse' },
  })
  const ask = (max_tokens: number) =>
    say(gateway, '/openai/v1/chat/completions', JSON.stringify({ model: 'plain', messages: [], max_tokens }))
  assert.equal((await ask(60_000)).status, 402)
  assert.equal((await ask(40_000)).status, 200)
  assert.equal(vendor.received.length, 1)
  // A list of answers is no stream of events: nothing of it can be read before its end.
  const generate = (method: string, maxOutputTokens: number) =>
    say(
      gateway,
      `/openai/v1beta/models/plain:${method}`,
      JSON.stringify({ contents: [], generationConfig: { maxOutputTokens } }),
    )
  for (const method of ['generateContent', 'streamGenerateContent']) {
    const refused = await generate(method, 60_000)
    const { error } = JSON.parse(refused.body.toString()) as {
      error: { code: number; status: string; message: string }
    }
    assert.deepEqual([refused.status, error.code, error.status], [402, 402, 'FAILED_PRECONDITION'])
    assert.match(error.message, /left of \$0\.05/)
  }
  assert.equal((await generate('streamGenerateContent?alt=sse', 60_000)).status, 200)
})

test('a call that no budget can hold is refused or waits, and says so; where none applies it goes', async (t) => {
  const { gateway, vendor } = await openGateway(t, {
    budgets: [{ limit: { usd: 1 }, per: 'day', token: 'editor' }],
    through: { paths: ['POST /v1/images/generations'] },
    answer: (_, outgoing) => void outgoing.end('{}'),
  })
  const images = (token: string) =>
    send(`${gateway.url}/through/openai/v1/images/generations`, {
      headers: ['x-foreword-token', token, 'authorization', 'Bearer own'],
      body: JSON.stringify({ model: 'plain', prompt: 'A house' }),
    })
  assert.equal((await images(gateway.token)).status, 200)
  const sent = images(await talkToken(gateway))
  const { approval, digest } = await asked(gateway)
  assert.equal(vendor.received.length, 1)
  assert.match(gateway.warnings.join('\n'), /cannot be known: POST \/v1\/images\/generations of openai has no body/)
  await gateway.runtime.decide(approval, { decision: { type: 'deny' }, digest, by: 'cli' })
  const refused = await sent
  assert.equal(refused.status, 402)
  assert.match(refused.body.toString(), /what it may cost cannot be known|a person refused it/)
  const listed = await send(`${gateway.url}/through/openai/v1/models`, {
    method: 'GET',
    headers: ['x-foreword-token', await talkToken(gateway, 'other'), 'authorization', 'Bearer own'],
  })
  assert.equal(listed.status, 200)
})

/** The question about a call that waits, once there is one. */
async function asked({ runtime }: TestGateway): Promise<WaitingApproval> {
  for (;;) {
    const [question] = await runtime.approvals()
    if (question) return question
    await new Promise(setImmediate)
  }
}

/** Resolves once a call waits for room. */
async function waits(gateway: TestGateway): Promise<void> {
  while (!gateway.warnings.some((text) => text.includes(' waits for a decision: '))) await new Promise(setImmediate)
}

function header(pairs: readonly string[], name: string): string | undefined {
  return pairs[pairs.findIndex((each, at) => at % 2 === 0 && each.toLowerCase() === name) + 1]
}

test('where what was spent cannot be read, no call under a budget leaves', async (t) => {
  const { gateway, vendor } = await openGateway(t, { budgets: [{ limit: { usd: 1 }, per: 'day' }] })
  writeFileSync(join(gateway.home, 'data', 'budgets.sqlite'), 'no ledger, but as long as one would be'.repeat(100))
  const answer = await say(gateway)
  assert.equal(answer.status, 402)
  assert.match(answer.body.toString(), /was not made, since its budget could not be asked/)
  assert.equal(vendor.received.length, 0)
})
