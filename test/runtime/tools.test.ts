import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { outputText, toolResults, unframedResults } from '../../src/context.ts'
import type { WithheldTool } from '../../src/capability.ts'
import { scriptedModel } from '../../src/testing.ts'
import { type AccessRead, accessFile, readAccess, readText } from '../../src/tool.ts'
import { opened, tool } from './opened.ts'

const ok = async () => ({ ok: true, output: 'done' }) as const

test('a tool that may not run is not offered, and is refused all the same', async (t) => {
  const model = scriptedModel({
    answer: (_request, n) => (n === 1 ? { toolCalls: [{ name: 'forbidden', input: {} }] } : { text: 'So be it.' }),
  })
  const access = () => readAccess('{"global": {"allowedTools": ["allowed"]}}', {})
  const here = await opened(t, { model, access, tools: [tool('allowed', ok), tool('forbidden', ok)] })
  const { session } = await here.say('Go.')
  assert.deepEqual(namesOf(model, 0), ['allowed', 'read_result', 'read_history'])
  const ends = (await here.log(session)).filter((entry) => entry.type === 'tool-end')
  assert.deepEqual(
    ends.map(({ ok: went, output }) => [went, output]),
    [[false, 'Tool is not in allowlist: forbidden']],
  )
  const [refused] = await here.store.audit({ decision: 'refused' })
  assert.deepEqual([refused?.tool, refused?.rule], ['forbidden', 'global.allowedTools'])
})

test('a message that asks for calls without end runs some, and says of the others that they did not run', async (t) => {
  let atOnce = 0
  const busy = tool('busy', async () => {
    atOnce += 1
    return { ok: true, output: 'done' }
  })
  const toolCalls = Array.from({ length: 100 }, () => ({ name: 'busy', input: {} }))
  const model = scriptedModel({ answer: (_request, n) => (n === 1 ? { toolCalls } : { text: 'Enough.' }) })
  const here = await opened(t, { model, tools: [busy] })
  const { outcome } = await here.say('Go.')
  assert.deepEqual([outcome, atOnce], [{ type: 'completed' }, 64])
  const refused = await here.store.audit({ decision: 'refused' })
  assert.deepEqual([refused.length, refused[0]?.rule], [36, 'too-many-calls'])
})

test('a provider that gives the same call id in every step gets a run and a result of its own for each, in words and on disk', async (t) => {
  let runs = 0
  const count = tool('count', async () => {
    runs += 1
    return { ok: true, output: `run ${runs}` }
  })
  const model = scriptedModel({
    answer: (_request, n) => (n < 4 ? { toolCalls: [{ id: 'call_0', name: 'count', input: {} }] } : { text: 'Three.' }),
  })
  const here = await opened(t, { model, tools: [count] })
  const { session, outcome } = await here.say('Count to three.')
  assert.deepEqual([outcome, runs], [{ type: 'completed' }, 3])
  const log = await here.log(session)
  const outputs = log.flatMap((entry) => (entry.type === 'tool-end' ? [entry.output] : []))
  assert.deepEqual(outputs, ['run 1', 'run 2', 'run 3'])
  const read = model.calls.at(-1)!.request.messages.flatMap((message) => toolResults(unframedResults(message)))
  assert.deepEqual(
    read.map(({ output }) => outputText(output)),
    ['run 1', 'run 2', 'run 3'],
  )
  assert.deepEqual((await here.runtime.replay(session)).different, [])
})

