import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { scriptedProvider, type ScriptedRequest } from '../../src/testing.ts'
import { findSandbox } from '../../src/tool.ts'
import { openTeam, say } from './team.ts'

const sandbox = await findSandbox()
const SECRET = 'the-owner-wrote-this'

/** The programs and paths of the next message, which the model asks for one after another. */
function answer({ body }: ScriptedRequest) {
  const messages = body['messages'] as readonly { readonly role: string; readonly content: string }[]
  const asked = messages.findLast(({ role }) => role === 'user')!.content.split('\n')[0]!
  const done = messages.length - 1 - messages.findLastIndex(({ role }) => role === 'user')
  const calls = asked.split(' ; ')
  const next = calls[Math.floor(done / 2)]
  if (next === undefined) return { text: 'Done.' }
  const [tool, ...words] = next.split(' ')
  const input = tool === 'shell' ? { cmd: words.join(' ') } : { path: words.join(' ') }
  return { toolCalls: [{ name: tool!, input }] }
}

test(
  'tools and programs of a person reach neither files of the owner nor those of other people',
  { skip: sandbox.type === 'none' ? sandbox.why : false },
  async (t) => {
    const provider = await scriptedProvider({ answer })
    t.after(() => provider.close())
    // Programs in the sandbox see this folder, if nothing hides it.
    const workspace = mkdtempSync(join(import.meta.dirname, '../../node_modules/.foreword-owner-'))
    t.after(() => rmSync(workspace, { recursive: true, force: true }))
    writeFileSync(join(workspace, 'diary.txt'), SECRET)
    const policy = {
      global: { enabled: true, mode: 'allowlist', allowedTools: ['read_file', 'shell'] },
      tools: { shell: { enabled: true, mode: 'allowlist', allowedPrefixes: ['cat'] } },
    }
    const configuration = {
      model: 'ollama/scripted',
      providers: { ollama: { kind: 'ollama', baseURL: provider.url } },
      agent: { workspace },
    }
    const team = await openTeam(t, configuration, { 'tool-access.json': JSON.stringify(policy) })
    const [ann, bob] = [await team.add('ann'), await team.add('bob')]
    const bobs = join(team.home, 'people', 'bob', 'workspace')
    mkdirSync(bobs, { recursive: true })
    writeFileSync(join(bobs, 'letter.txt'), SECRET)
    const own = join(team.home, 'people', 'ann', 'workspace')
    mkdirSync(own, { recursive: true })
    writeFileSync(join(own, 'own.txt'), 'this is my own file')
    const outside = [
      join(workspace, 'diary.txt'),
      join(bobs, 'letter.txt'),
      join(team.home, 'data', 'token'),
      join(team.home, 'people', 'ann', 'data', 'foreword.sqlite'),
      '../../bob/workspace/letter.txt',
    ]
    const calls = ['shell cat own.txt', ...outside.flatMap((path) => [`read_file ${path}`, `shell cat ${path}`])]
    const session = await say(ann, calls.join(' ; '))
    const { entries } = await ann.json<{ readonly entries: readonly { readonly type: string }[] }>(
      `/api/sessions/${session}/entries?limit=500`,
    )
    const { token } = team.foreword
    const results = entries.filter(({ type }) => type === 'tool-end').map((each) => JSON.stringify(each))
    assert.equal(results.length, calls.length)
    assert.match(results[0]!, /this is my own file/)
    for (const [at, result] of results.entries()) {
      assert.ok(!result.includes(SECRET), `${calls[at]}: ${result}`)
      assert.ok(!result.includes(token), calls[at]!)
    }
    assert.equal((await bob.request(`/api/sessions/${session}`)).status, 404)
  },
)
