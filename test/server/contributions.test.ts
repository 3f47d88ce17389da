import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { aiSdkChat } from '../../src/capabilities/ai-sdk-chat/ai-sdk-chat.ts'
import { openaiApi } from '../../src/capabilities/openai-api/openai-api.ts'
import { type AnyCapability, capability, jsonAnswer, route, type Runtime } from '../../src/capability.ts'
import { createServer, HttpFailure, json } from '../../src/server.ts'
import type { ChoiceDescriptions } from '../../src/server/session-choices.ts'
import { collectContributions } from '../../src/server/contributions.ts'
import { openCatalogue } from '../../src/server/mcp/catalogue.ts'
import { scriptedRuntime } from './scripted-runtime.ts'

const tides = capability({
  name: 'tides',
  http: {
    routes: () => [
      route('GET /tides/:place', {
        tag: 'tides',
        summary: 'When the water is high',
        answers: jsonAnswer('The hour', { hour: z.number() }),
        handle({ param }) {
          if (param('place') === 'moon') throw new HttpFailure('not-found', 'There is no sea.')
          return { hour: 12 }
        },
      }),
    ],
    errors: [{ path: '/tides/', format: ({ status, message }) => ({ status, body: { wrong: message } }) }],
  },
  mcp: {
    definitions: () => ({ instructions: 'Ask for tides.', tools: [toolNamed('tide')] }),
    open: () => ({ tools: [{ definition: toolNamed('tide'), call: async () => ({ content: [] }) }] }),
  },
})

test('a capability brings its routes, their description and the format of their errors', async () => {
  const { ask } = await server([tides])
  assert.deepEqual(await ask('/tides/kiel'), [200, { hour: 12 }])
  assert.deepEqual(await ask('/tides/moon'), [404, { wrong: 'There is no sea.' }])
  assert.deepEqual((await ask('/tides/'))[0], 404)
  const [, { paths }] = await ask<{ paths: Record<string, Record<string, { summary: string }>> }>('/api/openapi.json')
  assert.equal(paths['/tides/{place}']?.['get']?.summary, 'When the water is high')
  const [, { error }] = await ask<{ error: { code: string } }>('/api/sessions/none')
  assert.equal(error.code, 'not-found')
})

test('a route without a handler is refused, and a handler that returns nothing is reported by its route', async () => {
  const definition = { method: 'GET', path: '/tides', tag: 'tides', summary: 'All', answers: {} } as const
  const withHandler = (handle: never) =>
    capability({ name: 'tides', http: { routes: () => [{ ...definition, handle }] } })
  await assert.rejects(server([withHandler(undefined as never)]), {
    message: 'GET /tides of the capability tides has no function "handle".',
  })
  const logged: unknown[] = []
  const { ask } = await server([withHandler((() => undefined) as never)], {}, (facts) => logged.push(facts))
  assert.equal((await ask('/tides'))[0], 500)
  assert.deepEqual(logged, [{ err: new TypeError('The handler of GET /tides returned no Response.'), path: '/tides' }])
})

test('the chat formats are capabilities, each with its own errors', async () => {
  const { ask } = await server([openaiApi, aiSdkChat])
  const [, { data }] = await ask<{ data: { id: string }[] }>('/v1/models')
  assert.equal(data[0]?.id, 'foreword')
  const [status, { error }] = await ask<{ error: { type: string } }>('/v1/nothing')
  assert.deepEqual([status, error.type], [404, 'invalid_request_error'])
  const [, chat] = await ask<{ error: { code: string } }>('/api/chat', { id: 'c', messages: [] })
  assert.equal(chat.error.code, 'invalid-input')
})

test('a route and an error format can be for requests with a header, beside those of the same path without', async () => {
  const answer = (words: string, header?: string) =>
    route('GET /tides', {
      ...(header === undefined ? {} : { header }),
      tag: 'tides',
      summary: words,
      answers: { 200: { description: 'Words' } },
      handle: () => json({ words }),
    })
  const plain = capability({
    name: 'plain',
    http: {
      routes: () => [answer('In metres')],
      errors: [{ path: '/tides', format: ({ status }) => ({ status, body: { plain: true } }) }],
    },
  })
  const feet = capability({
    name: 'feet',
    http: {
      routes: () => [answer('In feet', 'x-feet')],
      errors: [
        { path: '/tides', header: 'x-feet', format: () => ({ status: 418, body: {}, headers: { 'x-unit': 'foot' } }) },
      ],
    },
  })
  const both = await server([plain, feet])
  const asked = (path: string, headers: Record<string, string> = {}) =>
    both.fetch(new Request(`http://127.0.0.1${path}`, { headers }))
  const wordsOf = async (response: Response) => ((await response.json()) as { words?: string }).words
  assert.equal(await wordsOf(await asked('/tides')), 'In metres')
  assert.equal(await wordsOf(await asked('/tides', { 'x-feet': '' })), 'In feet')
  assert.equal((await asked('/tides/none')).status, 404)
  const failed = await asked('/tides/none', { 'x-feet': '' })
  assert.deepEqual([failed.status, failed.headers.get('x-unit')], [418, 'foot'])
  const [, { paths }] = await both.ask<{
    paths: Record<string, Record<string, { summary: string; description: string }>>
  }>('/api/openapi.json')
  const { summary, description } = paths['/tides']!['get']!
  assert.deepEqual([summary, description], ['In metres', 'With the header `x-feet`: In feet.'])

  const alone = await server([feet])
  assert.equal((await alone.ask('/tides'))[0], 404)
  await assert.rejects(
    server([feet, capability({ ...feet, name: 'again' })]),
    /already an endpoint of the capability feet/,
  )
})

