import assert from 'node:assert/strict'
import { layoutOf } from '../src/context.ts'
import test, { type TestContext } from 'node:test'
import { providerCapabilities } from '../src/capabilities/providers.ts'
import type { FileLibrary, Records } from '../src/capability.ts'
import { agents } from '../src/capabilities/agents/agents.ts'
import { files } from '../src/capabilities/files/files.ts'
import { search } from '../src/capabilities/search/search.ts'
import { projects } from '../src/capabilities/projects/projects.ts'
import { prompt } from '../src/capabilities/prompt/prompt.ts'
import { startedCapabilities } from './home/started-capabilities.ts'

const all = [prompt, search, agents, projects, files]
const packaged = /^system-prompt: You are Foreword/

test('a turn is given the prompt of its agent and the files of its project, each where the other has none', async (t) => {
  const { turn, add, ...records } = await opened(t)
  const project = (await records.projects.create({ name: 'Harbour', instructions: ' Answer from the files. ' })).id
  const agent = (await records.agents.create({ name: 'Pirate', prompt: 'Arrr.', reminder: 'Ahoy.' })).id
  await add('project', project, { 'tides.md': 'High water is at noon.' })
  const [instructions, own] = ['custom-agent: Answer from the files.', 'custom-agent: Arrr.']

  const alone = await turn({ choices: { project } })
  const [first, ...others] = await alone.layers()
  assert.match(first!, packaged)
  assert.equal(others[0], instructions)
  assert.match(
    others[1]!,
    /^project: Here are some documents.*"title": "tides.md", "contents": "High water is at noon\."/s,
  )
  assert.deepEqual(
    alone.parts.flatMap(({ sources = [] }) => sources.map(({ citation, title }) => [citation, title])),
    [[1, 'tides.md']],
  )
  assert.deepEqual(alone.tools, [])

  const both = await (await turn({ choices: { project, agent } })).layers()
  assert.deepEqual(both.slice(1, 3), [own, 'agent-reminder: Ahoy.'])
  assert.ok(!both.includes(instructions))

  await records.agents.remove(agent)
  assert.ok(
    (await (await turn({ choices: { project, agent } })).layers()).includes(instructions),
    'it is gone meanwhile',
  )
  await records.projects.remove(project)
  assert.equal((await (await turn({ choices: { project, agent } })).layers()).length, 1)
})

test('files of a project that do not fit, or not beside everything else, are searched and read', async (t) => {
  const { turn, add, ...records } = await opened(t)
  const project = (await records.projects.create({ name: 'Harbour' })).id
  await add('project', project, { 'tides.md': 'High water is at noon. '.repeat(40) })
  const tools = ['search_project', 'read_attachment', 'search_attachment']

  const fits = await turn({ choices: { project } })
  assert.deepEqual(fits.tools, [])
  const narrow = await fits.within(20)
  assert.deepEqual(narrow.tools, tools)
  assert.deepEqual((await narrow.layers()).slice(1), ['project: -'])
  assert.ok(narrow.parts.every(({ sources }) => sources === undefined))
  assert.ok(narrow.parts.some(({ readsForeign }) => readsForeign))

  const small = await turn({ choices: { project }, window: 100 })
  assert.deepEqual(small.tools, tools)
  assert.ok(
    small.parts.every(({ within }) => within === undefined),
    'there is nothing to narrow',
  )
})

test('an agent that replaces the prompt is a preset, and its files are only searched', async (t) => {
  const { turn, add, self, ...records } = await opened(t)
  const value = { name: 'Bare', mode: 'replace', prompt: 'You are bare.', tools: ['read_*'], layout: 'chai' }
  const agent = (await records.agents.create(value)).id
  await add('agent', agent, { 'tides.md': 'High water is at noon.' })
  const system = { text: 'You are bare.', ref: `agent/${agent}` }
  assert.deepEqual(await agents.sessions!.choices!['agent']!.preset!(self('agents'), agent), {
    layout: 'chai',
    tools: ['read_*'],
    system,
  })
  const found = await turn({ choices: { agent } })
  assert.deepEqual(await found.layers({ system }), ['system-prompt: You are bare.'])
  assert.deepEqual(await found.layers({ system: { ...system, text: ' ' } }), ['system-prompt: -'])
  assert.deepEqual(found.tools, ['search_files_of_agent', 'read_attachment', 'search_attachment'])
  assert.equal(await agents.sessions!.choices!['agent']!.preset!(self('agents'), 'agent_0'), undefined)
})

