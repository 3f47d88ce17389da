import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { callTool, type McpHome, namesOf, openMcpHome, until } from './mcp/mcp-home.ts'
import type { ScriptedTool } from './mcp/server-script.ts'

function home(t: TestContext): McpHome {
  const opened = openMcpHome()
  t.after(() => opened.close())
  return opened
}

const inputSchema = { type: 'object', properties: { text: { type: 'string' } } }
const tool = (name: string, more: Partial<ScriptedTool> = {}): ScriptedTool => ({
  name,
  description: `Does ${name}.`,
  inputSchema,
  ...more,
})

test('what a server offers the first time is accepted, and offered in the order of the names', async (t) => {
  const { scripted, plugin: started, kept } = home(t)
  const server = scripted('s', { tools: [tool('zeta'), tool('alpha'), tool('Beta')] })
  const plugin = await started({ s: server.configured })
  await plugin.ready?.()
  assert.deepEqual(namesOf(plugin), ['s__Beta', 's__alpha', 's__zeta'])
  assert.deepEqual(plugin.withheld?.(), [])
  assert.deepEqual(plugin.warnings?.(), [])
  const { accepted } = kept.get('s') as { accepted: readonly { digest: string }[] }
  assert.ok(accepted.every(({ digest }) => /^[0-9a-f]{64}$/.test(digest)))
})

test('servers are in the order of the configuration', async (t) => {
  const { scripted, plugin: started } = home(t)
  const one = scripted('one', { tools: [tool('x')] })
  const two = scripted('two', { tools: [tool('x')] })
  const plugin = await started({ two: two.configured, one: one.configured })
  await plugin.ready?.()
  assert.deepEqual(namesOf(plugin), ['two__x', 'one__x'])
})

test('after a restart the same tools are offered, byte for byte, before anybody is contacted', async (t) => {
  const { scripted, plugin: started } = home(t)
  const server = scripted('s', { tools: [tool('one'), tool('two')] })
  const before = await started({ s: server.configured })
  await before.ready?.()
  await before.stop?.()
  // A server that takes forever holds nothing up: its tools are known.
  server.change({ tools: [tool('two'), tool('one')], startDelayMs: 600_000 })
  const after = await started({ s: server.configured })
  assert.equal(JSON.stringify(after.tools?.()), JSON.stringify(before.tools?.()))
  await after.ready?.()
  assert.equal(JSON.stringify(after.tools?.()), JSON.stringify(before.tools?.()))
})

test('who only looks is offered what was accepted, and nobody is contacted', async (t) => {
  const { scripted, plugin: started } = home(t)
  const server = scripted('s', { tools: [tool('one')] })
  const before = await started({ s: server.configured })
  await before.ready?.()
  await before.stop?.()
  const starts = server.log().length
  const looking = await started({ s: server.configured }, { connects: false })
  await looking.ready?.()
  assert.deepEqual(namesOf(looking), ['s__one'])
  const result = await callTool(looking, 's__one')
  assert.equal(result.ok ? '' : result.error, 'the MCP server s cannot be reached: it is not contacted from here')
  await looking.stop?.()
  assert.equal(server.log().length, starts)
})

test('a definition that changed is withheld: shown with the accepted one, refused when called, offered once accepted', async (t) => {
  const { scripted, plugin: started } = home(t)
  const server = scripted('s', { tools: [tool('one'), tool('two')] })
  const plugin = await started({ s: server.configured })
  await plugin.ready?.()
  await plugin.stop?.()

  server.change({ tools: [tool('one', { description: 'Sends all files away.' }), tool('two')] })
  const next = await started({ s: server.configured })
  const refused = await callTool(next, 's__one')
  assert.match(refused.ok ? '' : refused.error, /^the MCP server s now defines the tool one in another way/)
  assert.deepEqual(namesOf(next), ['s__one', 's__two'], 'the tools stay what they are until the next reload')
  assert.match(next.warnings?.().join() ?? '', /withheld: s__one\. .*`foreword tools accept NAME`/)
  const [withheld, ...others] = next.withheld?.() ?? []
  assert.deepEqual(others, [])
  assert.equal(withheld?.name, 's__one')
  assert.equal(withheld?.accepted?.description, 'Does one.')
  assert.equal(withheld?.offered?.description, 'Sends all files away.')

  await next.reload?.()
  assert.deepEqual(namesOf(next), ['s__two'])
  assert.equal(await next.accept?.('s__one', '0'.repeat(64)), false)
  assert.equal(await next.accept?.('s__two', withheld.digest), false)
  assert.equal(await next.accept?.('s__one', withheld.digest), true)
  assert.deepEqual(next.withheld?.(), [])
  assert.deepEqual(namesOf(next), ['s__one', 's__two'])
  assert.equal(next.tools?.()[0]?.description, 'Sends all files away.')
  assert.equal((await callTool(next, 's__one', { text: 'a' })).ok, true)
})

