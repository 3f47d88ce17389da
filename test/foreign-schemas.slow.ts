import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import test, { type TestContext } from 'node:test'
import { toolResults } from '../src/context.ts'
import type { ModelRequest } from '../src/model.ts'
import { scriptedModel } from '../src/testing.ts'
import { checkInThread } from '../src/tool/schema/thread-check.ts'
import { openMcpHome } from './mcp/mcp-home.ts'
import { opened } from './runtime/opened.ts'

const backtracking = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } }
/** Needs the thread as well, and takes no time in it. */
const harmless = { type: 'object', properties: { text: { type: 'string', pattern: '^[a-z]+$' } } }
const endless = { text: `${'a'.repeat(60)}!` }

test('twenty calls with a pattern that backtracks hold up no other session, and are refused with what to do', async (t) => {
  const { servers, order, textOf } = scenario(t)
  const heavy = servers.scripted('heavy', { tools: [{ name: 'slow', inputSchema: backtracking }] })
  const good = servers.scripted('good', { tools: [{ name: 'look', inputSchema: harmless }] })
  const plugin = await servers.plugin({ heavy: heavy.configured, good: good.configured })
  await plugin.ready?.()
  const model = scriptedModel({
    answer(request) {
      if (hasResults(request)) return { text: 'Done.' }
      if (textOf(request).includes('attack')) {
        return { toolCalls: Array.from({ length: 20 }, () => ({ name: 'heavy__slow', input: endless })) }
      }
      return textOf(request).includes('look')
        ? { toolCalls: [{ name: 'good__look', input: { text: 'sea' } }] }
        : { text: 'Hello.' }
    },
  })
  const here = await opened(t, { model, plugins: [plugin] })
  const attack = here.say('attack').then((turn) => (order.push('attack'), turn))
  const look = here.say('look').then((turn) => (order.push('look'), turn))
  const hello = here.say('hello').then((turn) => (order.push('hello'), turn))
  const [attacked, looked] = await Promise.all([attack, look, hello])
  assert.equal(order.at(-1), 'attack')
  const log = await here.log(attacked.session)
  const ends = log.flatMap((entry) => (entry.type === 'tool-end' ? [entry] : []))
  assert.equal(ends.length, 20)
  const said = ends.map(({ ok, output }) => (ok ? 'ran' : output))
  assert.match(said[0]!, /^invalid input for heavy__slow: .* of the MCP server heavy takes longer than 1000 ms\. Use/)
  assert.match(said.at(-1)!, /the schemas of the MCP server heavy have used up their 10 seconds/)
  assert.ok(said.every((text) => text.startsWith('invalid input for heavy__slow')))
  const looks = (await here.log(looked.session)).flatMap((entry) => (entry.type === 'tool-end' ? [entry.ok] : []))
  assert.deepEqual(looks, [true])
})

test('200 schemas that take long to read are read beside the turns of others', async (t) => {
  const { servers, order, textOf } = scenario(t)
  const fields = (tool: number) =>
    Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [
        `t${tool}p${index}`,
        { allOf: [{ minLength: 1 }, { pattern: '^a' }] },
      ]),
    )
  const tools = Array.from({ length: 200 }, (_, index) => ({
    name: `t${index}`,
    inputSchema: { type: 'object', properties: fields(index) },
  }))
  const good = servers.scripted('good', { tools: [{ name: 'look', inputSchema: harmless }] })
  const plugin = await servers.plugin({ good: good.configured })
  await plugin.ready?.()
  const model = scriptedModel({
    answer: (request) =>
      !hasResults(request) && textOf(request).includes('look')
        ? { toolCalls: [{ name: 'good__look', input: { text: 'sea' } }] }
        : { text: 'Done.' },
  })
  const here = await opened(t, { model, plugins: [plugin] })
  const heavy = await servers.plugin({ heavy: servers.scripted('heavy', { tools }).configured }, { accepted: nothing })
  const ready = Promise.resolve(heavy.ready?.()).then(() => order.push('heavy'))
  while (!order.includes('heavy')) {
    // oxlint-disable-next-line no-await-in-loop -- one turn after another
    const { session } = await here.say('look')
    // oxlint-disable-next-line no-await-in-loop -- one turn after another
    const ends = (await here.log(session)).flatMap((entry) => (entry.type === 'tool-end' ? [entry.ok] : []))
    order.push(...ends.map(String))
  }
  await ready
  const before = order.indexOf('heavy')
  assert.ok(before > 0, 'no turn has ended meanwhile')
  assert.deepEqual(new Set(order.toSpliced(before, 1)), new Set(['true']))
})

test('time that the machine gives to others does not count for a schema', async () => {
  // Some tenths of a second of a slow processor, in which this process is stopped for three seconds.
  const input = { text: `${'a'.repeat(22)}!` }
  const answer = checkInThread(backtracking, 'the tool slow', { value: input })
  spawn('/bin/sh', ['-c', `kill -STOP ${process.pid}; sleep 3; kill -CONT ${process.pid}`])
  assert.equal((await answer).type, 'fault')
})

/** Keeps what is accepted of no server. */
const nothing = { read: async () => undefined, write: async () => {} }

function scenario(t: TestContext) {
  const servers = openMcpHome()
  t.after(() => servers.close())
  const textOf = (request: ModelRequest) => JSON.stringify(request.messages)
  return { servers, order: [] as string[], textOf }
}

function hasResults({ messages }: ModelRequest): boolean {
  return messages.some((message) => toolResults(message).length > 0)
}
