import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { explainCall } from '../../src/capabilities/inspector/explain-call.ts'
import { providers as known } from '../../src/capabilities/providers.ts'
import { createModels } from '../../src/model.ts'
import { systemClock } from '../../src/platform.ts'
import type { CallRecord } from '../../src/session.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import type { ScriptedAnswer, Wire } from '../../src/testing/scripted-provider-answer.ts'
import { strictFault } from '../kit/strict-formats.ts'
import { type Opened, opened, tool } from './opened.ts'

/** What each model has signed or encrypted: it takes back nothing else. */
const issued = new Map<string, Set<string>>()
let next: () => ScriptedAnswer = () => ({ text: 'Well.' })
let refused = 0

const server = await scriptedProvider({
  models: [{ name: 'one' }, { name: 'two' }],
  answer({ wire, model, body, headers }) {
    const owner = `${String(headers['authorization'] ?? headers['x-api-key'])} ${model}`
    const own = issued.get(owner) ?? new Set()
    issued.set(owner, own)
    const why = strictFault(wire, body, own)
    if (why) {
      refused += 1
      return { status: 400, body: { error: { message: why, type: 'invalid_request_error' } } }
    }
    const answer = next()
    if (answer.signature) own.add(answer.signature)
    return answer
  },
})
after(() => server.close())

const formats = [
  ['anthropic', 'anthropic', {}],
  ['openai-responses', 'openai', { api: 'responses' }],
  ['openai-chat', 'openai-compatible', {}],
] as const satisfies readonly (readonly [Wire, string, object])[]

function modelsOf(kind: string, entry: object, keys: Readonly<Record<string, string>>) {
  const provider = (apiKeyEnv: string) => ({ kind, ...entry, baseURL: server.url, apiKeyEnv })
  return createModels({
    clock: systemClock,
    known,
    environment: keys,
    providers: { here: provider('HERE'), there: provider('THERE') },
    models: Object.fromEntries(
      ['here/one', 'here/two', 'there/one'].map((id) => [id, { reasoning: true, tools: true, window: 32_768 }]),
    ),
  })
}

const look = tool('look', async () => ({ ok: true, output: 'Seen.' }))
const keys = { HERE: 'sk-here-0123456789', THERE: 'sk-there-0123456789' }

/** A turn with a call, both signed by the model. */
async function signedTurn(at: Opened, name: string, session?: string) {
  let step = 0
  next = () => {
    step += 1
    const signature = `${name}-${step}`
    return step === 1
      ? { reasoning: 'Hm.', signature, toolCalls: [{ name: 'look', input: {} }] }
      : { reasoning: 'So.', signature, text: 'Done.' }
  }
  const { outcome, ...view } = await at.say('Look.', session ? { session } : { model: 'here/one' })
  assert.deepEqual(outcome, { type: 'completed' })
  return view
}

function explained(record: CallRecord | undefined): string {
  const { sentences } = explainCall({ record: record! }, undefined) as {
    readonly sentences: readonly string[]
  }
  return sentences.join('\n')
}

test('what a model said and no server takes is sent in another form: the call says what, and the log has what was said', async (t) => {
  const id = 'functions.look:0'
  const models = modelsOf('openai-compatible', {}, keys)
  const settings = { model: 'here/one', retryDelaysMs: [] } as const
  const at = await opened(t, { models, tools: [look], settings })
  let step = 0
  next = () => {
    step += 1
    if (step > 1) return { text: 'Done.' }
    const calls = [
      { id, name: 'functions.look', input: { word: 'h\ud83d' } },
      { id: 'c2', name: 'look', input: '[1]' },
    ]
    return { text: '<think>Hm.</think>Well.', toolCalls: calls }
  }
  const { session } = await at.say('Look.')
  await at.say('Go on.', { session })
  const [first, ...later] = await at.store.calls(session)
  assert.equal(first?.outcome?.wire?.corrections, undefined)
  const corrections = { reasoning: 1, 'call-id': 1, 'tool-name': 1, character: 1, arguments: 1 }
  for (const call of later) assert.deepEqual(call.outcome?.wire?.corrections, corrections)
  assert.match(
    explained(later[0]),
    /Ids of calls in a form that every server accepts: 1\. The log has what the model said\./,
  )
  const log = JSON.stringify(await at.log(session))
  for (const said of [id, 'functions.look', '\\ud83d', 'Hm.']) assert.ok(log.includes(said), said)
  assert.deepEqual((await at.runtime.replay(session)).wires?.different, [])
})

for (const [wire, kind, entry] of formats) {
  test(`${wire}: what one server has sealed goes to no other server and no other model, and back to its own, after a restart too`, async (t) => {
    const models = modelsOf(kind, entry, keys)
    let at = await opened(t, { models, tools: [look], settings: { reasoning: 'low', retryDelaysMs: [] } })
    refused = 0
    const { session } = await signedTurn(at, `${wire} first`)
    for (const id of ['there/one', 'here/two', 'here/one']) {
      await at.runtime.setModel(session, id)
      await signedTurn(at, `${wire} ${id}`, session)
    }
    at = await at.reopened()
    for (const id of ['there/one', 'here/one']) {
      await at.runtime.setModel(session, id)
      await signedTurn(at, `${wire} again ${id}`, session)
      const { bytes } = server.requests.at(-1)!
      assert.equal(bytes.includes(`${wire} first-1`), id === 'here/one', `${id} is sent its own alone`)
    }
    assert.equal(refused, 0)
    const log = JSON.stringify(await at.log(session))
    for (const id of ['first', 'there/one', 'here/two']) assert.match(log, new RegExp(`${wire} ${id}-1`))
    const { different, wires } = await at.runtime.replay(session)
    assert.deepEqual([different, wires?.different], [[], []])
  })

  test(`${wire}: a server that no longer reads what it has sealed is asked again without that, and the call says so`, async (t) => {
    const setting = { tools: [look], settings: { model: 'here/one', reasoning: 'low', retryDelaysMs: [] } as const }
    const at = await opened(t, { models: modelsOf(kind, entry, keys), ...setting })
    const { session } = await signedTurn(at, `${wire} old`)
    const now = await at.reopened({ models: modelsOf(kind, entry, { ...keys, HERE: 'sk-of-another-account' }) })
    refused = 0
    await signedTurn(now, `${wire} new`, session)
    assert.equal(refused, 1, 'only the first request has it')
    assert.ok(server.requests.at(-1)!.bytes.includes(`${wire} new-1`), 'what the account has sealed itself goes back')
    const [call] = (await now.store.calls(session)).slice(-2)
    assert.deepEqual(call!.outcome?.wire?.changes, { 'sealed reasoning of earlier turns': null })
    assert.match(explained(call), /Left out, since the server refuses it: sealed reasoning of earlier turns\./)
    assert.deepEqual((await now.runtime.replay(session)).wires?.different, [])
  })
}