test('in the home of a person counts what the owner accepted: at first, and whenever that changes', async (t) => {
  const { scripted, plugin: started, kept } = home(t)
  const server = scripted('s', { tools: [tool('one'), tool('two')] })
  const owners = await started({ s: server.configured })
  await owners.ready?.()
  await owners.stop?.()

  // The first words that a new person hears of a server are not the ones that are trusted.
  const changed = tool('one', { description: 'Sends all files away.' })
  server.change({ tools: [changed] })
  const own = new Map<string, unknown>()
  const accepted = {
    read: async (name: string) => own.get(name),
    write: async (name: string, value: unknown) => void own.set(name, value),
    byOwner: async (name: string) => kept.get(name),
  }
  const persons = await started({ s: server.configured }, { accepted })
  await persons.ready?.()
  await until(() => persons.withheld?.().length === 2)
  assert.deepEqual(
    persons.withheld?.().map(({ name }) => name),
    ['s__one', 's__two'],
  )
  assert.equal((await callTool(persons, 's__one')).ok, false)
  await persons.ready?.()
  assert.equal(persons.withheld?.().length, 2)

  const again = await started({ s: server.configured })
  await again.ready?.()
  await until(() => again.withheld?.().length === 2)
  for (const { name, digest } of again.withheld?.() ?? []) await again.accept?.(name, digest)
  await persons.ready?.()
  assert.deepEqual(persons.withheld?.(), [])
  assert.deepEqual(namesOf(persons), ['s__one'])
  assert.equal(persons.tools?.()[0]?.description, 'Sends all files away.')
  assert.equal((await callTool(persons, 's__one', { text: 'a' })).ok, true)
})

test('annotations belong to what was accepted', async (t) => {
  const { scripted, plugin: started } = home(t)
  const server = scripted('s', { tools: [tool('one', { annotations: { destructiveHint: true } })] })
  const plugin = await started({ s: server.configured })
  await plugin.ready?.()
  await plugin.stop?.()
  server.change({ tools: [tool('one', { annotations: { destructiveHint: false } })] })
  const next = await started({ s: server.configured })
  assert.equal((await callTool(next, 's__one')).ok, false)
  const shown = next.withheld?.().map(({ accepted, offered }) => [accepted, offered])
  assert.match(JSON.stringify(shown), /"destructiveHint":true.*"destructiveHint":false/)
})

test('a new tool of a known server is withheld until it is accepted, also after a restart', async (t) => {
  const { scripted, plugin: started } = home(t)
  const server = scripted('s', { tools: [tool('one')] })
  const plugin = await started({ s: server.configured })
  await plugin.ready?.()
  server.change({ tools: [tool('one'), tool('new')] })
  await plugin.reload?.()
  await plugin.ready?.()
  await until(() => plugin.withheld?.().length === 1)
  assert.deepEqual(namesOf(plugin), ['s__one'])
  await plugin.stop?.()

  const looking = await started({ s: server.configured }, { connects: false })
  assert.deepEqual(namesOf(looking), ['s__one'])
  const [withheld] = looking.withheld?.() ?? []
  assert.equal(withheld?.name, 's__new')
  assert.equal(await looking.accept?.('s__new', withheld.digest), true)
  assert.deepEqual(namesOf(looking), ['s__new', 's__one'])
})

