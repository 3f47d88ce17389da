import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type TestContext } from 'node:test'
import { listedName } from '../src/context.ts'
import { exportSession } from '../src/session.ts'
import { type ScriptedAnswer, scriptedProvider, type ScriptedRequest } from '../src/testing.ts'
import { openMcpHome } from './mcp/mcp-home.ts'
import { type OpenedHome, openedHome } from './home/opened-home.ts'

const lines = (count: number, what: string) =>
  Array.from({ length: count }, (_, index) => `- ${what} ${index + 1}: ask before you write a file.`).join('\n')
const instructions = `# Rules\n\n${lines(40, 'rule')}\n`
const skill = (name: string, says = 'Reads the tide tables.') =>
  `---\nname: ${name}\ndescription: ${says}\n---\n\n${lines(10, name)}\n`

const access = (...allowedTools: readonly string[]) => JSON.stringify({ global: { allowedTools } })
const tool = (name: string) => ({ name, description: `Shows the ${name}.`, inputSchema: { type: 'object' } })

/** A home whose conversation has begun, with a server that answers from a script. */
async function begun(t: TestContext) {
  const mcp = openMcpHome()
  t.after(() => mcp.close())
  const server = mcp.scripted('far', { tools: [tool('tide'), tool('wind'), tool('chart')] })
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-01-05T23:50:00.000Z') })
  const script: ScriptedAnswer[] = []
  const provider = await scriptedProvider({
    answer: () => script.shift() ?? { text: `Certainly. ${'It is so. '.repeat(60)}` },
  })
  t.after(() => provider.close())
  const configuration = {
    model: 'own/scripted',
    models: { 'own/scripted': { window: 60_000, tools: true }, 'own/other': { window: 60_000, tools: true } },
    providers: { own: { kind: 'openai-compatible', baseURL: `${provider.url}/v1` } },
    context: { timeZone: 'UTC' },
    mcp: { servers: { far: server.configured } },
  }
  const files = {
    'workspace/AGENTS.md': instructions,
    'skills/tides/SKILL.md': skill('tides'),
    'tool-access.json': access('read_file', 'search_files', 'far__*'),
  }
  let home = await openedHome(t, files, configuration)
  await home.accept()
  const { session } = await home.say('Good evening.')
  for (let turn = 1; turn < 4; turn += 1) await home.say(`Tell me part ${turn}. ${'Please. '.repeat(40)}`, session)
  return {
    session,
    provider,
    script,
    server,
    get home() {
      return home
    },
    async restart(changes: object = {}) {
      home = await home.reopened({ ...configuration, ...changes })
    },
    /** Says something, and returns what share of the prompt before it is sent again byte for byte, and the new one. */
    async next(text = 'And now?') {
      const before = provider.requests.at(-1)!
      await home.say(text, session)
      const now = provider.requests.at(-1)!
      return { reused: reused(before, now), told: announcements(now) }
    },
    /** Every call is built again, byte for byte. */
    async replays() {
      const { calls, identical, different } = await home.runtime.replay(session)
      assert.deepEqual([identical, different], [calls, []])
    },
  }
}

type Begun = Awaited<ReturnType<typeof begun>>

function promptText({ body }: ScriptedRequest): string {
  return JSON.stringify([body['tools'], body['messages']]).slice(0, -2)
}

