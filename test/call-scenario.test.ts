import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { type CallFigures, outline, type Manifest, type Scenario } from '../src/context.ts'
import type { ScriptedAnswer } from '../src/testing.ts'
import { realGateway, type RealGateway } from './end-to-end/gateway.ts'

/** Small enough for cuts, large enough for skills. */
const configuration = { models: { 'ollama/scripted': { window: 3000 } }, context: { reserve: 500, margin: 0 } }

async function gatewayWithSkill(t: TestContext): Promise<RealGateway> {
  const answer = ({ newest }: { readonly newest: string }) => ({ text: `${newest} `.repeat(60) })
  return realGateway(t, { answer }, configuration, async (home) => {
    mkdirSync(join(home, 'skills', 'letters'), { recursive: true })
    const words = 'Write every letter by hand. '.repeat(20)
    writeFileSync(
      join(home, 'skills', 'letters', 'SKILL.md'),
      `---\nname: letters\ndescription: Letters\n---\n${words}`,
    )
  })
}

/** What the command makes of a scenario, as `foreword assemble` prints it. */
async function assembled({ home, foreword }: RealGateway, scenario: Scenario): Promise<string> {
  const file = join(home, 'scenario.json')
  writeFileSync(file, JSON.stringify(scenario))
  const { code, stdout, stderr } = await foreword('assemble', file)
  assert.equal(code, 0, stderr)
  return stdout.trimEnd()
}

test('the scenario of every call of a session, and of the next one, has the outline of its manifest', async (t) => {
  const gateway = await gatewayWithSkill(t)
  const { curl, say } = gateway
  const { session, calls } = await say('first words '.repeat(30))
  const made = [...calls]
  for (const text of ['second', 'third', 'fourth', 'fifth']) {
    made.push(...(await say(`${text} words `.repeat(30), { session })).calls)
  }
  for (const call of made) {
    const manifest = await curl<Manifest>(`/api/calls/${call}/manifest`)
    const scenario = await curl<Scenario>(`/api/calls/${call}/scenario`)
    assert.equal(await assembled(gateway, scenario), outline(manifest))
  }
  const last = await curl<Manifest>(`/api/calls/${made.at(-1)!}/manifest`)
  assert.notEqual(last.cut, undefined, 'the session was cut')
  const body = { session, input: 'sixth words' }
  const { manifest } = await curl<{ readonly manifest: Manifest }>('/api/context', body)
  const next = await curl<Scenario>('/api/context/scenario', body)
  assert.equal(await assembled(gateway, next), outline(manifest))
})

test('a file, a turn that was taken back and a call of a tool are in the scenario, too', async (t) => {
  const answer = ({ newest }: { readonly newest: string }, n: number): ScriptedAnswer =>
    n === 1 ? { toolCalls: [{ name: 'read_history', input: {} }] } : { text: `${newest.slice(0, 20)} ` }
  const gateway = await realGateway(t, { answer }, configuration)
  const { curl, say, url, token } = gateway
  const form = new FormData()
  form.append('file', new Blob(['Bread, milk, salt. '.repeat(10)], { type: 'text/plain' }), 'list.txt')
  const headers = { authorization: `Bearer ${token}` }
  const { files } = (await (await fetch(`${url}/api/files`, { method: 'POST', headers, body: form })).json()) as {
    readonly files: readonly { readonly id: string }[]
  }
  const begun = await curl<{ readonly session: string; readonly turn: string }>('/api/messages', {
    text: 'what is on it?',
    attachments: [files[0]!.id],
  })
  const { session } = begun
  const first = await curl<{ readonly calls: readonly string[] }>(
    `/api/sessions/${session}/turns/${begun.turn}?wait=20000`,
  )
  await say('a mistake', { session })
  await curl(`/api/sessions/${session}/undo`, {})
  const last = await say('and now?', { session })
  for (const call of [...first.calls, ...last.calls]) {
    const manifest = await curl<Manifest>(`/api/calls/${call}/manifest`)
    const scenario = await curl<Scenario>(`/api/calls/${call}/scenario`)
    assert.equal(await assembled(gateway, scenario), outline(manifest))
  }
  assert.equal(first.calls.length, 2)
  const shown = await gateway.foreword('calls', session, first.calls[1]!)
  const rows = [...shown.stdout.matchAll(/^input +(\S.*?) {2,}full +(\d+) /gm)]
  assert.deepEqual(
    rows.map(([, name]) => name),
    ['list.txt', 'message', 'call of read_history', 'result of read_history'],
  )
  const { figures } = await curl<{ readonly figures: CallFigures }>(`/api/calls/${first.calls[1]!}/manifest`)
  const listed = [...shown.stdout.matchAll(/^\w[\w-]+ {2,}\S.*? {2,}(?:full|words|list) +(\d+) /gm)]
  assert.equal(
    listed.reduce((sum, [, tokens]) => sum + Number(tokens), 0),
    figures.total,
  )
  const scenario = await curl<Scenario>(`/api/calls/${last.calls[0]!}/scenario`)
  assert.deepEqual([scenario.attachments.length, scenario.undone?.length], [1, 1])
})