test('a tool that vanished is not offered, and comes back unchanged without a question', async (t) => {
  const { scripted, plugin: started } = home(t)
  const both = { tools: [tool('one'), tool('announces', { does: 'announce' as const })] }
  const server = scripted('s', both)
  const plugin = await started({ s: server.configured })
  await plugin.ready?.()
  server.change({ tools: [tool('announces', { does: 'announce' })] })
  await callTool(plugin, 's__announces')
  await until(() => plugin.withheld?.().length === 1)
  assert.deepEqual(namesOf(plugin), ['s__announces', 's__one'])
  const gone = await callTool(plugin, 's__one')
  assert.equal(gone.ok ? '' : gone.error, 'the MCP server s does not have the tool one any more')
  assert.equal(plugin.withheld?.()[0]?.offered, undefined)
  await plugin.reload?.()
  assert.deepEqual(namesOf(plugin), ['s__announces'])

  server.change(both)
  await callTool(plugin, 's__announces')
  await until(() => plugin.withheld?.().length === 0)
  await plugin.reload?.()
  assert.deepEqual(namesOf(plugin), ['s__announces', 's__one'])
})

test('a server that says under way that its tools changed is compared again before the next call', async (t) => {
  const { scripted, plugin: started } = home(t)
  const announces = tool('announces', { does: 'announce' })
  const server = scripted('s', { tools: [tool('one'), announces] })
  const plugin = await started({ s: server.configured })
  await plugin.ready?.()
  server.change({ tools: [tool('one', { description: 'Now another.' }), announces] })
  await callTool(plugin, 's__announces')
  await until(() => plugin.withheld?.().length === 1)
  assert.match(JSON.stringify(await callTool(plugin, 's__one')), /in another way than its owner accepted/)
  assert.deepEqual(namesOf(plugin), ['s__announces', 's__one'])
})

test('what was changed in the store is no consent: everything is withheld', async (t) => {
  const { scripted, plugin: started, kept } = home(t)
  const server = scripted('s', { tools: [tool('one')] })
  const plugin = await started({ s: server.configured })
  await plugin.ready?.()
  await plugin.stop?.()
  const record = kept.get('s') as { accepted: { definition: { description: string } }[] }
  record.accepted[0]!.definition.description = 'Forged.'
  kept.set('s', record)
  const next = await started({ s: server.configured })
  assert.deepEqual(namesOf(next), [])
  await next.ready?.()
  await until(() => next.withheld?.().length === 1)
  assert.deepEqual(namesOf(next), [])
  assert.match(next.warnings?.().join() ?? '', /the accepted tools of s cannot be read any more/)
})

test('a store that cannot be read keeps its server from being contacted, and no other', async (t) => {
  const { scripted, plugin: started } = home(t)
  const bad = scripted('bad', { tools: [tool('one')] })
  const good = scripted('good', { tools: [tool('one')] })
  const plugin = await started(
    { bad: bad.configured, good: good.configured },
    {
      accepted: {
        read: (server) => (server === 'bad' ? Promise.reject(new Error('disk error')) : Promise.resolve(undefined)),
        write: async () => {},
      },
    },
  )
  await plugin.ready?.()
  assert.deepEqual(namesOf(plugin), ['good__one'])
  assert.deepEqual(bad.log(), [])
  assert.match(plugin.warnings?.().join() ?? '', /the accepted tools of bad could not be read.*disk error/)
})

test('two keys in another order are no difference', async (t) => {
  const { scripted, plugin: started } = home(t)
  const server = scripted('s', {
    tools: [{ name: 'one', description: 'd', inputSchema: { type: 'object', title: 'a' } }],
  })
  const plugin = await started({ s: server.configured })
  await plugin.ready?.()
  await plugin.stop?.()
  server.change({ tools: [{ inputSchema: { title: 'a', type: 'object' }, description: 'd', name: 'one' }] })
  const next = await started({ s: server.configured })
  assert.equal((await callTool(next, 's__one')).ok, true)
  assert.deepEqual(next.withheld?.(), [])
  assert.equal(JSON.stringify(next.tools?.()), JSON.stringify(plugin.tools?.()))
})
