import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { withInputRequired } from '@modelcontextprotocol/client'
import { specTypeSchemas } from '@modelcontextprotocol/server'
import { type Answered, type Person, connected, kinds, ways } from './clients.ts'
import { mcpHome, oneSubject } from './mcp-home.ts'

const note = { image_id: 'one', content: 'The haze stays.' }
const modern = 'v2 2026-07-28'

for (const way of ways) {
  for (const kind of kinds) {
    test(`a person behind a ${kind} client over ${way} is shown who, where and what, and what they confirm is written`, async (t) => {
      const home = await mcpHome(t, { files: oneSubject })
      const asked: (readonly [string, string])[] = []
      const { call } = await connected(t, home, kind, way, {
        person: async (question) => {
          asked.push([question.message, shownIn(question)])
          return { action: 'accept', content: { decision: 'confirm' } }
        },
      })

      const reply = await call('propose_notes_update', note)

      assert.equal(asked.length, 1)
      const [message, shown] = asked[0]!
      assert.equal(
        message,
        'Add "The haze stays." to subjects/one/notes.md? Proposed by a client of the test. Nothing is written unless you confirm.',
      )
      assert.equal(shown, reply.data.diff!.trimEnd())
      assert.match(shown, /^\+The haze stays\.$/m)
      assert.equal(reply.data.status, 'confirmed')
      const [proposal] = await home.runtime.proposals.list()
      assert.equal(proposal!.state.type, 'confirmed')
      assert.equal(proposal!.state.type === 'confirmed' && proposal!.state.by, 'mcp')
      const context = await call('read_context', { image_id: 'one' })
      assert.match(context.data.notes!.summary, /The haze stays\./)
    })
  }
}

const answers: readonly (readonly [string, Answered, string, string])[] = [
  ['drops it in the form', { action: 'accept', content: { decision: 'drop' } }, 'declined', 'declined'],
  ['is not asked, as the client declines by itself,', { action: 'decline' }, 'waiting', 'waiting for a person'],
  ['says later', { action: 'accept', content: { decision: 'later' } }, 'waiting', 'waiting for a person'],
  ['cancels', { action: 'cancel' }, 'waiting', 'waiting for a person'],
]
for (const kind of kinds) {
  for (const [does, answer, state, status] of answers) {
    test(`a person who ${does} (${kind}) leaves the proposal ${state}, and nothing is written`, async (t) => {
      const home = await mcpHome(t, { files: oneSubject })
      const { call } = await connected(t, home, kind, 'http', { person: async () => answer })

      const reply = await call('propose_taste_update', { content: 'No halos.', category: 'value', file: 'new' })

      assert.equal(reply.data.status, status)
      const [proposal] = await home.runtime.proposals.list()
      assert.equal(proposal!.state.type, state)
      assert.ok(!existsSync(join(home.home, 'tastes/new.md')))
    })
  }
}

test('an answer that is neither a yes nor a no leaves the proposal waiting', async (t) => {
  const home = await mcpHome(t, { files: oneSubject })
  const { client } = await connected(t, home, modern, 'http', { person: async () => ({ action: 'cancel' }) })
  for (const answer of [
    { action: 'accept' },
    { action: 'accept', content: { decision: ['confirm'] } },
    { action: 'decline', content: { decision: 'drop' } },
    { action: 'decline', content: { decision: 'confirm' } },
    {},
    'confirm',
  ]) {
    const { requestState } = await firstRound(client)
    await secondRound(client, { requestState, inputResponses: { decision: answer } }).catch(() => {})
  }
  assert.deepEqual(
    (await home.runtime.proposals.list()).map(({ state }) => state.type),
    ['waiting'],
  )
})

test('with a client that cannot ask, the proposal waits, and the answer explains how a person confirms it', async (t) => {
  const home = await mcpHome(t, { files: oneSubject })
  const { call } = await connected(t, home, modern, 'http')
  const { data } = await call('propose_notes_update', note)
  assert.equal(data.status, 'waiting for a person')
})