test('a scenario with more history has the turns that were cut, for a larger window', async (t) => {
  const { curl, say } = await gatewayWithSkill(t)
  const { session } = await say('first words '.repeat(60))
  for (const text of ['second', 'third', 'fourth', 'fifth']) await say(`${text} words `.repeat(60), { session })
  const sent = await curl<Scenario>('/api/context/scenario', { session })
  const whole = await curl<Scenario>('/api/context/scenario', { session, history: 100_000 })
  assert.ok(sent.history.length < 5)
  assert.equal(whole.history.length, 5)
  assert.deepEqual([whole.cut, whole.earlier], [undefined, undefined])
})

test('a scenario is kept by `foreword check`, and what cannot be one is refused with a hint', async (t) => {
  const { curl, say, home, foreword, openai } = await gatewayWithSkill(t)
  const { calls } = await say('hello')
  const folder = join(home, 'kept')
  mkdirSync(folder)
  const scenario = await curl<Scenario>(`/api/calls/${calls[0]!}/scenario`)
  writeFileSync(join(folder, 'hello.json'), JSON.stringify(scenario))
  assert.equal((await foreword('check', folder, '--update')).code, 0)
  assert.equal((await foreword('check', folder)).code, 0)

  await openai.chat.completions.create({ model: 'ollama/scripted', messages: [{ role: 'user', content: 'as it is' }] })
  const listed = await curl<{ readonly calls: readonly { readonly id: string }[] }>('/api/calls')
  await assert.rejects(curl(`/api/calls/${listed.calls[0]!.id}/scenario`), /"invalid-input".*"hint"/)
})

test('the history of a layer has its versions and the calls that read each', async (t) => {
  const { curl, say, home } = await gatewayWithSkill(t)
  const first = await say('hello')
  const second = await say('hello again', { session: first.session })
  writeFileSync(
    join(home, 'skills', 'letters', 'SKILL.md'),
    '---\nname: letters\ndescription: Letters\n---\nType every letter.',
  )
  await curl('/api/reload?now=true', {})
  const third = await say('and again', { session: first.session })
  const { versions } = await curl<{
    readonly versions: readonly { readonly text: string; readonly readers: readonly { readonly call: string }[] }[]
  }>(`/api/layers/skills/history?session=${first.session}`)
  assert.deepEqual(
    versions.map(({ readers }) => readers.map(({ call }) => call)),
    [third.calls, [...second.calls, ...first.calls]],
  )
  assert.match(versions[0]!.text, /Type every letter/)
  assert.match(versions[1]!.text, /by hand/)
})

test('the history of one section of a layer has only the versions that changed it, and that of an origin every layer of it', async (t) => {
  const { curl, say, home } = await gatewayWithSkill(t)
  const write = (name: string, text: string) => {
    mkdirSync(join(home, 'skills', name), { recursive: true })
    writeFileSync(join(home, 'skills', name, 'SKILL.md'), `---\nname: ${name}\ndescription: x\n---\n${text}`)
  }
  const agent = await curl<{ readonly id: string }>('/api/agents', {
    name: 'Poet',
    prompt: 'In verse.',
    reminder: 'Rhyme.',
  })
  const { id: session } = await curl<{ readonly id: string }>('/api/sessions', { agent: agent.id })
  const first = await say('one', { session })
  write('numbers', 'In words.')
  await curl('/api/reload?now=true', {})
  const second = await say('two', { session })
  write('letters', 'Type.')
  await curl('/api/reload?now=true', {})
  const third = await say('three', { session })

  interface History {
    readonly versions: readonly {
      readonly id: string
      readonly text: string
      readonly readers: readonly { readonly call: string }[]
    }[]
  }
  const read = async (path: string) =>
    (await curl<History>(`/api/layers/${path}`)).versions.map(({ id, text, readers }) => [
      id,
      text.slice(-5),
      readers.map(({ call }) => call),
    ])
  assert.deepEqual(await read(`skills/history?session=${session}&part=letters`), [
    ['skills', 'Type.', third.calls],
    ['skills', 'hand.', [...second.calls, ...first.calls]],
  ])
  assert.deepEqual(await read(`skills/history?session=${session}&part=numbers`), [
    ['skills', 'ords.', [...third.calls, ...second.calls]],
  ])
  assert.deepEqual(await read(`skills/history?session=${session}&part=nothing`), [])
  const all = [...third.calls, ...second.calls, ...first.calls]
  assert.deepEqual(await read(`*/history?session=${session}&origin=agent/${agent.id}`), [
    ['custom-agent', 'erse.', all],
    ['agent-reminder', 'hyme.', all],
  ])
  const { sources } = await curl<{
    readonly sources: readonly { readonly id: string; readonly parts: readonly string[] }[]
  }>(`/api/layers?session=${session}`)
  assert.deepEqual(sources.find(({ id }) => id === 'skills')?.parts, ['letters', 'numbers'])
})
