import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { sha256 } from '../src/platform.ts'
import { findSandbox } from '../src/tool.ts'
import { openedHome, type OpenedHome } from './home/opened-home.ts'

const FILE = 'tool-access.json'

const found = await findSandbox()
const skip = found.type === 'none' ? `no sandbox on this machine: ${found.why}` : false

/** A program that tools run may copy files, wherever they are. */
const COPIES = {
  global: { allowedTools: ['shell'] },
  sandbox: { enabled: false },
  tools: { shell: { enabled: true, allowedPrefixes: ['cp'], allowAnyCwd: true } },
}
const WHY = 'It waits for you because programs may run without a sandbox (sandbox.enabled).'
/** Programs run as they like, so what an editor changes may be changed by one of them. */
const OPEN = { sandbox: { enabled: false } }
const WIDER = { ...COPIES, global: { allowedTools: ['shell', 'list_files'] } }
const OTHER = { ...COPIES, global: { allowedTools: ['list_files'] } }

async function copying(t: Parameters<typeof openedHome>[0], next: object): Promise<OpenedHome> {
  return openedHome(t, { [FILE]: JSON.stringify(COPIES), 'workspace/next.json': JSON.stringify(next) })
}

const copy = '/call shell {"cmd": "cp next.json ../tool-access.json"}'
const list = '/call list_files {"path": "."}'

test('a program that widens the policy while a turn runs gains nothing in that turn, the next one and after a restart', async (t) => {
  const here = await copying(t, WIDER)
  const first = await here.say(`${copy}\n/say Then.\n${list}\n/say So be it.`)
  assert.deepEqual(JSON.parse(readFileSync(join(here.home, FILE), 'utf8')), WIDER)
  assert.deepEqual(first.results.slice(1), ['Tool is not in allowlist: list_files'])
  const next = await here.say(`${list}\n/say So be it.`, first.session)
  assert.deepEqual(
    [next.results, next.offered.includes('list_files')],
    [['Tool is not in allowlist: list_files'], false],
  )
  const restarted = await here.reopened()
  const again = await restarted.say(`${list}\n/say So be it.`, first.session)
  assert.deepEqual(again.results, ['Tool is not in allowlist: list_files'])

  const [change, ...others] = await restarted.runtime.acceptance.waiting()
  assert.deepEqual(others, [])
  assert.deepEqual([change!.kind, change!.name, change!.words], ['policy', FILE, ['A model may call list_files.', WHY]])
  assert.equal(change!.digest, sha256(JSON.stringify(WIDER)))
  assert.match(change!.difference, /^-.*"shell"\]/m)
  assert.match(change!.difference, /^\+.*"list_files"/m)
  const { warnings } = await restarted.runtime.status()
  assert.match(
    warnings.join('\n'),
    /A model may call list_files\. Show the difference and accept it with `foreword accept`/,
  )
  const records = (await restarted.runtime.store.audit()).filter(({ rule }) => rule === FILE)
  assert.deepEqual(
    records.map(({ by, decision, digest }) => [by, decision, digest]),
    [
      ['start', undefined, sha256(JSON.stringify(COPIES))],
      ['file', 'refused', change!.digest],
    ],
  )

  await restarted.runtime.acceptance.accept(FILE, change!.digest, 'owner')
  assert.deepEqual(await restarted.runtime.acceptance.waiting(), [])
  const after = await restarted.say(`${list}\n/say So be it.`, first.session)
  assert.match(after.results[0]!, /next\.json/)
  const last = (await restarted.runtime.store.audit()).findLast(({ rule }) => rule === FILE)
  assert.deepEqual([last!.by, last!.digest], ['owner', change!.digest])
})

test('what a program takes away holds at the next step, and does not come back with the file as it was', async (t) => {
  const here = await copying(t, { ...COPIES, global: { allowedTools: [] } })
  const { session, results } = await here.say(`${copy}\n/say Then.\n${copy}\n/say So be it.`)
  assert.equal(results[1], 'Tool is not in allowlist: shell')
  here.write(FILE, JSON.stringify(COPIES))
  assert.deepEqual((await here.say(`${copy}\n/say So be it.`, session)).results, ['Tool is not in allowlist: shell'])
  await here.accept()
  assert.ok((await here.say('hello', session)).offered.includes('shell'))
})

test('of a change that is narrower and wider, the narrower part holds and the wider one waits', async (t) => {
  const here = await copying(t, OTHER)
  const { session } = await here.say(`${copy}\n/say So be it.`)
  const { offered } = await here.say('hello', session)
  assert.deepEqual([offered.includes('shell'), offered.includes('list_files')], [false, false])
  here.write(FILE, JSON.stringify(COPIES))
  assert.ok(!(await here.say('hello', session)).offered.includes('shell'))
  const [change] = await here.runtime.acceptance.waiting()
  assert.match(change!.words.join('\n'), /A model may call shell\./)
})

test('a file that is empty for a moment allows nothing, and allows what was accepted when it is whole again', async (t) => {
  const text = JSON.stringify({ ...OPEN, global: { allowedTools: ['list_files'] } })
  const here = await openedHome(t, { [FILE]: text })
  const isOffered = async () => (await here.say('hello')).offered.includes('list_files')
  for (const broken of ['', '{"global": {"allowedT']) {
    here.write(FILE, broken)
    assert.equal(await isOffered(), false)
    here.write(FILE, text)
    assert.equal(await isOffered(), true)
  }
  rmSync(join(here.home, FILE))
  assert.equal(await isOffered(), false)
  here.write(FILE, text)
  assert.equal(await isOffered(), true)
})

