import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { scenarioJsonSchema } from '../../src/context/scenario.ts'
import { ResourceNotFoundError } from '@modelcontextprotocol/client'
import { connected, kinds } from './clients.ts'
import { mcpHome, oneSubject } from './mcp-home.ts'

type Connected = Awaited<ReturnType<typeof connected>>['client']

async function text(client: Connected, uri: string): Promise<string> {
  const { contents } = await client.readResource({ uri })
  assert.equal(contents.length, 1)
  const [content] = contents
  assert.equal(content?.uri, uri)
  return content && 'text' in content ? content.text : assert.fail('not a text')
}

test('notes are read whatever they hold: characters that are none, and more than a text may have', async (t) => {
  const files = { 'subjects/one/notes.md': '', 'subjects/long/notes.md': 'A line of notes.\n'.repeat(2_000) }
  const home = await mcpHome(t, { files })
  writeFileSync(join(home.home, 'subjects/one/notes.md'), Buffer.from('caf\u00e9\n', 'latin1'))
  const { client } = await connected(t, home, 'v2 2026-07-28', 'http')
  assert.equal(await text(client, 'foreword://subjects/one/notes'), 'caf\uFFFD\n')
  const long = await text(client, 'foreword://subjects/long/notes')
  assert.match(long, /A line of notes\.\n\n\[1176 of 2000 lines shown; read_full_notes reads on with offset 1176\]\n$/)
})

for (const kind of kinds) {
  test(`a ${kind} client finds subjects, sessions and calls as resources`, async (t) => {
    const home = await mcpHome(t, { files: oneSubject })
    const said = await home.say('Good morning')
    const { client, call } = await connected(t, home, kind, 'http')

    const { resources } = await client.listResources()
    assert.deepEqual(
      resources.map(({ uri }) => uri),
      ['foreword://subjects/one', `foreword://sessions/${said.session}`, 'foreword://schema/scenario'],
    )
    assert.equal(resources[0]!.title, 'A harbour before dawn.')

    assert.deepEqual(JSON.parse(await text(client, 'foreword://schema/scenario')), scenarioJsonSchema())
    const context = JSON.parse(await text(client, 'foreword://subjects/one')) as object
    assert.deepEqual(context, (await call('read_context', { image_id: 'one' })).data)
    assert.equal(await text(client, 'foreword://subjects/one/brief'), oneSubject['subjects/one/brief.md'])
    assert.equal(await text(client, 'foreword://subjects/one/notes'), oneSubject['subjects/one/notes.md'])
    assert.equal((JSON.parse(await text(client, 'foreword://subjects/one/log')) as unknown[]).length, 1)
    assert.deepEqual(JSON.parse(await text(client, 'foreword://subjects/one/gaps')), [])
    assert.match(await text(client, 'foreword://subjects/one/tastes'), /Keep it quiet/)

    const session = JSON.parse(await text(client, `foreword://sessions/${said.session}`)) as {
      readonly earlier: number
      readonly turns: readonly { readonly state: string; readonly messages: readonly object[] }[]
    }
    assert.equal(session.earlier, 0)
    assert.deepEqual(
      session.turns.map(({ state, messages }) => ({ state, messages })),
      [
        {
          state: 'completed',
          messages: [
            { role: 'user', text: 'Good morning' },
            { role: 'assistant', text: said.text },
          ],
        },
      ],
    )

    const [record] = await home.runtime.store.calls(said.session)
    const manifest = JSON.parse(await text(client, `foreword://calls/${record!.id}/manifest`)) as unknown
    assert.deepEqual(manifest, record!.manifest)
    assert.match(await text(client, `foreword://calls/${record!.id}/outline`), /^window \d+, reserve \d+/)
  })
}

test('an address of nothing is the error that the protocol has for it, and reaches no file', async (t) => {
  const home = await mcpHome(t, { files: oneSubject })
  const { client } = await connected(t, home, 'v2 2026-07-28', 'http')
  const nowhere = [
    'foreword://subjects/nobody',
    'foreword://subjects/one/shell',
    'foreword://subjects/one/constructor',
    'foreword://subjects/..%2F..%2Fconfig.json/notes',
    'foreword://subjects/%2e%2e/notes',
    'foreword://sessions/none',
    'foreword://calls/none/manifest',
    'foreword://calls/none',
    'foreword://elsewhere/x',
    'file:///etc/passwd',
    'nonsense',
  ]
  for (const uri of nowhere) {
    await assert.rejects(client.readResource({ uri }), (error: unknown) => {
      assert.ok(error instanceof ResourceNotFoundError, `${uri}: ${String(error)}`)
      return true
    })
  }
})