test('two equal calls in one step run both and send a long result once; other calls and other results are sent whole', async (t) => {
  let runs = 0
  const long = tool('long', async (input) => {
    runs += 1
    const { odd } = input as { readonly odd?: boolean }
    return { ok: true, output: `${odd ? `${runs}: ` : ''}${'the sea is calm. '.repeat(100)}` }
  })
  const toolCalls = [
    { id: 'a', name: 'long', input: { x: 1, y: 2 } },
    { id: 'b', name: 'long', input: { y: 2, x: 1 } },
    { id: 'c', name: 'long', input: { x: 2 } },
    { id: 'd', name: 'long', input: { odd: true } },
    { id: 'e', name: 'long', input: { odd: true } },
  ]
  const model = scriptedModel({ answer: (_request, n) => (n === 1 ? { toolCalls } : { text: 'Calm.' }) })
  const here = await opened(t, { model, tools: [long] })
  const { session, outcome } = await here.say('How is the sea?')
  assert.deepEqual([outcome, runs], [{ type: 'completed' }, 5])
  const read = model.calls.at(-1)!.request.messages.flatMap((message) => toolResults(unframedResults(message)))
  const [first, second, ...others] = read.map(({ output }) => outputText(output))
  assert.equal(first?.length, 1700)
  assert.match(second!, /^\[The equal call (\S+) above has the same result\.\]$/)
  assert.ok(second!.includes(read[0]!.toolCallId))
  assert.deepEqual(
    others.map(({ length }) => length),
    [1700, 1703, 1703],
  )
  const ends = (await here.log(session)).filter((entry) => entry.type === 'tool-end')
  assert.ok(
    ends.every(({ output }) => output.length >= 1700),
    'the log keeps what each call gave',
  )
  assert.deepEqual((await here.runtime.replay(session)).different, [])
})

test('a tool whose definition has changed is not run from the step on in which that is known, and the next turn is told', async (t) => {
  const model = scriptedModel({
    answer: (_request, n) => (n < 3 ? { toolCalls: [{ name: 'far__tide', input: {} }] } : { text: 'So be it.' }),
  })
  const withheld: WithheldTool[] = []
  const tide = tool('far__tide', async () => {
    withheld.push({ name: 'far__tide', accepted: undefined, offered: undefined, digest: '0'.repeat(64) })
    return { ok: true, output: 'high' }
  })
  const far = { name: 'far', version: '1', tools: () => [tide], withheld: () => withheld }
  const here = await opened(t, { model, plugins: [far] })
  const { session } = await here.say('Go.')
  assert.deepEqual(
    [namesOf(model, 0), namesOf(model, 1)],
    [
      ['far__tide', 'read_result', 'read_history'],
      ['far__tide', 'read_result', 'read_history'],
    ],
  )
  await here.say('And now?', { session })
  assert.match(JSON.stringify(model.calls.at(-1)!.request.messages), /these tools cannot be called: far__tide\./)
  const ends = (await here.log(session)).filter((entry) => entry.type === 'tool-end')
  assert.deepEqual(
    ends.map(({ ok: went }) => went),
    [true, false],
  )
  const [refused] = await here.store.audit({ decision: 'refused' })
  assert.deepEqual([refused?.tool, refused?.rule], ['far__tide', 'withheld'])
  assert.equal((await here.runtime.planTool('far__tide', {})).type, 'refused')
})

test('a change of tool-access.json holds from the next step on, and a faulty one allows nothing', async (t) => {
  const model = scriptedModel({
    answer: (_request, n) => (n < 4 ? { toolCalls: [{ name: 'tick', input: {} }] } : { text: 'Enough.' }),
  })
  const before = await opened(t)
  const file = join(before.home, 'tool-access.json')
  const contents = ['{"global": {"mode": "off"}}', '{"global": {"mode": "ful"}}', '{"global": {"mode": "full"}}']
  const tick = tool('tick', async () => {
    writeFileSync(file, contents.shift() ?? '{}')
    return { ok: true, output: 'tick' }
  })
  writeFileSync(file, '{"global": {"allowedTools": ["tick"]}}')
  const policy = accessFile([file], {}, readText)
  const here = await before.reopened({ model, tools: [tick], policy })
  const { session } = await here.say('Go.')
  const ends = (await here.log(session)).filter((entry) => entry.type === 'tool-end')
  assert.equal(ends[0]?.output, 'tick')
  assert.equal(ends[1]?.output, 'Tools are disabled (mode=off).')
  // The definition stays until the head is composed again; the call is refused.
  assert.deepEqual(namesOf(model, 1), namesOf(model, 0))
  writeFileSync(file, '{"global": {"mode": "ful"}}')
  const { warnings } = await here.runtime.status()
  assert.match(warnings.join('\n'), /tool-access\.json: .*mode/)
  assert.deepEqual([...new Set((await here.runtime.tools()).map((each) => each.access))], ['refused'])
})

