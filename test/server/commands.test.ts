import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { SlashCommand } from '../../src/capability.ts'
import { createServer, hostedOptions } from '../../src/server.ts'
import type { HostedRuntime } from '../../src/runtime.ts'
import { openedHome } from '../home/opened-home.ts'

/** A command of a capability, over the HTTP API. */
const countSessions: SlashCommand = {
  argument: '[WORD]',
  summary: 'count the sessions',
  async run({ argument, ask }) {
    const { sessions } = await ask<{ readonly sessions: readonly object[] }>('/api/sessions')
    if (argument === 'fail') await ask('/api/sessions/nowhere')
    return `${sessions.length} ${argument}`.trim()
  },
}

async function served(t: TestContext) {
  const { runtime, say } = await openedHome(t)
  const hosted = runtime as unknown as HostedRuntime
  const options = await hostedOptions(hosted)
  const own = { name: 'own', slashCommands: { count: countSessions } }
  const contributions = [...options.contributions!, own]
  const server = createServer(hosted, { ...options, contributions, version: '0', bind: '127.0.0.1' })
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what is answered
  const ask = async <Answer>(
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: Answer }> => {
    const method = body === undefined ? 'GET' : 'POST'
    const init =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    const response = await server.fetch(new Request(`http://127.0.0.1${path}`, { method, ...init }))
    return { status: response.status, body: (await response.json()) as Answer }
  }
  return { runtime, say, ask }
}

test('the choices of a session are listed with what none means, and their layouts can be chosen', async (t) => {
  const { ask } = await served(t)
  const { body } = await ask<{ choices: { name: string; none: string }[] }>('/api/choices')
  assert.deepEqual(body.choices.map(({ name }) => name).toSorted(), ['agent', 'layout', 'project', 'skills', 'subject'])
  const made = await ask<{ id: string; layout: string }>('/api/sessions', { layout: 'hoopo' })
  const known = await ask<{ options: { id: string }[] }>('/api/choices/layout')
  const other = known.body.options.map(({ id }) => id).find((id) => id !== 'auto')!
  assert.equal(made.status, 404, 'an unknown layout is refused')
  const { body: session } = await ask<{ id: string }>('/api/sessions', { layout: other })
  const preview = await ask<{ manifest: { layout: string } }>('/api/context', { session: session.id, input: 'hi' })
  assert.equal(preview.body.manifest.layout, other)
})

test('what a session chose as its layout goes before the layout of its agent', async (t) => {
  const { ask } = await served(t)
  const { body: options } = await ask<{ options: { id: string }[] }>('/api/choices/layout')
  const [first, second] = options.options.map(({ id }) => id).filter((id) => id !== 'auto')
  const agent = await ask<{ id: string }>('/api/agents', {
    name: 'Poet',
    prompt: 'Rhyme.',
    mode: 'append',
    layout: first,
  })
  const layoutOf = async (chosen: object) =>
    (await ask<{ manifest: { layout: string } }>('/api/context', { input: 'hi', ...chosen })).body.manifest.layout
  assert.equal(await layoutOf({ agent: agent.body.id }), first)
  assert.equal(await layoutOf({ agent: agent.body.id, layout: second }), second)
})

test('the commands of the host and of capabilities are listed, and run over HTTP', async (t) => {
  const { ask, say } = await served(t)
  const { body } = await ask<{ commands: { name: string; summary: string }[] }>('/api/commands')
  const names = body.commands.map(({ name }) => name)
  for (const name of ['undo', 'context', 'model', 'agent', 'layout', 'tools', 'count'])
    assert.ok(names.includes(name), name)
  assert.equal(new Set(names).size, names.length)

  const { session } = await say('/say Hello.')
  const run = (name: string, given: object) =>
    ask<{ text?: string; session?: string; error?: { code: string; message: string } }>(`/api/commands/${name}`, given)
  assert.match((await run('context', { session })).body.text!, /^history /m)
  assert.deepEqual((await run('count', { session, argument: 'here' })).body, { text: '1 here' })
  assert.match((await run('cost', { session })).body.text!, /^1 call: /)
  assert.equal((await run('count', { argument: 'fail' })).body.error?.code, 'not-found')
  const set = await run('layout', { session, argument: 'chai' })
  assert.deepEqual(set.body, { text: 'Set the layout of this session to chai.', session })
  assert.equal((await ask<{ layout?: string }>(`/api/sessions/${session}`)).body.layout, 'chai')
  await run('layout', { session, argument: 'none' })
  assert.equal((await ask<{ layout?: string }>(`/api/sessions/${session}`)).body.layout, undefined)
  assert.match((await run('undo', { session })).body.text!, /^Undone: \/say Hello\./)

  const early = await run('layout', { argument: 'chai' })
  assert.equal((await ask<{ layout?: string }>(`/api/sessions/${early.body.session!}`)).body.layout, 'chai')

  const unknown = await run('contxt', {})
  assert.deepEqual([unknown.status, unknown.body.error?.code], [404, 'not-found'])
  assert.match(unknown.body.error!.message, /Did you mean \/context\?/)
})
