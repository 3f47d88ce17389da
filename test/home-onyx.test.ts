import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { type AnyMessage, messageText, type ManifestEntry, toolCalls } from '../src/context.ts'
import { openedHome, type OpenedHome } from './home/opened-home.ts'

/** A tool that finds a document, so that a turn has something to cite. */
const finder = `export default {
  name: 'finder', version: '1',
  tools: () => [{
    name: 'find', description: 'Finds.', inputSchema: { type: 'object' },
    execute: async () => ({ ok: true, output: '', meta: { documents: [{ document: 'd', title: 'D', content: 'Found.' }] } }),
  }],
}`
const files = {
  'context/system_prompt.md': 'You are helpful.',
  'finder.ts': finder,
  'tool-access.json':
    '{"global": {"mode": "full"}, "tools": {"*": {"afterUntrusted": "allow"}, "shell": {"enabled": false}}}',
}
/** The finder alone: no tool that a cut would bring along. */
const findsOnly = {
  ...files,
  'tool-access.json': JSON.stringify({
    global: { allowedTools: ['find'] },
    tools: { read_history: { enabled: false }, read_result: { enabled: false } },
  }),
}
const onyx = { context: { layout: 'onyx', dateGranularity: 'none', margin: 0 }, plugins: ['./finder.ts'] }

/** BEHAVIOURS §3.1, sent through a whole gateway. */
test('a custom agent stays directly before the question, and a reminder stays after the newest result', async (t) => {
  const here = await openedHome(t, files, onyx)
  const { id: agent } = await here.runtime.agents.create({ name: 'Poet', prompt: 'Answer in verse.' })
  const { id: session } = await here.runtime.newSession({ agent })
  const first = await sent(here, '/call find {}\n/say A1', session)
  assert.deepEqual(first, ['S CA U1', 'S CA U1 TC TR R'])
  assert.deepEqual(await sent(here, '/say A2', session), ['S U1 TC TR A1 CA U2'])
  assert.deepEqual(await sent(here, '/call find {}\n/say A3', session), [
    'S U1 TC TR A1 U2 A2 CA U3',
    'S U1 TC TR A1 U2 A2 CA U3 TC TR R',
  ])
})

test('project and file are before the question, and only the project moves with the newest message', async (t) => {
  const here = await openedHome(t, files, onyx)
  const { runtime } = here
  const { id: project } = await runtime.projects.create({ name: 'Harbour', instructions: 'Answer in verse.' })
  await added(here, { type: 'project', id: project }, 'tides.md')
  const { id: session } = await runtime.newSession({ project })
  const file = await added(here, { type: 'session', id: session }, 'notes.txt')
  assert.deepEqual(await sent(here, '/say A1', session, [file]), ['S CA P F U1'])
  assert.deepEqual(await sent(here, '/say A2', session), ['S F U1 A1 CA P U2'])
})

test('a reminder moves behind each new result and is gone after the turn', async (t) => {
  const here = await openedHome(t, files, onyx)
  const { id: session } = await here.runtime.newSession()
  assert.deepEqual(await sent(here, '/call find {}\n/call find {}\n/say A1', session), ['S U1', 'S U1 TC TR R'])
  assert.deepEqual(await sent(here, '/call find {}\n/say So far.\n/call find {}\n/say A2', session), [
    'S U1 TC TR A1 U2',
    'S U1 TC TR A1 U2 TC TR R',
    'S U1 TC TR A1 U2 TC TR TC TR R',
  ])
  assert.deepEqual(await sent(here, '/say A3', session), ['S U1 TC TR A1 U2 TC TR TC TR A2 U3'])
})

/** BEHAVIOURS §3.2: windows are made to fit exactly what each row keeps, and one token less. */
test('a contiguous run of the newest messages is kept, the oldest dropped first', async (t) => {
  const talk = ['/say A1', '/say A2']
  const { kept, less } = await inWindowFor(t, talk, '/say A3', ({ id }) => !/^turn_\w+\/[12]$/.test(id) || isSecond(id))
  assert.equal(kept, 'S U2 A2 U3')
  assert.equal(less, 'S A2 U3')
})

test('a tool result whose call was dropped goes too, and the room is not filled again', async (t) => {
  const { kept } = await inWindowFor(
    t,
    ['/call find {}\n/say A1'],
    '/say A2',
    ({ id }) => !/^turn_\w+\/[12]$/.test(id),
    findsOnly,
  )
  assert.equal(kept, 'S A1 U2')
})