test('what no capability brings is no endpoint', async () => {
  const { ask } = await server([])
  for (const path of ['/tides/kiel', '/v1/models', '/api/agents', '/api/subjects']) {
    const [status, { error }] = await ask<{ error: { code: string; path: string } }>(path)
    assert.deepEqual([status, error.code, error.path], [404, 'not-found', path])
  }
})

test('two routes of one method and path name the capabilities that have them', async () => {
  const other = capability({ ...tides, name: 'moon' })
  await assert.rejects(server([tides, other]), {
    message: 'GET /tides/:place of the capability moon is already an endpoint of the capability tides.',
  })
  const [high] = await tides.http!.routes!({} as never)
  const own = capability({ name: 'status', http: { routes: () => [{ ...high!, path: '/api/status' }] } })
  await assert.rejects(server([own]), {
    message: 'GET /api/status of the capability status is already an endpoint of the server itself.',
  })
})

test('what a session can choose is a field of its requests, and nothing else is', async () => {
  const chosen: unknown[] = []
  const { ask } = await server([], {
    choices: { mood: { summary: 'How it sounds.', none: 'as usual' } },
    choose: async (session, choices) => void chosen.push([session, choices]),
  })
  const [status, { id }] = await ask<{ id: string }>('/api/sessions', { title: 'x' })
  assert.equal(status, 201)
  assert.equal((await ask(`/api/sessions/${id}`, { mood: 'calm' }, 'PATCH'))[0], 200)
  assert.equal((await ask(`/api/sessions/${id}`, { mood: null }, 'PATCH'))[0], 200)
  assert.deepEqual(chosen, [
    [id, { mood: 'calm' }],
    [id, { mood: null }],
  ])
  assert.equal((await ask(`/api/sessions/${id}`, { agent: 'x' }, 'PATCH'))[0], 400)
  const [, { error }] = await ask<{ error: { message: string } }>(`/api/sessions/${id}`, {}, 'PATCH')
  assert.match(error.message, /expected a title, a pin, a folder, a model or a mood/)
  await assert.rejects(server([], { choices: { model: { summary: 'x', none: 'y' } } }), /cannot be named model/)
})

test('a model that cannot be chosen leaves the choices of the same request as they were', async () => {
  const chosen: unknown[] = []
  const { ask } = await server([], {
    choices: { mood: { summary: 'How it sounds.', none: 'as usual' } },
    choose: async (_session, choices) => void chosen.push(choices),
    setModel: () => Promise.reject(new HttpFailure('model-not-found', 'There is no such model.')),
  })
  const [, { id }] = await ask<{ id: string }>('/api/sessions', {})
  assert.equal((await ask(`/api/sessions/${id}`, { mood: 'calm', model: 'none' }, 'PATCH'))[0], 404)
  assert.deepEqual(chosen, [{ mood: 'calm' }, { mood: null }])
})

test('the status has the facts of capabilities beside those of the host', async () => {
  const status = await scriptedRuntime().status()
  const { ask } = await server([], { status: async () => ({ ...status, facts: { skills: 3 } }) })
  const [, answer] = await ask<Record<string, unknown>>('/api/status')
  assert.deepEqual([answer['version'], answer['skills'], 'facts' in answer], ['0.1.0', 3, false])
})

test('the MCP server offers what capabilities bring, and refuses one name twice', async () => {
  const catalogue = async (capabilities: readonly AnyCapability[]) => {
    const additions = (await collectContributions(started(capabilities))).flatMap(({ mcp }) => mcp ?? [])
    return openCatalogue(scriptedRuntime(), { unexpected: assert.ifError, additions })
  }
  const { instructions, tools } = await catalogue([tides])
  assert.equal(instructions, 'Ask for tides. Every tool answers {success, data, error}.')
  assert.deepEqual(
    tools.map(({ definition }) => definition.name),
    ['tide', 'assemble'],
  )
  await assert.rejects(catalogue([tides, { ...tides, name: 'moon' }]), /Two capabilities offer tide over MCP/)
})

function toolNamed(name: string) {
  return { name, inputSchema: { type: 'object' as const } }
}

function started(capabilities: readonly AnyCapability[]): Parameters<typeof collectContributions>[0] {
  const named = (name: string) => capabilities.find((each) => each.name === name)
  return {
    capabilities,
    routes: async (name) => named(name)?.http?.routes?.({ runtime: scriptedRuntime() } as never) ?? [],
    mcp(name) {
      const part = named(name)?.mcp
      return part && { definitions: () => part.definitions(), open: async () => part.open({} as never) }
    },
  }
}

/** A server with these capabilities, over a scripted runtime that is partly another. */
async function server(
  capabilities: readonly AnyCapability[],
  { choices = {}, ...runtime }: Partial<Runtime> & { readonly choices?: ChoiceDescriptions } = {},
  error: (facts: object) => void = () => {},
) {
  const { fetch } = createServer(
    { ...scriptedRuntime(), ...runtime },
    {
      bind: '127.0.0.1',
      version: '0.1.0',
      choices,
      contributions: await collectContributions(started(capabilities)),
      log: { error },
    },
  )
  return {
    fetch,
    async ask<Answer>(path: string, body?: object, method = body === undefined ? 'GET' : 'POST') {
      const sent = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
      const response = await fetch(new Request(`http://127.0.0.1${path}`, { method, ...sent }))
      return [response.status, (await response.json()) as Answer] as const
    },
  }
}
