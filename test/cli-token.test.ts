import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { sha256 } from '../src/platform.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'

test('a token is made, printed once, listed without itself, and revoked; the audit names who did it', async (t) => {
  const { home, environment } = temporaryHome(t)
  const foreword = (...words: readonly string[]) => run(words, { environment })
  const made = await foreword('token', 'new', 'laptop', '--scope', 'talk', '--expires', '30d')
  assert.equal(made.code, 0)
  const token = made.stdout.trim()
  assert.match(token, /^[\w-]{43}$/)
  assert.match(made.stderr, /^Made the token laptop \(talk\)\. It expires .*\. It is shown only now/)
  const json = JSON.parse((await foreword('token', 'new', 'ci', '--scope', 'mcp', '--json')).stdout)
  assert.deepEqual([json.name, json.scope, json.token.length, json.hash], ['ci', 'mcp', 43, undefined])

  const kept = readFileSync(join(home, 'data', 'tokens.json'), 'utf8')
  assert.ok(kept.includes(sha256(token)) && !kept.includes(token))
  const listed = await foreword('token', 'list')
  assert.deepEqual(
    listed.stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/).slice(0, 2)),
    [
      ['token', 'scope'],
      ['laptop', 'talk'],
      ['ci', 'mcp'],
    ],
  )
  const lines = (await foreword('token', 'list', '--json')).stdout.trim().split('\n')
  assert.deepEqual(Object.keys(JSON.parse(lines[0]!)), ['name', 'scope', 'made', 'expires', 'isExpired'])

  assert.match((await foreword('token', 'revoke', 'laptop')).stderr, /^Revoked laptop\./)
  assert.ok(!(await foreword('token', 'list')).stdout.includes('laptop'))
  const audit = (await foreword('audit', '--json')).stdout
  assert.deepEqual(
    audit
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ by, reason }) => [by, reason.replace(/\d{4}.*$/, 'TIME')]),
    [
      ['cli', 'token laptop made: talk, expires TIME'],
      ['cli', 'token ci made: mcp, never expires'],
      ['cli', 'token laptop revoked'],
    ],
  )
  assert.ok(!audit.includes(token))
  assert.match((await foreword('audit')).stdout, /changed +token laptop revoked +data\/tokens\.json +cli/)
  assert.match((await foreword('audit', 'verify')).stdout, /^whole: 3 records/)
})

test('a mistake in a command about tokens is named with what to write instead', async (t) => {
  const { environment } = temporaryHome(t)
  const foreword = (...words: readonly string[]) => run(words, { environment })
  const none = await foreword('token', 'new', 'laptop')
  assert.deepEqual([none.code, none.stdout], [2, ''])
  assert.match(none.stderr, /--scope is missing\.[^]*read, talk, approve, admin, mcp/)
  assert.match((await foreword('token', 'new', 'laptop', '--scope', 'tolk')).stderr, /--scope talk/)
  assert.match((await foreword('token', 'new', 'a b', '--scope', 'talk')).stderr, /cannot be the name/)
  assert.match((await foreword('token', 'new', 'a', '--scope', 'talk', '--expires', 'soon')).stderr, /such as 12h/)
  assert.match((await foreword('token', 'revoke', 'laptop')).stderr, /no token "laptop"[^]*foreword token list/)
  assert.match((await foreword('token', 'list')).stderr, /No named tokens yet/)
})

test('a tool can neither make nor revoke nor read a token', async (t) => {
  const { environment } = temporaryHome(t)
  const asTool = (...words: readonly string[]) => run(words, { environment: { ...environment, FOREWORD_TOOL: '1' } })
  for (const words of [['token'], ['token', 'new', 'x', '--scope', 'admin'], ['token', 'revoke', 'x']]) {
    const { code, stdout, stderr } = await asTool(...words)
    assert.deepEqual([code === 0, stdout], [false, ''], words.join(' '))
    assert.match(stderr, /a model cannot/i)
  }
})