test('with tools disabled, nothing at all is offered', async (t) => {
  const model = scriptedModel()
  const access = (): AccessRead => readAccess('{"global": {"enabled": false}}', {})
  const here = await opened(t, { model, access, tools: [tool('one', ok)] })
  await here.say('Hello.')
  assert.deepEqual(namesOf(model, 0), [])
})

test('a long result is shown by its beginning and its end, kept whole, and read in pages', async (t) => {
  const whole = Array.from({ length: 5000 }, (_, line) => `line ${line}`).join('\n')
  let asked = ''
  const model = scriptedModel({
    answer: ({ messages }, n) => {
      const last = JSON.stringify(messages.at(-1))
      if (n === 1) return { toolCalls: [{ name: 'long', input: {} }] }
      const found = /id (r-[0-9a-f]+), offset (\d+)/.exec(last)
      if (n > 2 || !found) return { text: last.slice(0, 100) }
      asked = last
      return { toolCalls: [{ name: 'read_result', input: { id: found[1], offset: Number(found[2]) } }] }
    },
  })
  const long = tool('long', async () => ({ ok: true, output: whole }))
  const here = await opened(t, { model, tools: [long], settings: { maxResultChars: 1_000 } })
  const { session } = await here.say('Go.')
  assert.match(asked, /line 0\\nline 1/)
  assert.match(asked, /line 4999/)
  const ends = (await here.log(session)).filter((entry) => entry.type === 'tool-end')
  const [first, second] = ends
  assert.ok(first!.output.length < 1_200)
  assert.equal(first!.stored?.characters, whole.length)
  assert.equal(await here.store.content(first!.stored.content.replace('sha256:', '')), whole)
  assert.ok(second!.ok)
  assert.ok(whole.startsWith(second!.output.slice(0, 300), 700), 'the page goes on where the shown text ended')
})

test('what a search found is cut document by document, and the words of each stay under its number', async (t) => {
  const words = (name: string) => Array.from({ length: 400 }, (_, at) => `${name}${at}`).join(' ')
  const names = ['alpha', 'beta', 'gamma', 'delta']
  const documents = names.map((name) => ({ document: name, title: name, content: words(name) }))
  const model = scriptedModel({
    answer: (_request, n) =>
      n === 1 ? { toolCalls: [{ name: 'seek', input: { query: 'beta390' } }] } : { text: 'ok' },
  })
  const seek = tool('seek', async () => ({ ok: true, output: '', meta: { documents } }))
  const here = await opened(t, { model, tools: [seek], settings: { maxResultChars: 2_000 } })
  const { session } = await here.say('Go.')
  const end = (await here.log(session)).find((entry) => entry.type === 'tool-end')
  assert.ok(end!.output.length <= 2_000)
  const { results, left_out: leftOut } = JSON.parse(end!.output) as {
    results: { citation_id: number; content: string }[]
    left_out: string
  }
  assert.deepEqual(
    results.map(({ citation_id: id }) => id),
    [1, 2, 3, 4],
  )
  for (const [at, { content }] of results.entries()) {
    assert.deepEqual([...new Set(content.match(/[a-z]+(?=\d)/g))], [names[at]])
  }
  assert.match(results[1]!.content, /beta390/)
  assert.match(leftOut, /^\d+ of \d+ characters left out; read_result shows them: id r-[0-9a-f]+, offset 0$/)
})

