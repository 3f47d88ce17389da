import assert from 'node:assert/strict'
import { rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import type { FileOwner } from '../src/session.ts'
import { withTool } from '../src/tool.ts'
import { openedHome, type OpenedHome } from './home/opened-home.ts'

const FULL = JSON.stringify({
  global: { mode: 'full' },
  tools: { shell: { enabled: true, allowedPrefixes: ['ls'] } },
})

test('every tool that a session is offered has its line, and is gone from the next step on once it is denied', async (t) => {
  const { here, session } = await everythingIn(t)
  const policy = 'tool-access.json'
  const offered = await offeredIn(here, session)
  const files = ['search_project', 'search_files_of_agent', 'read_attachment', 'search_attachment']
  const others = ['read_skill', 'read_result', 'read_file', 'shell', 'open_url', 'read_context']
  for (const name of [...files, ...others]) {
    assert.ok(offered.includes(name), `${name} is offered`)
  }
  const rows = new Map((await here.runtime.tools()).map((tool) => [tool.name, tool]))
  assert.deepEqual(
    offered.filter((name) => !rows.has(name)),
    [],
  )
  for (const name of offered) {
    here.write(policy, withTool(FULL, name, false))
    await here.accept()
    assert.deepEqual(
      await offeredIn(here, session),
      offered.filter((other) => other !== name),
      name,
    )
    const call = `/call ${name} ${JSON.stringify(inputs[name] ?? sampleOf(rows.get(name)!.inputSchema))}`
    const { results } = await here.say(`${call}\n/say So be it.`, session)
    assert.deepEqual(results, [`Tool disabled in config: ${name}`])
    const row = (await here.runtime.tools()).find((each) => each.name === name)
    assert.deepEqual([row?.access, row?.reason], ['refused', `Tool disabled in config: ${name}`])
  }
})

test('a pattern denies all tools that it matches, and a list of single names does not allow them again', async (t) => {
  const { here, session } = await everythingIn(t)
  const listed = '{"global": {"allowedTools": ["read_file", "list_files", "read_context"]}}'
  for (const text of [FULL, listed]) {
    here.write('tool-access.json', withTool(text, 'read_*', false))
    await here.accept()
    const offered = await offeredIn(here, session)
    assert.deepEqual(
      offered.filter((name) => name.startsWith('read_')),
      [],
    )
    assert.ok(offered.includes('list_files'))
    const { results } = await here.say('/call read_file {"path": "AGENTS.md"}\n/say So be it.', session)
    assert.match(results[0]!, /^Tool (?:disabled in config|is not in allowlist): read_file$/)
  }
})

test('an edit of equal length that leaves the times of the file as they were holds from the next step on', async (t) => {
  const on = '{"global": {"mode": "full"}}'
  const here = await openedHome(t, { 'tool-access.json': on })
  const file = join(here.home, 'tool-access.json')
  const { atime, mtime } = statSync(file)
  const { id: session } = await here.runtime.newSession()
  for (let round = 0; round < 10; round++) {
    for (const [text, isOn] of [
      [on, true],
      ['{"global": {"mode": "off" }}', false],
    ] as const) {
      here.write('tool-access.json', text)
      utimesSync(file, atime, mtime)
      assert.equal(statSync(file).size, on.length)
      if (isOn) await here.accept()
      assert.equal(
        (await here.runtime.tools()).some(({ access }) => access !== 'refused'),
        isOn,
      )
    }
  }
  assert.deepEqual((await here.say('hello', session)).offered, [])
})

test("Ayati's file in context/ says what may run, while the home has no other, and a change of either holds at once", async (t) => {
  const ayati =
    '{"_help": ["x"], "sandbox": {"enabled": false}, "global": {"_": 1, "allowedTools": ["list_files"]}, "tools": {"_help": "by name"}}'
  const here = await openedHome(t, { 'context/tool-access.json': ayati })
  const { id: session } = await here.runtime.newSession()
  const names = async () => (await here.say('hello', session)).offered.filter((name) => !name.startsWith('read_'))
  assert.deepEqual(await names(), ['list_files'])
  here.write('context/tool-access.json', ayati.replace('list_files', 'search_files'))
  assert.deepEqual(await names(), [])
  await here.accept()
  assert.deepEqual(await names(), ['search_files'])
  here.write('tool-access.json', '{}')
  assert.deepEqual(await names(), [])
  rmSync(join(here.home, 'tool-access.json'))
  await here.accept()
  assert.deepEqual(await names(), ['search_files'])
  here.write('context/tool-access.json', '{"global": {"mode": "ful"}}')
  assert.deepEqual(await names(), [])
  assert.match((await here.runtime.status()).warnings.join('\n'), /tool-access\.json: line 1: global\.mode/)
})

/** A session in which everything is offered that a home can offer. */
async function everythingIn(t: TestContext): Promise<{ here: OpenedHome; session: string }> {
  const here = await openedHome(
    t,
    {
      'tool-access.json': FULL,
      'skills/alpha/SKILL.md': '---\nname: alpha\ndescription: Does A.\n---\n# Alpha\n',
      'subjects/reef/brief.md': 'A reef.',
    },
    { skills: { contextMode: 'readOnDemand' }, models: { rehearsal: { window: 16_384 } } },
  )
  const { runtime } = here
  const agent = await runtime.agents.create({ name: 'Reader', prompt: 'Read.' })
  const project = await runtime.projects.create({ name: 'FileLibrary' })
  const { id: session } = await runtime.newSession({ agent: agent.id, project: project.id })
  await added(here, { type: 'project', id: project.id }, `# Tides\n${'High water is at noon. '.repeat(8_000)}`)
  await added(here, { type: 'agent', id: agent.id }, 'The lighthouse flashes twice.')
  await added(here, { type: 'session', id: session }, 'The harbour is closed.')
  return { here, session }
}

async function added({ runtime }: OpenedHome, owner: FileOwner, text: string): Promise<void> {
  const { id } = await runtime.library.add({ owner, name: 'file.md', bytes: new Blob([text]).stream() })
  assert.equal((await runtime.library.settled(id)).state.type, 'ready')
}

async function offeredIn(here: OpenedHome, session: string): Promise<readonly string[]> {
  return (await here.say('hello', session)).offered
}

/** Where more is asked for than a schema can say. */
const inputs: Readonly<Record<string, unknown>> = {
  open_url: { urls: ['https://tides.example'] },
  read_context: { image_id: 'reef' },
  read_full_notes: { image_id: 'reef' },
  log_operation: { image_id: 'reef', op: 'look' },
  log_gap: { image_id: 'reef', description: 'none' },
  propose_notes_update: { image_id: 'reef', content: 'Blue.' },
  propose_taste_update: { content: 'Blue.', category: 'process' },
}

/** Something that a schema accepts, as far as schemas of tools go. */
function sampleOf(schema: Readonly<Record<string, unknown>>): unknown {
  const {
    required = [],
    properties = {},
    type,
    enum: values,
    items,
  } = schema as {
    readonly required?: readonly string[]
    readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    readonly type?: string
    readonly enum?: readonly unknown[]
    readonly items?: Readonly<Record<string, unknown>>
  }
  if (values) return values[0]
  if (type === 'object') return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]))
  if (type === 'array') return items ? [sampleOf(items)] : []
  return { integer: 1, number: 1, boolean: true }[type ?? ''] ?? 'x'
}

test('SHELL_TOOL_ENABLED and its prefixes alone switch the shell on; without commands the status says what is missing', async (t) => {
  const on = { SHELL_TOOL_ENABLED: 'true' }
  const here = await openedHome(t, {}, {}, { ...on, SHELL_TOOL_ALLOWED_PREFIXES: 'echo' })
  const { results, offered } = await here.say('/call shell {"cmd": "echo calm"}\n/say So be it.')
  assert.ok(offered.includes('shell'))
  assert.doesNotMatch(results[0]!, /allowlist/)
  const bare = await openedHome(t, {}, {}, on)
  assert.match(
    (await bare.runtime.status()).warnings.join('\n'),
    /tool-access\.json: the shell may run no command yet\. Name presets in .*SHELL_TOOL_PRESETS/,
  )
})
