import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'
import { servedConnection } from './cli/served-connection.ts'
import { scriptedRuntime } from './server/scripted-runtime.ts'

function gateway() {
  const runtime = scriptedRuntime()
  const connection = servedConnection(runtime, 'running')
  const foreword = (words: readonly string[], options: Parameters<typeof run>[1] = {}) =>
    run(words, { connection, ...options })
  return { runtime, foreword }
}

test('an agent is made, listed, shown, edited, deleted and brought back', async () => {
  const { foreword } = gateway()
  const words = [
    '--prompt',
    'Answer in verse.',
    '--mode',
    'replace',
    '--tools',
    'search_*, open_url',
    '--reminder',
    'Verse!',
  ]
  const made = await foreword(['agents', 'new', '--name', 'Poet', ...words])
  assert.deepEqual(made, {
    code: 0,
    stdout: '',
    stderr:
      "Created Poet (agent-1).\nNo tool's name begins with search_. `foreword tools` lists them.\n" +
      'No tool open_url is loaded. `foreword tools` lists them.\n',
  })
  assert.equal(
    (await foreword(['agents'])).stdout,
    'id       name  mode     model  prompt\nagent-1  Poet  replace         Answer in verse.\n',
  )
  const edited = await foreword(['agents', 'edit', 'poet', '--mode', 'append', '--without', 'reminder'])
  assert.match(edited.stderr, /^Changed Poet \(version 2\)\.\n/)
  const { stdout } = await foreword(['agents', 'show', 'po'])
  assert.match(
    stdout,
    /^Poet\nid +agent-1\nversion +2, \d+ days ago, 2026-11-20 10:00 UTC\nmode +append\ntools +search_\*, open_url\n\nAnswer in verse\.\n$/,
  )
  const deleted = await foreword(['agents', 'delete', 'agent-1', '--yes'])
  assert.match(deleted.stderr, /Undo with `foreword agents restore agent-1 2`/)
  assert.match((await foreword(['agents'])).stderr, /No agents yet/)
  const versions = await foreword(['agents', 'versions', 'agent-1'])
  assert.deepEqual(
    versions.stdout.split('\n').map((line) => line.trim().split(/ {2,}/)[2]),
    ['name', '(deleted)', 'Poet', 'Poet', undefined],
  )
  assert.match(
    (await foreword(['agents', 'restore', 'agent-1', '1'])).stderr,
    /Restored version 1 of Poet as version 4/,
  )
})

test('a prompt comes from a file or from a pipe', async (context) => {
  const { runtime, foreword } = gateway()
  const file = join(dirname(temporaryHome(context).home), 'prompt.md')
  writeFileSync(file, 'From a file.')
  await foreword(['agents', 'new', 'One', '--prompt-file', file])
  await foreword(['agents', 'new', 'Two', '--prompt-file', '-'], { input: 'From a pipe.' })
  const prompts = (await runtime.agents.list()).map(({ value }) => value.prompt)
  assert.deepEqual(prompts, ['From a file.', 'From a pipe.'])
  const twice = await foreword(['agents', 'new', 'Three', '--prompt', 'x', '--prompt-file', file])
  assert.deepEqual([twice.code, /cannot be used together/.test(twice.stderr)], [2, true])
})

test('a word that means none or several is answered with what there is', async () => {
  const { foreword } = gateway()
  await foreword(['projects', 'new', '--name', 'North Sea'])
  await foreword(['projects', 'new', '--name', 'North Pole'])
  const several = await foreword(['projects', 'show', 'north'])
  assert.deepEqual(
    [several.code, several.stderr],
    [1, 'foreword projects: 2 projects match "north".\n  project-1  North Sea\n  project-2  North Pole\n'],
  )
  const none = await foreword(['projects', 'show', 'North Seo'])
  assert.match(none.stderr, /No project matches "North Seo"\.\n {2}Did you mean North Sea\?/)
})

test('what an agent cannot be, and a command that is not whole, are refused before anything changes', async () => {
  const { runtime, foreword } = gateway()
  assert.match((await foreword(['agents', 'new', '--name', 'A', '--mode', 'both'])).stderr, /body\.mode/)
  assert.equal((await foreword(['agents', 'new'])).code, 2)
  assert.match((await foreword(['agents', 'new', 'A', '--name', 'B'])).stderr, /The name is there twice/)
  await foreword(['agents', 'new', '--name', 'A'])
  assert.match((await foreword(['agents', 'new', '--name', 'a'])).stderr, /named a already: agent-/)
  assert.equal((await foreword(['agents', 'edit', 'A'])).code, 2)
  assert.equal((await foreword(['agents', 'edit', 'A', '--without', 'prompt'])).code, 2)
  assert.equal((await foreword(['agents', 'restore', 'A', 'one'])).code, 2)
  assert.equal((await foreword(['agents', 'use', 'A'])).code, 2)
  assert.equal((await foreword(['agents', 'edti', 'A'])).stderr.includes('Did you mean `foreword agents edit`?'), true)
  assert.equal((await runtime.agents.list())[0]?.version, 1)
})

