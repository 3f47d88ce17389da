import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { scriptedProvider, type ScriptedRequest } from '../../src/testing.ts'
import { folderBytes } from '../../src/platform.ts'
import { findSandbox } from '../../src/tool.ts'
import { type Asker, openTeam, say } from './team.ts'

const sandbox = await findSandbox()
const MOST = 60_000

/** The call of the last message, as JSON, and then the end. */
function answer({ body }: ScriptedRequest) {
  const messages = body['messages'] as readonly { readonly role: string; readonly content: string }[]
  const at = messages.findLastIndex(({ role }) => role === 'user')
  if (at < messages.length - 1) return { text: 'Done.' }
  const { name, fill, ...input } = JSON.parse(messages[at]!.content.split('\n')[0]!) as {
    readonly name: string
    readonly fill?: number
  }
  return { toolCalls: [{ name, input: { ...input, ...(fill !== undefined && { content: 'a '.repeat(fill / 2) }) } }] }
}

async function called(who: Asker, name: string, input: object): Promise<string> {
  const session = await say(who, JSON.stringify({ name, ...input }))
  const { entries } = await who.json<{ readonly entries: readonly { readonly type: string }[] }>(
    `/api/sessions/${session}/entries?limit=100`,
  )
  return JSON.stringify(entries.find(({ type }) => type === 'tool-end'))
}

test(
  'tools and programs of a person write no more into the workspace than may be there, and can make room again',
  { skip: sandbox.type === 'none' ? sandbox.why : false },
  async (t) => {
    const provider = await scriptedProvider({ answer })
    t.after(() => provider.close())
    const policy = {
      global: { enabled: true, mode: 'allowlist', allowedTools: ['write_file', 'shell'] },
      tools: { shell: { enabled: true, mode: 'full', approval: 'never' }, write_file: { approval: 'never' } },
    }
    const configuration = {
      model: 'ollama/scripted',
      providers: { ollama: { kind: 'ollama', baseURL: provider.url } },
      models: { 'ollama/scripted': { window: 200_000, maxOutput: 40_000 } },
      people: { maxWorkspaceBytes: MOST, limits: [{ for: 'bob', maxWorkspaceBytes: 10 * MOST }] },
    }
    const team = await openTeam(t, configuration, { 'tool-access.json': JSON.stringify(policy) })
    const [ann, bob] = [await team.add('ann'), await team.add('bob')]
    const workspace = join(team.home, 'people', 'ann', 'workspace')
    mkdirSync(workspace, { recursive: true })
    const shell = (cmd: string) => called(ann, 'shell', { cmd })
    const write = (who: Asker, path: string, bytes: number) => called(who, 'write_file', { path, fill: bytes })

    assert.match(await write(ann, 'one.txt', 20_000), /created one\.txt/)
    assert.match(
      await write(ann, 'two.txt', 40_000),
      /two\.txt was not written: the workspace has \d+ of the 60000 bytes/,
    )
    assert.match(await write(bob, 'two.txt', 40_000), /created two\.txt/)
    // One file of a program, many of them, and one that goes on and on.
    assert.match(await shell('head -c 10000 /dev/zero > small'), /"ok":true/)
    assert.match(
      await shell('head -c 5000000 /dev/zero > large'),
      /stopped, because the workspace may have 60,000 bytes/,
    )
    assert.ok((await folderBytes(workspace)) <= MOST + 4_096, String(await folderBytes(workspace)))
    assert.match(await shell('rm large'), /"ok":true/)
    assert.match(
      await shell('i=0; while :; do i=$((i+1)); head -c 4096 /dev/zero > many-$i; sleep 0.01; done'),
      /stopped, because the workspace may have/,
    )
    // Nothing more is written now, but what is there can be removed.
    writeFileSync(join(workspace, 'beyond'), 'a'.repeat(MOST))
    assert.match(await shell('echo more > more.txt'), /stopped, because/)
    assert.match(await shell('rm many-* beyond more.txt'), /"ok":true/)
    assert.match(await shell('echo more > more.txt'), /"ok":true/)
    assert.match(await write(ann, 'one.txt', 50), /replaced one\.txt/)
  },
)