test('an edited prompt holds for a whole turn, and not for calls outside of turns', async (t) => {
  const { turn, self } = await opened(t)
  const { edited } = self<{ edited: { edit(text: string): Promise<unknown> } }>('prompt').service
  const before = await turn()
  await edited.edit('Edited.')
  assert.match((await before.layers())[0]!, packaged)
  assert.deepEqual(await (await turn()).layers(), ['system-prompt: Edited.'])
  const outside = await prompt.layers!(self('prompt'), { layout: layoutOf('auto') } as never)
  assert.match(outside[0]!.renditions[0]!.text, /^You are Foreword/)
})

test('the files of a session can be read in it, and go with it', async (t) => {
  const { turn, add, self, library } = await opened(t)
  await add('session', 'session_1', { 'tides.md': 'High water is at noon.' })
  assert.deepEqual((await turn({ session: 'session_1' })).tools, ['read_attachment', 'search_attachment'])
  assert.deepEqual((await turn({ session: 'session_2' })).tools, [])
  await files.sessions!.deleted!(self('files'), 'session_1')
  assert.deepEqual(await library.files(), [])
})

test('the tools that turns may be given are listed, for each choice that has files', async (t) => {
  const { self } = await opened(t)
  assert.deepEqual(
    files.tools!(self('files')).map(({ name }) => name),
    ['search_project', 'search_files_of_agent', 'read_attachment', 'search_attachment'],
  )
  const alone = await startedCapabilities(t, [files])
  assert.deepEqual(
    files.tools!(alone.self('files')).map(({ name }) => name),
    ['read_attachment', 'search_attachment'],
  )
})

test('an agent and a project are meant by their names and by beginnings that only one has', async (t) => {
  const { self, ...records } = await opened(t)
  const { id } = await records.agents.create({ name: 'Pirate' })
  await records.agents.create({ name: 'Pirate captain' })
  const { find, check, list } = agents.sessions!.choices!['agent']!
  assert.equal(await find!(self('agents'), 'PIRATE'), id)
  await assert.rejects(find!(self('agents'), 'pir'), { code: 'invalid-input', message: '2 agents are meant by pir.' })
  await assert.rejects(find!(self('agents'), 'Pirat captain'), {
    code: 'not-found',
    hint: 'Did you mean Pirate captain?',
  })
  await assert.rejects(check(self('agents'), 'agent_0'), { code: 'not-found' })
  assert.deepEqual((await list!(self('agents')))[0], { id, name: 'Pirate' })
})

test('the start reports what an embedding model lacks', async (t) => {
  const embedding = { kind: 'openai-compatible', model: 'minilm' }
  const { warnings } = await startedCapabilities(t, [...all, ...providerCapabilities], { search: { embedding } })
  assert.deepEqual(warnings, ['search.embedding.baseURL is missing. Set it to the address of the server.'])
})

async function opened(t: TestContext) {
  const started = await startedCapabilities(t, all)
  const library = started.self<FileLibrary>('files').service
  return {
    ...started,
    library,
    agents: started.self<Records<object>>('agents').service,
    projects: started.self<Records<object>>('projects').service,
    async add(type: 'session' | 'agent' | 'project', id: string, texts: Readonly<Record<string, string>>) {
      for (const [name, text] of Object.entries(texts)) {
        const row = await library.add({ name, bytes: bytesOf(text), owner: { type, id } })
        await library.settled(row.id)
      }
    },
  }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}