test('a stored result is read by its own session alone', async (t) => {
  const model = scriptedModel({
    answer: ({ messages }) => {
      const said = JSON.stringify(messages.at(-1)?.content)
      if (messages.at(-1)?.role === 'tool') return { text: 'ok' }
      const id = /r-[0-9a-f]+/.exec(said)?.[0]
      return { toolCalls: [id ? { name: 'read_result', input: { id } } : { name: 'long', input: {} }] }
    },
  })
  const long = tool('long', async () => ({ ok: true, output: 'secret '.repeat(2000) }))
  const here = await opened(t, { model, tools: [long], settings: { maxResultChars: 1_000 } })
  const one = await here.say('Go.')
  const end = (await here.log(one.session)).find((entry) => entry.type === 'tool-end')
  const id = end?.type === 'tool-end' ? end.stored!.id : ''
  const other = await here.say(`Read ${id}`)
  const told = (await here.log(other.session)).findLast((entry) => entry.type === 'tool-end')
  assert.deepEqual([told?.ok, told?.output], [false, `there is no stored result ${id} in this conversation`])
})

test('earlier results of a turn leave less room for the results of its later steps', async (t) => {
  const model = scriptedModel({
    answer: (_request, n) => (n < 5 ? { toolCalls: [{ name: 'long', input: {} }] } : { text: 'ok' }),
  })
  const long = tool('long', async () => ({ ok: true, output: 'x'.repeat(9_000) }))
  const settings = { maxResultChars: 10_000, maxTurnResultChars: 20_000 }
  const here = await opened(t, { model, tools: [long], settings })
  const { session } = await here.say('Go.')
  const lengths = (await here.log(session)).flatMap((entry) => (entry.type === 'tool-end' ? [entry.output.length] : []))
  assert.deepEqual(lengths.slice(0, 2), [9_000, 9_000])
  assert.ok(lengths[2]! < 2_200 && lengths[3]! < 1_200, String(lengths))
})

test('every call leaves its decision and its outcome in the audit, and the chain is whole', async (t) => {
  const model = scriptedModel({
    answer: (_request, n) => (n === 1 ? { toolCalls: [{ name: 'one', input: { a: 1 } }] } : { text: 'ok' }),
  })
  const here = await opened(t, { model, tools: [tool('one', ok)] })
  const { session, turn } = await here.say('Go.')
  const records = await here.store.audit({ session })
  assert.deepEqual(
    records.map(({ kind, tool: name, input, decision, ok: went, bytes, turn: of }) => [
      kind,
      name,
      input,
      decision,
      went,
      bytes,
      of === turn,
    ]),
    [
      ['decision', 'one', '{"a":1}', 'allowed', undefined, undefined, true],
      ['call', 'one', '{"a":1}', undefined, true, 4, true],
    ],
  )
  const [asking] = await here.store.calls(session)
  for (const { call, request } of records) assert.deepEqual([call, request], [asking!.id, asking!.requestDigest])
  const { number, hash } = records[1]!
  const checkpoints = { targets: [], restores: [] }
  assert.deepEqual(await here.runtime.verifyAudit(), { type: 'whole', records: 2, head: { number, hash }, checkpoints })
})

test('a tool is tried outside every turn: first described, then run by the digest of what was shown', async (t) => {
  const runs: unknown[] = []
  const one = tool('one', async (input) => {
    runs.push(input)
    return { ok: true, output: 'ran' }
  })
  const here = await opened(t, { tools: [one] })
  const trial = await here.runtime.planTool('one', { a: 1 })
  assert.ok(trial.type === 'allowed')
  assert.deepEqual(runs, [])
  await assert.rejects(here.runtime.runTool('one', { a: 2 }, trial.digest), { code: 'decided' })
  assert.deepEqual(await here.runtime.runTool('one', { a: 1 }, trial.digest), { ok: true, output: 'ran' })
  assert.deepEqual(runs, [{ a: 1 }])
  await assert.rejects(here.runtime.planTool('none', {}), { code: 'not-found' })
  const refused = await here.runtime.planTool('one', 'text')
  assert.deepEqual(refused, { type: 'refused', rule: 'input-schema', error: 'arguments must be an object' })
})

function namesOf(model: ReturnType<typeof scriptedModel>, call: number): readonly string[] {
  return model.calls[call]!.request.tools.map(({ name }) => name)
}
