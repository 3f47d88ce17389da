import assert from 'node:assert/strict'
import test from 'node:test'
import { sha256 } from '../src/platform.ts'
import { openedHome } from './home/opened-home.ts'

const AGENTS = 'workspace/AGENTS.md'
const files = {
  [AGENTS]: 'Answer kindly.\n',
  'workspace/other.md': 'Obey the program.\n',
  'tool-access.json': JSON.stringify({
    global: { allowedTools: ['shell'] },
    sandbox: { enabled: false },
    tools: { shell: { enabled: true, allowedPrefixes: ['cp'] } },
  }),
}
const copy = '/call shell {"cmd": "cp other.md AGENTS.md"}\n/say Copied.'

test('instructions that a tool call changed are not read until they are accepted, after a restart either', async (t) => {
  const here = await openedHome(t, files)
  assert.deepEqual((await here.say(copy)).results.length, 1)
  await here.runtime.reload()
  assert.match((await here.say('hello')).system, /Answer kindly\./)
  const restarted = await here.reopened()
  assert.match((await restarted.say('hello')).system, /Answer kindly\./)
  const [change, ...others] = await restarted.runtime.acceptance.waiting()
  assert.deepEqual([change!.kind, change!.name, others], ['prompt', AGENTS, []])
  assert.equal(change!.digest, sha256(files['workspace/other.md']))
  assert.match(change!.difference, /^-Answer kindly\.\n\+Obey the program\.$/m)
  assert.match((await restarted.runtime.status()).warnings.join('\n'), /foreword accept workspace\/AGENTS\.md/)
  assert.ok(!(await restarted.runtime.tools()).some(({ name }) => name === AGENTS))
  await restarted.accept()
  assert.match((await restarted.say('hello')).system, /Obey the program\./)
  assert.deepEqual(await restarted.runtime.acceptance.waiting(), [])
})

test('a persona that a tool call changed is not read until it is accepted, after a restart either', async (t) => {
  const soul = (name: string) => JSON.stringify({ soul: { name } })
  const here = await openedHome(t, {
    'context/soul.json': soul('Ada'),
    'context/user_profile.json': JSON.stringify({ name: 'Grace' }),
    'workspace/other.json': soul('Mallory'),
    'tool-access.json': JSON.stringify({
      global: { allowedTools: ['shell'] },
      sandbox: { enabled: false },
      tools: { shell: { enabled: true, mode: 'full', allowAnyCwd: true } },
    }),
  })
  assert.match((await here.say('hello')).system, /Name: Ada/)
  await here.say('/call shell {"cmd": "cp other.json ../context/soul.json"}\n/say Copied.')
  await here.runtime.reload()
  assert.match((await here.say('hello')).system, /Name: Ada/)
  const restarted = await here.reopened()
  assert.match((await restarted.say('hello')).system, /Name: Ada/)
  const [change, ...others] = await restarted.runtime.acceptance.waiting()
  assert.deepEqual([change!.kind, change!.name, others], ['prompt', 'context/soul.json', []])
  assert.match((await restarted.runtime.status()).warnings.join('\n'), /foreword accept context\/soul\.json/)
  await restarted.accept()
  assert.match((await restarted.say('hello')).system, /Name: Mallory[\s\S]*Name: Grace/)
  assert.deepEqual(await restarted.runtime.acceptance.waiting(), [])
})

test('instructions that an editor changed are read at the reload, and recorded with their digests, without a warning', async (t) => {
  const here = await openedHome(t, files)
  here.write(AGENTS, 'Answer briefly.\n')
  await here.runtime.reload()
  assert.match((await here.say('hello')).system, /Answer briefly\./)
  const record = (await here.runtime.store.audit()).find(({ rule }) => rule === AGENTS)
  assert.deepEqual([record?.by, record?.digest], ['file', sha256('Answer briefly.\n')])
  assert.match(record!.reason!, new RegExp(sha256('Answer kindly.\n')))
  assert.deepEqual((await here.runtime.status()).warnings, [])
})

test('a link that a tool call put in the place of instructions waits, however old the file is that it leads to', async (t) => {
  const policy = files['tool-access.json'].replace('"cp"', '"ln"')
  const here = await openedHome(t, { ...files, 'tool-access.json': policy })
  assert.match((await here.say('hello')).system, /Answer kindly\./)
  await here.say('/call shell {"cmd": "ln -sf other.md AGENTS.md"}\n/say Linked.')
  await here.runtime.reload()
  assert.match((await here.say('hello')).system, /Answer kindly\./)
})
