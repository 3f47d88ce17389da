import assert from 'node:assert/strict'
import test from 'node:test'
import { openedHome } from './home/opened-home.ts'

const TOOLS = 'skills/manners/tools.json'

function toolsJson(subcommand: string): string {
  return JSON.stringify({
    tools: [{ name: 'greet', description: 'Greets.', parameters: { type: 'object', properties: {} } }],
    allowlist: { printf: ['hello', 'goodbye'] },
    execution: [{ tool: 'greet', binary: 'printf', subcommand }],
  })
}

const files = {
  'skills/manners/SKILL.md': '---\nname: manners\ndescription: Greets.\n---\nGreet first.\n',
  [TOOLS]: toolsJson('hello'),
  'tool-access.json': '{"global": {"allowedTools": ["greet", "part"]}, "sandbox": {"enabled": false}}',
}
const call = '/call greet {}\n/say So be it.'
const withheld = /^Tool is withheld: the definition of greet has changed/

test('the tools of a skill whose declaration changes are withheld, while the gateway runs and between starts, until it is accepted', async (t) => {
  const here = await openedHome(t, files)
  assert.deepEqual((await here.say(call)).results, ['hello'])
  here.write(TOOLS, toolsJson('goodbye'))
  await here.runtime.reload()
  const changed = await here.say(call)
  assert.match(changed.results[0]!, withheld)
  assert.ok(!changed.offered.includes('greet'))
  const restarted = await here.reopened()
  assert.match((await restarted.say(call)).results[0]!, withheld)
  const [change, ...others] = await restarted.runtime.acceptance.waiting()
  assert.deepEqual([change!.kind, change!.name, others], ['declaration', 'skills/manners', []])
  assert.match(change!.difference, /^-.*"subcommand":"hello"/m)
  assert.match(change!.difference, /^\+.*"subcommand":"goodbye"/m)
  assert.match((await restarted.runtime.status()).warnings.join('\n'), /foreword accept skills\/manners/)
  const records = (await restarted.runtime.store.audit()).filter(({ rule }) => rule === 'skills/manners')
  assert.deepEqual(
    records.map(({ by, digest }) => [by, digest]),
    [['file', change!.digest]],
  )
  await restarted.runtime.acceptance.accept('skills/manners', change!.digest, 'owner')
  assert.deepEqual((await restarted.say(call)).results, ['goodbye'])
  assert.deepEqual((await (await restarted.reopened()).say(call)).results, ['goodbye'])
})

test('a changed text of a skill does not wait', async (t) => {
  const here = await openedHome(t, files)
  here.write('skills/manners/SKILL.md', files['skills/manners/SKILL.md'].replace('first', 'last'))
  await here.runtime.reload()
  assert.deepEqual([(await here.say(call)).results, await here.runtime.acceptance.waiting()], [['hello'], []])
})

test('a new skill waits where the policy lets a tool of it run without asking, and only there', async (t) => {
  const here = await openedHome(t, { 'tool-access.json': files['tool-access.json'] })
  for (const name of ['part', 'mail']) {
    here.write(`skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: Says.\n---\nSay.\n`)
    here.write(`skills/${name}/tools.json`, toolsJson('hello').replaceAll('greet', name))
  }
  await here.runtime.reload()
  const waiting = await here.runtime.acceptance.waiting()
  assert.deepEqual(
    waiting.map(({ name, words }) => [name, words]),
    [['skills/part', ['The skill part is new, and the policy lets tools of it run without asking: part.']]],
  )
})
