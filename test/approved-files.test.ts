import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { scriptedModel } from '../src/testing.ts'
import { changedFiles, findLoadableFiles, readAccess, type Tool } from '../src/tool.ts'
import { type OpenedHome, openedHome, until } from './home/opened-home.ts'
import { opened } from './runtime/opened.ts'

const policy = JSON.stringify({
  global: { allowedTools: ['shell'] },
  tools: { shell: { enabled: true, mode: 'allowlist', allowedPrefixes: ['sh'], approval: 'ask' } },
  sandbox: { enabled: false },
})

const files = {
  'tool-access.json': policy,
  'workspace/job.sh': '. ./lib.sh\n',
  'workspace/lib.sh': 'echo good\n',
}

const waiting = ({ runtime }: OpenedHome) => until(async () => (await runtime.approvals())[0])

/** Approves the call that waits, and gives what the person was shown of what changed. */
async function approve(here: OpenedHome, scope: 'once' | 'session' = 'once') {
  const { approval, digest, request } = await waiting(here)
  await here.runtime.decide(approval, { decision: { type: 'approve', scope }, digest, by: 'test' })
  return request.facts
}

/** The results of a turn that calls the script, with `meanwhile` between the question and its answer. */
async function ran(here: OpenedHome, meanwhile: () => Promise<unknown> | void, session?: string) {
  const said = here.say('/call shell {"cmd": "sh job.sh"}\n/say Done.', session)
  await waiting(here)
  await meanwhile()
  await approve(here)
  return said
}

test('a sourced script that changes while a person is asked asks again and is named', async (t) => {
  const here = await openedHome(t, files)
  const { results } = await ran(here, async () => {
    here.write('workspace/lib.sh', 'echo evil\n')
    here.write('workspace/new.sh', '')
    assert.equal((await approve(here))?.['changed'], undefined)
    assert.equal(
      (await until(async () => (await here.runtime.approvals()).find(({ request }) => request.facts?.['changed'])))
        ?.request.facts?.['changed'],
      'lib.sh, new.sh in the workspace, since you were asked about this call',
    )
  })
  assert.match(results[0]!, /evil/)
  // Nothing changed: one approval is enough.
  assert.match((await ran(here, () => {})).results[0]!, /evil/)
})

test('a file that goes on changing is named, and an approval covers it', async (t) => {
  const here = await openedHome(t, files)
  const said = here.say('/call shell {"cmd": "sh job.sh"}\n/say Done.')
  const seen: unknown[] = []
  let last: string | undefined
  for (let round = 0; round < 3; round += 1) {
    const question = await until(async () => (await here.runtime.approvals()).find(({ approval }) => approval !== last))
    last = question.approval
    seen.push(question.request.facts?.['still changing'])
    here.write('workspace/server.log', 'x'.repeat(round + 1))
    await approve(here)
  }
  assert.match((await said).results[0]!, /good/)
  assert.deepEqual(seen, [undefined, undefined, 'server.log: an approval covers them as they are then'])
})

test('a question that waits over a restart still covers the files of its moment', async (t) => {
  for (const changes of [false, true]) {
    const here = await openedHome(t, files)
    const { session, turn } = await here.runtime.submit({ text: '/call shell {"cmd": "sh job.sh"}\n/say Done.' })
    const { approval } = await waiting(here)
    const again = await here.reopened()
    assert.equal((await waiting(again)).approval, approval)
    if (changes) again.write('workspace/lib.sh', 'echo evil\n')
    assert.equal((await approve(again))?.['changed'], undefined)
    if (changes) {
      await until(async () => (await again.runtime.approvals()).find((each) => each.approval !== approval))
      assert.match(String((await approve(again))?.['changed']), /before a restart/)
    }
    const events = again.runtime.events(session, { turn })
    while (!(await events.next()).done);
    const started = await again.runtime.store.entries(session, { turn, types: ['tool-start', 'approval-request'] })
    assert.deepEqual(
      started.map(({ type }) => type),
      [...(changes ? ['approval-request'] : []), 'approval-request', 'tool-start'],
    )
  }
})