test('the current turn is kept whole, and the history gives way', async (t) => {
  const long = `/call find {}\n/call find {}\n/say ${'long '.repeat(400)}`
  const here = await openedHome(t, findsOnly, onyx)
  const { id: session } = await here.runtime.newSession()
  await here.say(long, session)
  const question = '/call find {}\n/say A2'
  const { manifest } = await here.runtime.preview({ session, input: question })
  const tokens = manifest.used - manifest.slots.history
  const window = tokens + 10 + 350
  const narrow = await here.reopened({
    ...onyx,
    context: { ...onyx.context, reserve: 10 },
    models: { rehearsal: { window } },
  })
  assert.equal((await sent(narrow, question, session)).at(-1), 'S U2 TC TR R')
})

test('what must be kept and does not fit is an error with the account, and no request', async (t) => {
  const here = await openedHome(t, files, {
    ...onyx,
    models: { rehearsal: { window: 60 } },
    context: { ...onyx.context, reserve: 10 },
  })
  const said = await here.runtime.submit({ text: 'word '.repeat(200) })
  const events = here.runtime.events(said.session, { turn: said.turn })
  while (!(await events.next()).done);
  const entries = await here.runtime.store.entries(said.session, { turn: said.turn })
  const end = entries.at(-1)
  assert.equal(end?.type === 'turn-end' && end.outcome.type === 'failed' && end.outcome.code, 'context-overflow')
  const [call] = await here.runtime.store.calls(said.session)
  assert.ok(call!.manifest.entries.length > 0)
  assert.equal(call!.outcome?.wire, undefined)
})

let secondTurn = ''
function isSecond(id: string): boolean {
  return id.startsWith(`${secondTurn}/`)
}

/** What is sent in a window that holds exactly the entries that `keeps` names, and in one that is a token smaller. */
async function inWindowFor(
  t: TestContext,
  talk: readonly string[],
  question: string,
  keeps: (entry: ManifestEntry) => boolean,
  home: Readonly<Record<string, string>> = { ...files, 'tool-access.json': '{"global": {"enabled": false}}' },
) {
  const context = { ...onyx.context, reserve: 10 }
  const wide = await openedHome(t, home, { ...onyx, context })
  const { id: session } = await wide.runtime.newSession()
  for (const text of talk) await wide.say(text, session)
  secondTurn = (await wide.runtime.store.turns(session))[0]!.turn
  const { manifest } = await wide.runtime.preview({ session, input: question })
  const tokens = manifest.entries.filter(keeps).reduce((sum, entry) => sum + entry.tokens, 0)
  const shown = async (window: number) => {
    const narrow = await wide.reopened({ ...onyx, context, models: { rehearsal: { window } } })
    const { request } = await narrow.runtime.preview({ session, input: question })
    await narrow.runtime.close()
    return notation(request.system, request.messages)
  }
  return { kept: await shown(tokens + 10), less: await shown(tokens + 9) }
}

/** What each call of the turn was sent. */
async function sent(here: OpenedHome, text: string, session: string, attachments: readonly string[] = []) {
  const { turn } = await here.runtime.submit({ session, text, attachments })
  const events = here.runtime.events(session, { turn })
  while (!(await events.next()).done);
  const entries = await here.runtime.store.entries(session, { turn, types: ['assembly'] })
  const calls = entries.flatMap((entry) => (entry.type === 'assembly' ? [entry.call] : []))
  return Promise.all(
    calls.map(async (call) => {
      const { request, identical } = await here.runtime.request(call)
      assert.ok(identical)
      return notation(request.system, request.messages)
    }),
  )
}

/** A request in the notation of BEHAVIOURS. Questions are numbered by their script, answers by their text. */
function notation(system: string | undefined, messages: readonly AnyMessage[]): string {
  let asked = 0
  const marks = messages.map((message) => {
    const text = messageText(message)
    if (message.role === 'tool') return 'TR'
    if (message.role === 'assistant') return toolCalls(message).length > 0 ? 'TC' : text
    if (text === 'Answer in verse.') return 'CA'
    if (text.startsWith('Here are some documents')) return 'P'
    if (text.startsWith('File: ')) return 'F'
    if (!text.startsWith('/')) return 'R'
    asked += 1
    const [, number = String(asked)] = /\/say A(\d)$/.exec(text) ?? []
    return `U${number}`
  })
  return [...(system === undefined ? [] : ['S']), ...marks].join(' ')
}

async function added(
  { runtime }: OpenedHome,
  owner: Parameters<OpenedHome['runtime']['library']['give']>[1],
  name: string,
) {
  const bytes = (async function* () {
    yield new TextEncoder().encode(`Words of ${name}.`)
  })()
  const { id } = await runtime.library.add({ name, bytes, owner })
  await runtime.library.settled(id)
  return id
}