test('a session is given an agent and a project, and loses them again', async () => {
  const { runtime, foreword } = gateway()
  await foreword(['agents', 'new', '--name', 'Poet'])
  await foreword(['projects', 'new', '--name', 'Sea', '--instructions', 'Be exact.'])
  const { id } = await runtime.newSession()
  const used = await foreword(['agents', 'use', 'Poet', '--session', id])
  assert.equal(used.stderr, `Set the agent of session ${id} to Poet. It takes effect at the next turn.\n`)
  await foreword(['projects', 'use', 'sea', '--session', id])
  const row = await runtime.store.session(id)
  assert.deepEqual([row?.choices['agent'], row?.choices['project']], ['agent-1', 'project-2'])
  const left = await foreword(['agents', 'use', '--session', id])
  assert.equal(left.stderr, `Removed the agent from session ${id}. It takes effect at the next turn.\n`)
  assert.equal((await runtime.store.session(id))?.choices['agent'], undefined)
})

test('the prompt is shown, edited, reset and restored', async (context) => {
  const { foreword } = gateway()
  const file = join(dirname(temporaryHome(context).home), 'prompt.md')
  writeFileSync(file, 'Be kind.\n')
  assert.match((await foreword(['prompt'])).stderr, /The prompt is not edited/)
  assert.match((await foreword(['prompt', 'edit', file])).stderr, /Set the prompt \(version 1\)/)
  assert.equal((await foreword(['prompt'])).stdout, 'Be kind.\n')
  await foreword(['prompt', 'edit', '-'], { input: 'Be\nbrief.' })
  assert.match((await foreword(['prompt', 'reset'])).stderr, /Reset the prompt \(version 3\)/)
  assert.match((await foreword(['prompt', 'none'])).stderr, /^Set the prompt to none \(version 4\)/)
  const none = await foreword(['prompt'])
  assert.equal(none.stdout, '')
  assert.match(none.stderr, /^No system prompt is sent \(version 4, .*2026-11-20 10:00 UTC\)\. /)
  await foreword(['prompt', 'restore', '1'])
  const { stdout } = await foreword(['prompt', 'versions'])
  assert.deepEqual(
    stdout.split('\n').map((line) => line.trim().split(/ {2,}/)[2]),
    ['text', 'Be kind.', '(none)', '(reset)', 'Be brief.', 'Be kind.', undefined],
  )
  assert.equal((await foreword(['prompt', 'restore', '3'])).code, 1)
})

test('a command that a tool started may look, and changes no agent, project, prompt or file', async () => {
  const { runtime, foreword } = gateway()
  await foreword(['agents', 'new', '--name', 'Poet'])
  await foreword(['projects', 'new', '--name', 'Sea'])
  const { id } = await runtime.newSession()
  const environment = { FOREWORD_TOOL: '1' }
  for (const words of [
    ['agents', 'new', '--name', 'Spy'],
    ['agents', 'edit', 'Poet', '--prompt', 'Obey.'],
    ['agents', 'delete', 'Poet'],
    ['agents', 'restore', 'Poet', '1'],
    ['agents', 'use', 'Poet', '--session', id],
    ['projects', 'new', '--name', 'Spy'],
    ['projects', 'edit', 'Sea', '--instructions', 'Obey.'],
    ['projects', 'add', 'Sea', '/etc/hostname'],
    ['projects', 'delete', 'Sea'],
    ['projects', 'use', 'Sea', '--session', id],
    ['prompt', 'edit', '-'],
    ['prompt', 'none'],
    ['prompt', 'reset'],
    ['prompt', 'restore', '1'],
    ['files', 'add', '/etc/hostname', '--project', 'Sea'],
    ['files', 'remove', 'x'],
    ['send', 'hello', '--session', id, '--agent', 'Poet'],
    ['chat', '--project', 'Sea'],
  ]) {
    const { code, stderr } = await foreword(words, { environment, input: 'Obey.' })
    assert.deepEqual([code, /A tool started this command, and a model cannot/.test(stderr)], [1, true], words.join(' '))
  }
  for (const words of [
    ['agents'],
    ['agents', 'show', 'Poet'],
    ['projects'],
    ['prompt'],
    ['files'],
    ['search', 'tide'],
  ]) {
    assert.equal((await foreword(words, { environment })).code, 0, words.join(' '))
  }
  const agents = await runtime.agents.list()
  assert.deepEqual([agents.length, agents[0]?.version, (await runtime.library.files()).length], [1, 1, 0])
})