test('a call that is approved for the session goes on after the workspace changed', async (t) => {
  const here = await openedHome(t, files)
  const said = here.say('/call shell {"cmd": "sh job.sh"}\n/say Done.')
  await waiting(here)
  await approve(here, 'session')
  const { session } = await said
  here.write('workspace/lib.sh', 'echo later\n')
  assert.match((await here.say('/call shell {"cmd": "sh job.sh"}\n/say Done.', session)).results[0]!, /later/)
})

test('where a workspace is too large to be compared the question says so, and an approval for the session holds', async (t) => {
  const runs: unknown[] = []
  const tool: Tool = {
    name: 'build',
    inputSchema: { type: 'object' },
    approval: 'ask',
    plan: async (input) => ({
      loads: async () => ({ digest: 'd', entries: new Map(), isComplete: false }),
      run: async () => ({ ok: true, output: String(runs.push(input)) }),
    }),
  }
  const model = scriptedModel({
    answer: (_, step) => (step % 2 === 1 ? { toolCalls: [{ name: 'build', input: {} }] } : { text: 'Done.' }),
  })
  const here = await opened(t, { model, tools: [tool], access: () => readAccess('{"global": {"mode": "full"}}', {}) })
  const first = await here.runtime.submit({ text: 'Go.' })
  const { approval, digest, request } = await until(async () => (await here.runtime.approvals())[0])
  assert.match(
    String(request.facts?.['compared']),
    /more than 20,000 files; a change of those nearest to the program asks/,
  )
  await here.runtime.decide(approval, { decision: { type: 'approve', scope: 'session' }, digest, by: 'test' })
  await here.ended(first)
  await here.say('Again.', { session: first.session })
  assert.equal(runs.length, 2)
})

test('every change that a program could load is seen, near files first, and nothing outside is looked at', async (t) => {
  const workspace = folder(t)
  const outside = folder(t)
  const write = (path: string, text = 'x') => writeFileSync(join(workspace, path), text)
  for (const each of ['a', 'node_modules', '.git']) mkdirSync(join(workspace, each))
  for (const each of ['a/b.js', 'node_modules/m.js', '.git/index', 'c.js']) write(each)
  symlinkSync(outside, join(workspace, 'link'))
  let before = await findLoadableFiles(workspace, [join(workspace, 'a')])
  assert.deepEqual([...before.entries.keys()], ['a/b.js', 'a', 'c.js', 'link', 'node_modules', 'node_modules/m.js'])
  const few = await findLoadableFiles(workspace, [join(workspace, 'a')], 3)
  assert.deepEqual([few.isComplete, [...few.entries.keys()]], [false, ['a/b.js', 'a', 'c.js']])
  assert.ok(before.isComplete)
  write('a/a.js')
  const more = await findLoadableFiles(workspace, [join(workspace, 'a')], 3)
  assert.deepEqual(changedFiles(few, more), ['a/a.js'])
  rmSync(join(workspace, 'a/a.js'))
  const changed = async () => {
    const now = await findLoadableFiles(workspace, [join(workspace, 'a')])
    const paths = changedFiles(before, now)
    assert.equal(before.digest === now.digest, paths.length === 0)
    before = now
    return paths
  }
  assert.deepEqual(await changed(), [])
  write('a/b.js', 'y')
  write('node_modules/m.js', 'y')
  assert.deepEqual(await changed(), ['a/b.js', 'node_modules/m.js'])
  rmSync(join(workspace, 'a'), { recursive: true })
  symlinkSync(outside, join(workspace, 'a'))
  assert.deepEqual((await changed()).toSorted(), ['a', 'a/b.js'])
  write('.git/index', 'y')
  writeFileSync(join(outside, 'o.js'), '')
  assert.deepEqual(await changed(), [])
})

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'foreword-loads-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}