test('what a form cannot show whole is not asked about, and the reply says where a person confirms it', async (t) => {
  const home = await mcpHome(t, { files: oneSubject })
  const { call } = await connected(t, home, modern, 'http', {
    person: async () => assert.fail('nobody should be asked'),
  })
  // Beside the lines there are 2 of a header, 1 of a hunk, 3 of the notes as they are and a blank one.
  for (const content of ['a line\n'.repeat(34), 'x'.repeat(70 * 34), '漢'.repeat(35 * 34), 'long'.repeat(3_000)]) {
    const { data } = await call('propose_notes_update', { image_id: 'one', content })
    assert.equal(data.status, 'waiting for a person')
    assert.match(data.hint!, new RegExp(`foreword subjects confirm ${data.proposal_id}`))
  }
})

for (const kind of ['v2 2026-07-28', 'v1 2025-11-25'] as const) {
  test(`a difference of 40 rows is asked about (${kind}), and a yes counts with the word at its end alone`, async (t) => {
    const home = await mcpHome(t, { files: oneSubject })
    let shown = ''
    let word = (_shown: string): string | undefined => undefined
    const { call } = await connected(t, home, kind, 'http', {
      person: async (question) => {
        shown = shownIn(question)
        assert.match(
          question.message,
          /^Add these 33 lines to subjects\/one\/notes\.md\? .*`foreword subjects proposals`.*$/,
        )
        const given = word(shown)
        return { action: 'accept', content: { decision: 'confirm', ...(given !== undefined && { word: given }) } }
      },
    })
    const lines = Array.from({ length: 33 }, (_, at) => `line ${at + 1}`)
    const long = { image_id: 'one', content: lines.join('\n') }
    for (const wrong of [undefined, '', 'line']) {
      word = () => wrong
      const { data } = await call('propose_notes_update', long)
      assert.equal(data.status, 'waiting for a person')
      assert.match(data.hint!, new RegExp(`foreword subjects confirm ${data.proposal_id}`))
    }
    word = (text) => ` ${/The word is: ([a-z]{4})$/.exec(text)![1]!.toUpperCase()} `
    const { data, texts } = await call('propose_notes_update', long)
    assert.deepEqual([data.status, texts.length, shown.split('\n').length], ['confirmed', 1, 42])
    assert.equal(data.hint, undefined)
    for (const line of lines) assert.ok(shown.includes(`\n+${line}`))
  })
}

test('a line too long for a message needs the word too, and can be dropped without it', async (t) => {
  const home = await mcpHome(t, { files: oneSubject })
  const { call } = await connected(t, home, modern, 'http', {
    person: async ({ message }) => {
      assert.match(message, /^Add this line to tastes\/night\.md \(value\)\?/)
      return { action: 'accept', content: { decision: 'drop' } }
    },
  })
  const taste = { content: 'Quiet. '.repeat(20), category: 'value', file: 'night' }
  assert.equal((await call('propose_taste_update', taste)).data.status, 'declined')
})

test('what a terminal would obey, and what nobody can see, is shown as codes', async (t) => {
  const home = await mcpHome(t, { files: oneSubject })
  let shown = ''
  const { call } = await connected(t, home, modern, 'http', {
    person: async (question) => {
      shown = shownIn(question)
      return { action: 'cancel' }
    },
  })
  await call('propose_notes_update', { image_id: 'one', content: 'a\u001B[2Jb\u202Ec\u200Bd\u{E0041}\n\te' })
  assert.ok(shown.includes('+a\\u{1b}[2Jb\\u{202e}c\\u{200b}d\\u{e0041}\n+\te\n\nThe word is: '), shown)
})

test('a process that a tool started asks nobody: a model cannot answer in the place of a person', async (t) => {
  const home = await mcpHome(t, { files: oneSubject })
  const { call } = await connected(t, home, modern, 'stdio', {
    environment: { FOREWORD_TOOL: '1' },
    person: async () => ({ action: 'accept', content: { decision: 'confirm' } }),
  })
  assert.equal((await call('propose_notes_update', note)).data.status, 'waiting for a person')
  assert.equal(readFileSync(join(home.home, 'subjects/one/notes.md'), 'utf8'), oneSubject['subjects/one/notes.md'])
})

