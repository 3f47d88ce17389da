import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { openedHome } from './home/opened-home.ts'

const skill = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\n# About ${name}\n`
const tools = (name: string) =>
  JSON.stringify({
    tools: [{ name: `${name}_tool`, parameters: { type: 'object', properties: {} } }],
    allowlist: { echo: [name] },
    execution: [{ tool: `${name}_tool`, binary: 'echo', subcommand: name }],
  })
const files = Object.fromEntries(
  ['red', 'green', 'blue'].flatMap((name) => [
    [`skills/${name}/SKILL.md`, skill(name)],
    [`skills/${name}/tools.json`, tools(name)],
  ]),
)

async function home(t: TestContext, layout = 'auto') {
  return openedHome(
    t,
    { ...files, 'tool-access.json': '{"global": {"mode": "full"}}' },
    { context: { layout }, skills: { contextMode: layout === 'auto' ? 'readOnDemand' : 'auto' } },
  )
}

type Home = Awaited<ReturnType<typeof home>>

/** Which skills the next call of a session names, which of their tools it offers, and what can be read. */
async function reach({ runtime }: Home, session: string) {
  const { request } = await runtime.preview({ session, input: 'hi' })
  const offered = request.tools.map(({ name }) => name)
  const reader = request.tools.find(({ name }) => name === 'read_skill')?.inputSchema as
    | { readonly properties: { readonly skill_name: { readonly enum: readonly string[] } } }
    | undefined
  const inPrompt = ['red', 'green', 'blue'].filter(
    (name) => request.system?.includes(`${name}**`) || request.system?.includes(`About ${name}`),
  )
  return {
    inPrompt,
    tools: offered.filter((name) => name.endsWith('_tool')),
    read: reader?.properties.skill_name.enum ?? [],
  }
}

const whole = {
  inPrompt: ['red', 'green', 'blue'],
  tools: ['blue_tool', 'green_tool', 'red_tool'],
  read: ['blue', 'green', 'red'],
}

test('a session that chose skills has the tools, the words and the documentation of these alone', async (t) => {
  const opened = await home(t)
  const { runtime } = opened
  const { id } = await runtime.newSession({})
  assert.deepEqual(await reach(opened, id), whole)
  await runtime.choose(id, { skills: 'blue,red' })
  assert.deepEqual(await reach(opened, id), {
    inPrompt: ['red', 'blue'],
    tools: ['blue_tool', 'red_tool'],
    read: ['blue', 'red'],
  })
  await runtime.choose(id, { skills: 'off' })
  assert.deepEqual(await reach(opened, id), { inPrompt: [], tools: [], read: [] })
  await runtime.choose(id, { skills: null })
  assert.deepEqual(await reach(opened, id), whole)
  await runtime.choose(id, { skills: 'red' })
  const said = await opened.say('/call read_skill {"skill_name":"blue"}', id)
  assert.match(said.results.join(), /unknown skill: blue/)
  assert.match((await opened.say('/call blue_tool {}', id)).results.join(), /no tool named blue_tool/)
})

test('an agent has its skills, and a session may choose others', async (t) => {
  const opened = await home(t)
  const { runtime } = opened
  const agent = await runtime.agents.create({ name: 'Painter', skills: ['gr*'] })
  const { id } = await runtime.newSession({ agent: agent.id })
  assert.deepEqual(await reach(opened, id), { inPrompt: ['green'], tools: ['green_tool'], read: ['green'] })
  await runtime.choose(id, { skills: 'red' })
  assert.deepEqual(await reach(opened, id), { inPrompt: ['red'], tools: ['red_tool'], read: ['red'] })
})

test('where each skill is a capability, the blocks and tools of the chosen ones are sent', async (t) => {
  const opened = await home(t, 'ayati')
  const { id } = await opened.runtime.newSession({ choices: { skills: 'green' } })
  assert.deepEqual(await reach(opened, id), { inPrompt: ['green'], tools: ['green_tool'], read: [] })
})

test('a skill that is not there cannot be chosen, and one that is gone is not replaced by all', async (t) => {
  const opened = await home(t)
  await assert.rejects(opened.runtime.newSession({ choices: { skills: 'reed' } }), {
    code: 'not-found',
    message: /no skill "reed"/,
  })
  const { id } = await opened.runtime.newSession({ choices: { skills: 'red' } })
  opened.write('skills/red/SKILL.md', skill('purple'))
  await opened.runtime.reload()
  assert.deepEqual(await reach(opened, id), { inPrompt: [], tools: [], read: [] })
})
