import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Runtime } from '../../src/capability.ts'
import { type SessionStore, StoreError } from '../../src/session.ts'
import { tool } from '../../src/tool.ts'
import { z } from 'zod'
import { opened } from './opened.ts'

const mail = tool({
  name: 'mail',
  description: 'Sends a mail.',
  schema: z.object({}),
  execute: () => 'sent',
})

async function home(t: TestContext, text?: string) {
  const { runtime, store, home: folder } = await opened(t, { tools: [mail] })
  const file = join(folder, 'tool-access.json')
  if (text !== undefined) writeFileSync(file, text)
  return { access: runtime.access, store, file, read: () => readFileSync(file, 'utf8') }
}

/** Previews a text and saves what was shown. */
async function save(access: Runtime['access'], text: string) {
  const { digest, shown } = await access.preview({ text })
  return access.save({ text, digest, shown })
}

test('a rule is previewed with what it lets through, and written as shown', async (t) => {
  const { access, file, read } = await home(t, '// mine\n{}\n')
  const { path, text } = await access.view()
  assert.deepEqual([path, text], [file, '// mine\n{}\n'])
  const preview = await access.preview({ steps: [{ do: 'allow', name: 'mail' }] })
  assert.match(preview.difference, /^\+.*allowedTools/m)
  assert.deepEqual(preview.widens, [
    { kind: 'tool', name: 'mail', before: 'refused', after: 'allowed', rule: 'global.allowedTools' },
  ])
  assert.deepEqual(
    preview.rules.map(({ rule, name, matches }) => [rule, name, matches]),
    [['global.allowedTools', 'mail', ['mail']]],
  )
  assert.equal(read(), '// mine\n{}\n')
  const saved = await access.save(preview)
  assert.equal(saved.text, preview.text)
  assert.equal(read(), preview.text)
})

test('every content is kept, also one that was written by other means, and can be put back', async (t) => {
  const { access, file, read } = await home(t, '{"global": {"mode": "off"}}')
  await save(access, '{}')
  writeFileSync(file, '{"global": {"mode": "full"}}')
  await save(access, '{"tools": {}}')
  const versions = await access.versions()
  assert.deepEqual(
    versions.map(({ text }) => text),
    ['{"tools": {}}', '{"global": {"mode": "full"}}', '{}', '{"global": {"mode": "off"}}'],
  )
  await save(access, versions.at(-1)!.text)
  assert.equal(read(), '{"global": {"mode": "off"}}')
})

test('a change of a file that somebody else has changed meanwhile is refused, and so is one that was not shown', async (t) => {
  const { access, file, read } = await home(t, '{}')
  const { digest, shown, text } = await access.preview({ steps: [{ do: 'allow', name: 'mail' }] })
  await assert.rejects(access.save({ text: '{"global": {"mode": "full"}}', digest, shown }), { code: 'changed' })
  writeFileSync(file, '{"global": {"mode": "off"}}')
  await assert.rejects(access.save({ text, digest, shown }), { code: 'changed' })
  assert.equal(read(), '{"global": {"mode": "off"}}')
  assert.deepEqual(await access.versions(), [])
})

test('what the gateway could not read is not written, and every problem has its line', async (t) => {
  const { access, read } = await home(t, '{}')
  const text = '{\n  "global": {"mode": "ful"},\n  "toolz": {}\n}'
  const { problems, digest, shown } = await access.preview({ text })
  assert.deepEqual(problems, [
    'line 2: global.mode must be one of off, allowlist, full',
    'line 3: toolz is not a known key (known keys: $schema, global, sandbox, tools)',
  ])
  await assert.rejects(access.save({ text, digest, shown }), { code: 'invalid-input' })
  assert.equal(read(), '{}')
})

test('the audit has the change, and the new access of each tool', async (t) => {
  const { access, store } = await home(t)
  await save(access, '{"global": {"allowedTools": ["mail"]}}')
  const records = await store.audit()
  assert.deepEqual(
    records.map(({ kind, tool: name, decision, rule, reason }) => [kind, name, decision, rule, reason]),
    [
      ['change', undefined, undefined, 'tool-access.json', 'changed on the page'],
      ['change', 'mail', 'allowed', 'global.allowedTools', 'after a change on the page'],
    ],
  )
})

test('a call can be tried before and after a change', async (t) => {
  const { access } = await home(t, '{"global": {"allowedTools": ["shell"]}, "tools": {"shell": {"enabled": true}}}')
  const path = ['tools', 'shell', 'allowedPrefixes']
  const { trial } = await access.preview({
    steps: [{ do: 'append', path, value: 'git log' }],
    trial: { tool: 'shell', command: 'git log -1' },
  })
  assert.deepEqual(trial, {
    before: { access: 'refused', rule: 'tools.shell.allowedPrefixes', reason: 'no prefix allows this command' },
    after: { access: 'allowed', rule: 'tools.shell.allowedPrefixes "git log"' },
  })
})

test('a prefix names the commands that were called before and begin so', async (t) => {
  const { access, store } = await home(t, '{"tools": {"shell": {"allowedPrefixes": ["git log", "ls; rm"]}}}')
  const time = '2026-01-01T00:00:00.000Z'
  for (const cmd of ['git log -1', 'git stash', 'git log -1'])
    await store.transaction([
      { type: 'audit', facts: { kind: 'decision', tool: 'shell', input: JSON.stringify({ cmd }) }, time },
    ])
  const { rules } = await access.view()
  assert.deepEqual(rules[0], {
    rule: 'tools.shell.allowedPrefixes',
    name: 'git log',
    matches: ['git log -1'],
    risk: rules[0]!.risk!,
  })
  assert.match(rules[1]!.fault!, /only a shell/)
})

test('a change that cannot be recorded is not made', async (t) => {
  let isFull = false
  const around = (store: SessionStore): SessionStore => ({
    ...store,
    transaction: async (writes) => {
      if (isFull) throw new StoreError('full', 'The disk is full.')
      return store.transaction(writes)
    },
  })
  const { runtime, home: folder } = await opened(t, { tools: [mail], around })
  const file = join(folder, 'tool-access.json')
  writeFileSync(file, '{}')
  isFull = true
  await assert.rejects(save(runtime.access, '{"global": {"mode": "full"}}'))
  assert.equal(readFileSync(file, 'utf8'), '{}')
  isFull = false
  await save(runtime.access, '{"global": {"mode": "full"}}')
  assert.equal(readFileSync(file, 'utf8'), '{"global": {"mode": "full"}}')
})
