import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTo } from '../skills/folder-with.ts'
import { temporaryHome } from './home.ts'
import { run } from './recorded-io.ts'

test('an invitation begins with the public address of the gateway, without which it is a path', async (context) => {
  const { home, environment } = temporaryHome(context)
  const bare = await run(['people', 'add', 'ann'], { environment })
  assert.match(bare.stdout, /^\/\?token=\S+\n$/)
  assert.match(bare.stderr, /No gateway runs/)
  addTo(home, { 'config.json': '{ "gateway": { "publicUrl": "https://foreword.example/" } }' })
  const whole = await run(['people', 'invite', 'ann'], { environment })
  assert.match(whole.stdout, /^https:\/\/foreword\.example\/\?token=\S+\n$/)
  assert.doesNotMatch(whole.stderr, /No gateway runs/)
})