test('a home from before is accepted as it is at its first start, and a wider file between two starts waits', async (t) => {
  const here = await openedHome(t, { [FILE]: JSON.stringify({ ...OPEN, global: { allowedTools: ['list_files'] } }) })
  const { runtime } = here
  assert.deepEqual(await runtime.acceptance.waiting(), [])
  assert.ok((await here.say('hello')).offered.includes('list_files'))
  await runtime.close()
  here.write(FILE, '{"global": {"mode": "full"}}')
  const restarted = await here.reopened()
  const { offered } = await restarted.say('hello')
  assert.deepEqual([offered.includes('list_files'), offered.includes('read_file')], [true, false])
  assert.equal((await restarted.runtime.acceptance.waiting()).length, 1)
})

test('an acceptance is for exactly the file that was shown', async (t) => {
  const here = await openedHome(t, { [FILE]: JSON.stringify(OPEN) })
  here.write(FILE, '{"global": {"allowedTools": ["list_files"]}}')
  const [shown] = await here.runtime.acceptance.waiting()
  here.write(FILE, '{"global": {"mode": "full"}}')
  await assert.rejects(here.runtime.acceptance.accept(FILE, shown!.digest), { code: 'decided' })
  assert.ok(!(await here.say('hello')).offered.includes('list_files'))
})

test('a change that a person makes with Foreword counts at once, and takes nothing along that waits', async (t) => {
  const here = await openedHome(t, { [FILE]: JSON.stringify(OPEN) })
  const { access } = here.runtime
  const save = async (name: string, step: 'allow' | 'deny') => {
    const { text, digest, shown } = await access.preview({ steps: [{ do: step, name }] })
    await access.save({ text, digest, shown, by: 'owner' })
  }
  await save('list_files', 'allow')
  assert.deepEqual(await here.runtime.acceptance.waiting(), [])
  assert.ok((await here.say('hello')).offered.includes('list_files'))
  const { text } = await access.view()
  here.write(FILE, text.replace('"list_files"', '"list_files", "read_file"'))
  await assert.rejects(save('edit_file', 'allow'), { code: 'changed', message: /waits until you accept it/ })
  await save('list_files', 'deny')
  const { offered } = await here.say('hello')
  assert.deepEqual([offered.includes('list_files'), offered.includes('read_file')], [false, false])
  assert.deepEqual((await here.runtime.acceptance.waiting())[0]!.words, ['A model may call read_file.', WHY])
})

/** Whether an edit of the file counts at the next step, and what is said where it waits. */
async function edited(t: Parameters<typeof openedHome>[0], before: object, configuration: object, files = {}) {
  const here = await openedHome(t, { [FILE]: JSON.stringify(before), ...files }, configuration)
  await here.say('hello')
  here.write(FILE, JSON.stringify({ ...before, global: { allowedTools: ['list_files'] } }))
  const { offered, session } = await here.say('hello')
  const [change] = await here.runtime.acceptance.waiting()
  return { here, session, counts: offered.includes('list_files'), why: change?.words.at(-1) }
}

test(
  "an owner's edit counts at the next step where nothing runs without a sandbox, and the audit has it",
  { skip },
  async (t) => {
    const { here, counts, why } = await edited(t, {}, {})
    assert.deepEqual([counts, why], [true, undefined])
    const records = (await here.runtime.store.audit()).filter(({ rule }) => rule === FILE)
    assert.match(records.at(-1)!.reason!, /while nothing ran without a sandbox: A model may call list_files\./)
    assert.deepEqual((await here.runtime.status()).warnings, [])
  },
)

test('beside what no sandbox confines an edit waits, and the status says why', async (t) => {
  const server = { command: process.execPath, args: ['-e', ''] }
  const plugin = { 'p.mjs': "export default { name: 'p', version: '1', capabilities: [], start() {}, stop() {} }" }
  for (const [configuration, files, why] of [
    [{ mcp: { servers: { files: server } } }, {}, 'the MCP server files runs without a sandbox'],
    [{ plugins: ['./p.mjs'] }, plugin, 'the plugin ./p.mjs runs in the gateway'],
  ] as const) {
    const made = await edited(t, {}, configuration, files)
    assert.deepEqual([made.counts, made.why], [false, `It waits for you because ${why}.`])
    assert.ok((await made.here.runtime.status()).warnings.some((text) => text.includes(why)))
  }
})

test('a program without a sandbox gains nothing by first making the policy stricter, and nothing by a restart', async (t) => {
  const strict = { global: { allowedTools: ['shell'] }, tools: COPIES.tools }
  const here = await copying(t, strict)
  const { session } = await here.say(`${copy}\n/say So be it.`)
  here.write(FILE, JSON.stringify({ ...strict, global: { allowedTools: ['shell', 'list_files'] } }))
  assert.ok(!(await here.say('hello', session)).offered.includes('list_files'))
  const restarted = await here.reopened()
  assert.ok(!(await restarted.say('hello', session)).offered.includes('list_files'))
  await restarted.accept()
  assert.ok((await restarted.say('hello', session)).offered.includes('list_files'))
})
