import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'node:test'
import type { Finding } from '../src/capability.ts'
import { contentHash } from '../src/session.ts'
import { storePath } from './cli/store-path.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'

test('a content that is gone is named by doctor, counted by replay as different, and keeps nobody from talking', async (context) => {
  const { home, environment } = temporaryHome(context)
  const prompt = (text: string) => {
    mkdirSync(join(home, 'context'), { recursive: true })
    writeFileSync(join(home, 'context', 'system_prompt.md'), text)
  }
  const foreword = (...argv: readonly string[]) => run(argv, { environment })
  const contents = async () => {
    const { stdout } = await foreword('doctor', '--json')
    const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] }
    return findings.find(({ check }) => check === 'contents')
  }
  assert.equal(await contents(), undefined)

  prompt('Be the first.')
  const text = 'A note that is long gone.'
  writeFileSync(join(home, 'note.txt'), text)
  const first = await foreword('send', '/say One.', '--file', join(home, 'note.txt'), '--json')
  const { sessionId, calls } = JSON.parse(first.stdout) as { sessionId: string; calls: readonly string[] }
  prompt('Be the second.')
  // What looks like a digest in a message is no reference.
  await foreword('send', `sha256:${'0'.repeat(64)}`, '--session', sessionId)
  prompt('Be the third.')
  assert.equal((await contents())?.level, 'ok')
  assert.equal((await foreword('replay', sessionId)).stdout, '2 of 2 identical\n')

  const store = new DatabaseSync(storePath(home))
  const layer = store.prepare("select hash from contents where text like '%Be the first.%'").get()!['hash'] as string
  for (const hash of [layer, contentHash(text)]) store.prepare('delete from contents where hash = ?').run(hash)
  store.close()

  const finding = await contents()
  assert.equal(finding?.level, 'problem')
  assert.match(finding.message, /^2 texts are missing: /)
  assert.match(finding.message, new RegExp(`sha256:${layer} \\(call call_\\w+\\)`))
  assert.match(finding.message, new RegExp(`sha256:${contentHash(text)} \\((entry \\d+ of session|file) `))
  const replayed = await foreword('replay', sessionId)
  assert.equal(replayed.code, 1)
  const [count, ...different] = replayed.stdout.trimEnd().split('\n')
  assert.equal(count, '0 of 2 identical')
  assert.match(different[0]!, new RegExp(`^${calls[0]}: The content sha256:${layer} .* is missing`))
  // The session keeps the head that it began with.
  assert.match(different[1]!, new RegExp(`^call_\\w+: The content sha256:${layer} .* is missing`))
  assert.match((await foreword('request', calls[0]!)).stderr, /is missing from the store.*foreword restore/s)

  assert.equal((await foreword('send', '/say Two.', '--session', sessionId)).stdout, 'Two.\n')
})