/** What the request tells of changes. */
function announcements({ body }: ScriptedRequest): string {
  const messages = body['messages'] as readonly { readonly role: string; readonly content: string }[]
  return messages
    .filter(({ role, content }) => role === 'user' && /^\[.*from here on/i.test(content))
    .map(({ content }) => content)
    .join('\n')
}

function reused(before: ScriptedRequest, now: ScriptedRequest): number {
  const [old, sent] = [promptText(before), promptText(now)]
  let same = 0
  while (same < old.length && old[same] === sent[same]) same += 1
  return same / old.length
}

const events: readonly {
  readonly name: string
  readonly happens: (conversation: Begun, t: TestContext) => unknown
  /** What the model reads of it; nothing where nothing has to be said. */
  readonly says: RegExp | undefined
}[] = [
  {
    name: 'midnight',
    happens: (_, t) => t.mock.timers.setTime(Date.parse('2026-01-06T00:00:01.000Z')),
    says: /Today is Tuesday, 2026-01-06/,
  },
  {
    name: 'AGENTS.md edited',
    happens: ({ home }) =>
      edited(home, { 'workspace/AGENTS.md': instructions.replace('rule 7:', 'rule 7: (only in the morning)') }),
    says: /- rule 7: ask.*\+ - rule 7: \(only in the morning\)/s,
  },
  {
    name: 'a skill edited',
    happens: ({ home }) => edited(home, { 'skills/tides/SKILL.md': skill('tides', 'Reads the tables of the moon.') }),
    says: /tables of the moon/,
  },
  {
    name: 'a skill added',
    happens: ({ home }) => edited(home, { 'skills/charts/SKILL.md': skill('charts', 'Draws charts.') }),
    says: /Draws charts/,
  },
  {
    name: 'a tool allowed',
    happens: ({ home }) =>
      edited(home, { 'tool-access.json': access('read_file', 'search_files', 'list_files', 'far__*') }),
    says: /can be called too.*: list_files\..*inputSchema/s,
  },
  {
    name: 'a tool no longer allowed',
    happens: ({ home }) => edited(home, { 'tool-access.json': access('read_file', 'far__*') }),
    says: /cannot be called: search_files\./,
  },
  {
    name: 'an agent chosen',
    async happens({ home, session }) {
      const { id } = await home.runtime.agents.create({
        name: 'Poet',
        prompt: `You are a poet.\n${lines(60, 'verse')}`,
      })
      await home.runtime.setAgent(session, id)
    },
    says: /there is also .*You are a poet/s,
  },
  {
    name: 'a project chosen',
    async happens({ home, session }) {
      const { id } = await home.runtime.projects.create({ name: 'Harbour', instructions: `Maps.\n${lines(60, 'map')}` })
      await home.runtime.setProject(session, id)
    },
    says: /Maps\./,
  },
  {
    name: 'an MCP server back with its tools in another order',
    async happens(conversation) {
      conversation.server.change({ tools: [tool('chart'), tool('wind'), tool('tide')] })
      await conversation.restart()
    },
    says: undefined,
  },
  { name: 'a restart', happens: (conversation) => conversation.restart(), says: undefined },
  {
    name: 'an upgrade, whose head is another one',
    async happens(conversation) {
      const { home } = conversation
      await home.runtime.close()
      const database = new DatabaseSync(join(home.home, 'data', 'foreword.sqlite'))
      database.exec(`update calls set record = json_remove(record, '$.input.rules')`)
      database.close()
      await conversation.restart({ context: { timeZone: 'UTC', dateGranularity: 'minute' } })
    },
    says: /It is Monday, 2026-01-05, 23:50/,
  },
]

for (const { name, happens, says } of events) {
  test(`the prompt before is reused: ${name}`, async (t) => {
    const conversation = await begun(t)
    const unchanged = await conversation.next()
    assert.ok(unchanged.reused > 0.999)
    await happens(conversation, t)
    const { reused: share, told } = await conversation.next()
    assert.ok(share >= 0.97, `${name}: ${share}`)
    if (says) assert.match(told, says)
    else assert.equal(told, '')
    const after = await conversation.next('And then?')
    assert.ok(after.reused >= 0.999, `after ${name}: ${after.reused}`)
    await conversation.replays()
  })
}

test('after a pause in which the cache ends, at a change of the model and with `reload --now` the head is composed again', async (t) => {
  const conversation = await begun(t)
  const { session, provider } = conversation
  const change = (rule: string) =>
    edited(conversation.home, { 'workspace/AGENTS.md': instructions.replace('rule 7:', `rule 7: (${rule})`) })
  const systemText = () => JSON.stringify((provider.requests.at(-1)!.body['messages'] as readonly unknown[])[0])

  await change('one')
  const { told } = await conversation.next()
  assert.match(told, /rule 7: \(one\)/)
  assert.doesNotMatch(systemText(), /\(one\)/)
  t.mock.timers.setTime(Date.parse('2026-01-06T08:00:00.000Z'))
  const later = await conversation.next()
  assert.equal(later.told, '')
  assert.match(systemText(), /\(one\).*2026-01-06/s)

  await change('two')
  assert.match((await conversation.next()).told, /\(two\)/)
  const again = await conversation.home.runtime.reload({ now: true, session })
  assert.deepEqual(
    again.folded?.map((each) => each.session),
    [session],
  )
  assert.ok((again.folded?.[0]?.tokens ?? 0) > 500, 'the history is sent again')
  assert.equal((await conversation.next()).told, '')
  assert.match(systemText(), /\(two\)/)
  assert.deepEqual((await conversation.home.runtime.reload({ now: true })).folded, [])
  await assert.rejects(conversation.home.runtime.reload({ now: true, session: 'nowhere' }), { code: 'not-found' })

  await change('three')
  await conversation.home.runtime.setModel(session, 'own/other')
  assert.equal((await conversation.next()).told, '')
  assert.match(systemText(), /\(three\)/)
  await conversation.replays()
})

test('an announcement is what the next call would send, and goes with the turn that is taken back', async (t) => {
  const conversation = await begun(t)
  const { session, home } = conversation
  await edited(home, { 'workspace/AGENTS.md': instructions.replace('rule 7:', 'rule 7: (first)') })
  const { manifest } = await home.runtime.preview({ session, input: 'And now?' })
  const [entry, ...others] = manifest.entries.filter(({ layer }) => layer === 'head-change')
  assert.deepEqual([entry!.slot, entry!.outcome, entry!.origin.kind, others], ['input', 'included', 'operator', []])
  assert.equal(listedName(entry!, manifest), 'change of instructions')
  assert.match((await conversation.next()).told, /\(first\)/)
  await home.runtime.undo(session)
  const { told } = await conversation.next()
  assert.match(told, /\(first\)/)
  assert.equal(told.match(/has changed/g)?.length, 1)
  await conversation.replays()
})

test('a tool that was announced can be called, and one that was denied is refused', async (t) => {
  const conversation = await begun(t)
  const { home, session, script } = conversation
  await edited(home, { 'tool-access.json': access('list_files', 'search_files', 'far__*') })
  script.push(
    { toolCalls: [{ name: 'list_files', input: {} }] },
    { toolCalls: [{ name: 'read_file', input: { path: 'AGENTS.md' } }] },
  )
  const { results } = await home.say('Look around.', session)
  assert.match(results[0]!, /AGENTS\.md/)
  assert.equal(results[1], 'Tool is not in allowlist: read_file')
  const { reused: share } = await conversation.next()
  assert.ok(share > 0.999)
  await conversation.replays()
})

test('a chosen agent with few tools can call no other one that the beginning defines', async (t) => {
  const conversation = await begun(t)
  const { home, session, script } = conversation
  const { id } = await home.runtime.agents.create({ name: 'Poet', prompt: 'You are a poet.', tools: ['search_files'] })
  await home.runtime.setAgent(session, id)
  script.push({ toolCalls: [{ name: 'read_file', input: { path: 'AGENTS.md' } }] })
  const { results } = await home.say('Read the rules.', session)
  assert.deepEqual(results, ['read_file is not among the tools of the chosen agent.'])
  assert.match(announcements(conversation.provider.requests.at(-1)!), /cannot be called: read_file, far__chart/)
})

test('at a cut the head is composed again, and the calls before the next cut begin as it does', async (t) => {
  const conversation = await begun(t)
  const { home, provider } = conversation
  await edited(home, { 'workspace/AGENTS.md': instructions.replace('rule 7:', 'rule 7: (first)') })
  assert.match((await conversation.next()).told, /\(first\)/)
  const broken: boolean[] = []
  for (let turn = 0; turn < 7; turn += 1) {
    const { reused: share, told } = await conversation.next(`Part ${turn}. ${'All of it, please. '.repeat(1500)}`)
    broken.push(share < 0.97)
    assert.equal(told === '', broken.includes(true), 'announced until the cut')
  }
  assert.deepEqual(broken, [false, false, false, false, true, false, false])
  assert.match(JSON.stringify(provider.requests.at(-1)!.body), /rule 7: \(first\)/)
  await conversation.replays()
})

test('files of a project are announced as material, with what was read', async (t) => {
  const conversation = await begun(t)
  const { home, session } = conversation
  const { id } = await home.runtime.projects.create({ name: 'Harbour' })
  const bytes = new Blob(['High at six.']).stream()
  const file = await home.runtime.library.add({ owner: { type: 'project', id }, name: 'tides.txt', bytes })
  await home.runtime.library.settled(file.id)
  await home.runtime.setProject(session, id)
  const { told } = await conversation.next()
  assert.match(told, /begin [0-9a-f]{12}: files of the project, material and not instructions ===.*High at six\./s)
  const [assembly] = (await home.runtime.store.entries(session, { types: ['assembly'], last: 1 })) as readonly {
    readonly foreign?: readonly { readonly kind: string }[]
  }[]
  assert.deepEqual(
    assembly?.foreign?.map(({ kind }) => kind),
    ['file'],
  )
})

test('an export with announcements is imported and replayed, and the imported session begins with the head of this home', async (t) => {
  const conversation = await begun(t)
  const { session, home, provider } = conversation
  await edited(home, { 'workspace/AGENTS.md': instructions.replace('rule 7:', 'rule 7: (first)') })
  await conversation.next()
  const exported = await Array.fromAsync(exportSession(home.runtime.store, session))
  async function* exportedLines() {
    yield* exported
  }
  const copy = await home.runtime.importSession(exportedLines(), { as: 'copy' })
  const { calls, identical } = await home.runtime.replay(copy)
  assert.equal(identical, calls)
  await home.say('And here?', copy)
  assert.equal(announcements(provider.requests.at(-1)!), '')
  assert.match(JSON.stringify(provider.requests.at(-1)!.body), /rule 7: \(first\)/)
})

async function edited(home: OpenedHome, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) home.write(path, text)
  await home.runtime.reload()
  await home.accept()
  await home.runtime.reload()
}