test('a yes without the seal of the question confirms nothing, and a changed seal is refused', async (t) => {
  const home = await mcpHome(t, { files: oneSubject })
  const { client } = await connected(t, home, modern, 'http', { person: async () => ({ action: 'cancel' }) })
  const yes = { decision: { action: 'accept', content: { decision: 'confirm' } } }

  const unsealed = await secondRound(client, { inputResponses: yes })
  assert.equal(unsealed['resultType'], 'input_required')

  const { requestState } = await firstRound(client)
  const [version, payload, mac] = requestState.split('.') as [string, string, string]
  const content = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { p: Record<string, unknown> }
  const forged = Buffer.from(JSON.stringify({ ...content, p: { ...content.p, proposal: 'another' } })).toString(
    'base64url',
  )
  await assert.rejects(
    secondRound(client, { requestState: `${version}.${forged}.${mac}`, inputResponses: yes }),
    /Invalid or expired requestState/,
  )
  assert.deepEqual(
    (await home.runtime.proposals.list()).map(({ state }) => state.type),
    ['waiting'],
  )
})

test('a seal confirms the call that it was made for, and no other', async (t) => {
  const home = await mcpHome(t, { files: oneSubject })
  const { client } = await connected(t, home, modern, 'http', { person: async () => ({ action: 'cancel' }) })
  const yes = { decision: { action: 'accept', content: { decision: 'confirm' } } }
  const { requestState } = await firstRound(client)

  const other = await secondRound(
    client,
    { requestState, inputResponses: yes },
    { image_id: 'one', content: 'Something else.' },
  )
  assert.deepEqual(errorOf(other), 'invalid_input')
  assert.equal((await home.runtime.proposals.list())[0]!.state.type, 'waiting')

  // The order of the fields is not part of the call.
  const same = await secondRound(
    client,
    { requestState, inputResponses: yes },
    { content: note.content, image_id: note.image_id },
  )
  assert.equal(statusOf(same), 'confirmed')

  // Used once: a second yes writes nothing more, and says how things stand.
  const again = await secondRound(client, { requestState, inputResponses: yes })
  assert.equal(statusOf(again), 'confirmed')
  const notes = readFileSync(join(home.home, 'subjects/one/notes.md'), 'utf8')
  assert.equal(notes.split('The haze stays.').length, 2)
})

test('where somebody else was quicker, the reply says what they decided', async (t) => {
  const home = await mcpHome(t, { files: oneSubject })
  const { proposals } = home.runtime
  const { call } = await connected(t, home, 'v2 2025-11-25', 'http', {
    person: async () => {
      const [{ id, digest }] = (await proposals.list()) as [Awaited<ReturnType<typeof proposals.get>>]
      await proposals.decide(id, { type: 'decline', digest, by: 'cli' })
      return { action: 'accept', content: { decision: 'confirm' } }
    },
  })
  const reply = await call('propose_notes_update', note)
  assert.equal(reply.data.status, 'declined')
  assert.match(reply.data.hint!, /decided|declined/)
  assert.equal(readFileSync(join(home.home, 'subjects/one/notes.md'), 'utf8'), oneSubject['subjects/one/notes.md'])
})

/** What the form shows of the difference: the description of its one field. */
function shownIn({ requestedSchema }: Question): string {
  return String(requestedSchema.properties['decision']?.description)
}

type Question = Parameters<Person>[0]
type Connected = Awaited<ReturnType<typeof connected>>['client']
type Result = Readonly<Record<string, unknown>>

async function firstRound(client: Connected): Promise<{ readonly requestState: string }> {
  const { requestState } = await secondRound(client, {})
  return { requestState: String(requestState) }
}

/** The call by hand, so that a test decides what is brought back. */
async function secondRound(client: Connected, round: object, input: object = note): Promise<Result> {
  const params = { name: 'propose_notes_update', arguments: input, ...round }
  return (await client.request({ method: 'tools/call', params }, withInputRequired(specTypeSchemas.CallToolResult), {
    allowInputRequired: true,
  })) as Result
}

function errorOf(result: Result): string | undefined {
  return (result['structuredContent'] as { error: { code: string } | null }).error?.code
}

function statusOf(result: Result): string | undefined {
  return (result['structuredContent'] as { data: { status: string } | null }).data?.status
}
