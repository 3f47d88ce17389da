import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { shellBlock } from '../../src/capabilities/shell/shell-tool.ts'
import { allowingPrefix, type AccessRead, commandPresets, createToolbox } from '../../src/tool.ts'
import { readAccess } from '../../src/tool/access/read-access.ts'
import { unconfined } from '../unconfined.ts'
import { arenaTemplate, openArena } from './arena.ts'
import { corpus } from './corpus.ts'
import { systemClock } from '../../src/platform.ts'

/** Those of the escapes that a policy lets through to the sandbox, and how many were tried. */
async function planned(t: TestContext, access: AccessRead): Promise<readonly string[]> {
  const template = arenaTemplate()
  t.after(() => template.close())
  const arena = await openArena(template.folder, process.pid, '')
  t.after(() => arena.close())
  const { tools } = shellBlock({
    workspace: arena.workspace,
    access: async () => access,
    environment: process.env,
    sandbox: unconfined,
    places: () => ({ outOfReach: [arena.outside], readOnly: [] }),
  })
  const box = createToolbox(tools)
  const turn = { clock: systemClock, session: 's', turn: 't', signal: AbortSignal.timeout(60_000) }
  const through: string[] = []
  for (const { command } of corpus) {
    const cmd = arena.placed(command)
    const call = await box.plan({ toolCallId: 'c', toolName: 'shell', input: { cmd } }, turn)
    if (call.type !== 'refused') through.push(command)
  }
  return through
}

test('the corpus has more than 250 escapes, each once, and a prefix that looks harmless allows each', async (t) => {
  assert.ok(corpus.length > 250)
  assert.equal(new Set(corpus.map(({ command }) => command)).size, corpus.length)
  for (const { prefix, command } of corpus) assert.equal(allowingPrefix(command.split(' '), [prefix]), prefix, command)
  const prefixes = [...new Set(corpus.map(({ prefix }) => prefix))]
  const shell = { enabled: true, allowedPrefixes: prefixes }
  const through = await planned(t, readAccess(JSON.stringify({ tools: { shell } }), {}))
  assert.equal(through.length, corpus.length)
})

for (const { name, runsCode } of commandPresets) {
  test(`no escape passes the preset ${name}`, async (t) => {
    const shell = { enabled: true, presets: [name] }
    const through = await planned(t, readAccess(JSON.stringify({ tools: { shell } }), {}))
    // A test is code of the project: that is what these presets say of themselves.
    assert.deepEqual(through, runsCode ? through.filter((command) => RUNS_CODE.has(command)) : [])
  })
}

/** Commands that run a test or a script of the project and have no argument that does more. */
const RUNS_CODE = new Set(['node --test evil.cjs', 'npm run evil'])

test('no escape passes an example policy of the documentation', async (t) => {
  const pages = globSync('{README.md,SECURITY.md,docs/**/*.md}', { cwd: join(import.meta.dirname, '../..') })
  const policies = pages.flatMap((page) => {
    const text = readFileSync(join(import.meta.dirname, '../..', page), 'utf8')
    return [...text.matchAll(/```json\n(.*?)```/gs)]
      .map(([, json = '']) => json)
      .filter((json) => /"shell"|"allowedPrefixes"|"presets"/.test(json) && json.includes('"tools"'))
      .map((json) => ({ page, json }))
  })
  assert.ok(policies.length > 0)
  for (const { page, json } of policies) {
    const access = readAccess(json, {})
    assert.equal(access.type, 'access', page)
    const through = await planned(t, access)
    assert.deepEqual(
      through.filter((command) => !RUNS_CODE.has(command)),
      [],
      `${page}: ${json}`,
    )
  }
})
