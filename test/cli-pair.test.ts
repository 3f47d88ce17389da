import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
  const letIn = async (chat: string, title: string, channel = 'telegram') => {
    const { code } = await runtime.pairings.newCode(channel)
    await runtime.pairings.redeem(code, { channel, chat, title, kind: chat.startsWith('-') ? 'group' : 'person' })
  }
  return { runtime, foreword, letIn }
}

test('a code is shown with instructions, and in a pipe without them', async (context) => {
  const { home, environment } = temporaryHome(context)
  const { foreword } = gateway()
  const { code, stdout, stderr } = await foreword(['pair'], { environment })
  assert.deepEqual([code, stdout], [0, '/pair CODE-1\n'])
  assert.match(stderr, /^Send this on telegram.*\nThe code is valid for ten minutes and works once/)
  assert.match(stderr, /\nIn a group, name the bot: \/pair@NAME_OF_YOUR_BOT CODE-1\n/)
  assert.doesNotMatch(stderr, /No gateway/)
  assert.match(stderr, /\nThe channel is not configured yet\. Set channels\.telegram/)
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'config.json'), '{"channels": {"telegram": {"tokenEnv": "BOT_TOKEN"}}}')
  assert.doesNotMatch((await foreword(['pair'], { environment })).stderr, /No bot/)
  const shown = JSON.parse((await foreword(['pair', '--json', '--channel', 'Telegram'])).stdout)
  assert.deepEqual([shown.channel, shown.code, typeof shown.expires], ['telegram', 'CODE-3', 'string'])
})

test('chats are listed, and taken out by id or title', async () => {
  const { foreword, letIn } = gateway()
  assert.match((await foreword(['pair', 'list'])).stderr, /No paired chats yet\. Pair one with `foreword pair`/)
  await letIn('11', 'Ann')
  await letIn('-100', 'Family\u202e')
  await letIn('@ann:example.org', 'Ann', 'matrix')
  const lines = (await foreword(['pair', 'list'])).stdout.split('\n')
  assert.deepEqual(
    lines.slice(0, 3).map((line) => line.split(/ {2,}/).slice(0, 3)),
    [
      ['channel', 'chat', 'kind'],
      ['telegram', '11', 'person'],
      ['telegram', '-100', 'group'],
    ],
  )
  assert.ok(!lines[2]!.includes('\u202e'))
  const listed = (await foreword(['pair', 'list', '--channel', 'matrix', '--json'])).stdout.trim().split('\n')
  assert.deepEqual(
    listed.map((line) => JSON.parse(line).chat),
    ['@ann:example.org'],
  )
  assert.equal(
    (await foreword(['pair', 'remove', 'ann'])).stderr,
    'Removed Ann (11). Its messages no longer reach a model.\n',
  )
  assert.deepEqual(JSON.parse((await foreword(['pair', 'remove', '--json', '--', '-100'])).stdout), {
    channel: 'telegram',
    removed: '-100',
  })
  assert.equal((await foreword(['pair', 'remove', '@ann:example.org', '--channel', 'matrix'])).code, 0)
  assert.equal((await foreword(['pair', 'list', '--json'])).stdout, '')
})

test('the error for an unknown or ambiguous chat has a hint', async () => {
  const { foreword, letIn } = gateway()
  await letIn('11', 'Ann')
  await letIn('12', 'Ann')
  const none = await foreword(['pair', 'remove', 'Bob'])
  assert.deepEqual([none.code, none.stderr.includes('List the chats with `foreword pair list`')], [1, true])
  assert.match((await foreword(['pair', 'remove', 'Ann'])).stderr, /2 chats have the title Ann/)
  assert.equal((await foreword(['pair', 'remove'])).code, 2)
  assert.match((await foreword(['pair', 'lst'])).stderr, /Did you mean `foreword pair list`/)
})

test('the error for an unknown channel names the channels', async () => {
  const { foreword } = gateway()
  for (const words of [['pair'], ['pair', 'list']]) {
    assert.deepEqual(await foreword([...words, '--channel', 'nothere']), {
      code: 1,
      stdout: '',
      stderr: 'foreword pair: No channel matches "nothere".\n  Use one of telegram.\n',
    })
  }
})

test('a command that a tool has started lets nobody in and takes nobody out', async () => {
  const { runtime, foreword, letIn } = gateway()
  await letIn('11', 'Ann')
  const environment = { FOREWORD_TOOL: '1' }
  for (const words of [['pair'], ['pair', 'code'], ['pair', 'remove', '11']]) {
    const { code, stdout, stderr } = await foreword(words, { environment })
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /a model cannot/)
  }
  assert.equal((await runtime.pairings.list()).length, 1)
})

test('without a gateway a code is made all the same, and it says that one has to run', async (context) => {
  const { environment } = temporaryHome(context)
  const { code, stdout, stderr } = await run(['pair'], { environment })
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^\/pair [A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}\n$/)
  assert.match(stderr, /No gateway runs on this home\. Start one with `foreword start`/)
  assert.match((await run(['pair', 'list'], { environment })).stderr, /No paired chats yet/)
})