test('a long list comes in pages, each entry once; a cursor of somebody else is refused', async (t) => {
  const names = Array.from({ length: 250 }, (_, at) => `s${String(at).padStart(3, '0')}`)
  const home = await mcpHome(t, {
    files: Object.fromEntries(names.map((name) => [`subjects/${name}/brief.md`, name])),
  })
  const { client } = await connected(t, home, 'v2 2025-11-25', 'http')
  const seen: string[] = []
  let page = await client.request({ method: 'resources/list' })
  let pages = 1
  seen.push(...page.resources.map(({ name }) => name))
  while (page.nextCursor !== undefined) {
    page = await client.listResources({ cursor: page.nextCursor })
    pages += 1
    seen.push(...page.resources.map(({ name }) => name))
  }
  assert.equal(pages, 3)
  assert.deepEqual(seen, [...names, 'scenario-schema'])
  await assert.rejects(client.listResources({ cursor: 'invented' }), /cursor/)
})

test('only the newest part of a long session is read, and how much came before is said', async (t) => {
  const home = await mcpHome(t)
  const said = ['a', 'b', 'c', 'd', 'e', 'f'].map((sign) => sign.repeat(20_000))
  let session: string | undefined
  for (const words of said) ({ session } = await home.say(words, session))
  const { client } = await connected(t, home, 'v2 2026-07-28', 'http')
  const whole = await text(client, `foreword://sessions/${session}`)
  const { earlier, turns } = JSON.parse(whole) as { earlier: number; turns: { messages: { text: string }[] }[] }
  assert.ok(earlier > 0)
  assert.deepEqual(
    turns.map(({ messages }) => messages[0]!.text),
    said.slice(earlier),
  )
  assert.ok(whole.length < 110_000)
})

test('templates are listed, and their variables are completed with what there is', async (t) => {
  const home = await mcpHome(t, { files: { ...oneSubject, 'subjects/other/brief.md': 'x' } })
  const said = await home.say('Good morning')
  const { client } = await connected(t, home, 'v2 2026-07-28', 'http')
  const { resourceTemplates } = await client.listResourceTemplates()
  assert.deepEqual(
    resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    [
      'foreword://subjects/{id}',
      'foreword://subjects/{id}/{part}',
      'foreword://sessions/{id}',
      'foreword://calls/{id}/manifest',
      'foreword://calls/{id}/outline',
    ],
  )
  const completed = async (uri: string, name: string, value: string) =>
    (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } })).completion.values
  assert.deepEqual(await completed('foreword://subjects/{id}', 'id', 'o'), ['one', 'other'])
  assert.deepEqual(await completed('foreword://subjects/{id}', 'id', 'ot'), ['other'])
  assert.deepEqual(await completed('foreword://subjects/{id}/{part}', 'part', 'n'), ['notes'])
  assert.deepEqual(await completed('foreword://sessions/{id}', 'id', ''), [said.session])
  const [record] = await home.runtime.store.calls(said.session)
  assert.deepEqual(await completed('foreword://calls/{id}/outline', 'id', ''), [record!.id])
  await assert.rejects(completed('foreword://nothing/{id}', 'id', ''), /no resource template/)
})

test('prompts bring a subject, or a call, into the conversation', async (t) => {
  const home = await mcpHome(t, { files: oneSubject })
  const said = await home.say('Good morning')
  const { client } = await connected(t, home, 'v2 2026-07-28', 'http')
  const { prompts } = await client.listPrompts()
  assert.deepEqual(
    prompts.map(({ name, arguments: args = [] }) => [name, ...args.map((each) => each.name)]),
    [
      ['work_on_subject', 'subject_id', 'task'],
      ['explain_call', 'call_id'],
    ],
  )

  const { messages } = await client.getPrompt({
    name: 'work_on_subject',
    arguments: { subject_id: 'one', task: 'Lift the shadows.' },
  })
  assert.deepEqual(
    messages.map(({ role, content }) => [role, content.type]),
    [
      ['user', 'text'],
      ['user', 'resource'],
      ['user', 'text'],
    ],
  )
  const [, context, task] = messages.map(({ content }) => content)
  assert.equal(context!.type === 'resource' && context!.resource.uri, 'foreword://subjects/one')
  assert.equal(task!.type === 'text' && task!.text, 'The task: Lift the shadows.')

  const [record] = await home.runtime.store.calls(said.session)
  const explained = await client.getPrompt({ name: 'explain_call', arguments: { call_id: record!.id } })
  assert.equal(explained.messages.length, 2)

  await assert.rejects(client.getPrompt({ name: 'work_on_subject', arguments: {} }), /subject_id is missing/)
  await assert.rejects(client.getPrompt({ name: 'work_on_subject', arguments: { subject_id: 'nobody' } }), /no subject/)
  await assert.rejects(client.getPrompt({ name: 'explain_call', arguments: { call_id: 'none' } }), /no call/)
  await assert.rejects(client.getPrompt({ name: 'nothing' }), /no prompt/)
  const ref = { type: 'ref/prompt', name: 'work_on_subject' } as const
  const { completion } = await client.complete({ ref, argument: { name: 'subject_id', value: 'o' } })
  assert.deepEqual(completion.values, ['one'])
})
