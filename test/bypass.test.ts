import assert from 'node:assert/strict'
import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { skillTools } from '../src/capabilities/skills/executor/skill-tools.ts'
import { workspaceBlock } from '../src/capabilities/workspace/workspace-block.ts'
import { shellBlock } from '../src/capabilities/shell/shell-tool.ts'
import { accessAnswer, createToolbox, type PlannedCall, readAccess, type ToolResult, toolLimits } from '../src/tool.ts'
import { layTraps, secrets, type Traps } from './bypass/traps.ts'
import { unconfined } from './unconfined.ts'
import { systemClock } from '../src/platform.ts'

/** See test/bypass/README.md. */
interface Entry {
  readonly name: string
  readonly tool: string
  readonly setting: string | object
  readonly input: unknown
  readonly expect: 'refused' | 'runs'
  readonly argv?: readonly string[]
  readonly says?: readonly string[]
  readonly why: string
}

interface Corpus {
  readonly settings: Readonly<Record<string, object>>
  readonly entries: readonly Entry[]
}

const { settings, entries }: Corpus = JSON.parse(
  await readFile(new URL('./bypass/corpus.json', import.meta.url), 'utf8'),
)

test('every entry has a name of its own and a setting that exists', () => {
  assert.equal(new Set(entries.map(({ name }) => name)).size, entries.length)
  for (const { setting } of entries) assert.ok(typeof setting === 'object' || Object.hasOwn(settings, setting))
})

/** Laid out for a test before this one, and as it was: what is refused changes nothing. */
let untouched: Traps | undefined
after(() => untouched?.remove())

for (const entry of entries) {
  test(`${entry.tool}, ${entry.name}: ${entry.expect}`, { timeout: 60_000 }, async (t) => {
    const traps = untouched ?? (await layTraps())
    untouched = undefined
    t.after(() => (untouched === traps ? undefined : traps.remove()))
    const before = await everythingOutside(traps)
    const inside = await timesInside(traps)
    const { planned, result } = await answerTo(entry, traps)
    const seen = JSON.stringify([planned, result])
    assert.equal(wasRefused(entry.tool, planned, result) ? 'refused' : 'runs', entry.expect, seen)
    if (entry.argv) assert.deepEqual(planned.call?.argv, entry.argv)
    for (const text of entry.says ?? []) assert.ok(saidBy(result).includes(text), `${text} is not in ${saidBy(result)}`)
    for (const secret of Object.values(secrets)) assert.ok(!seen.includes(secret), `${secret} was told: ${seen}`)
    assert.deepEqual(await everythingOutside(traps), before)
    assert.deepEqual(await filesNamedPwned(traps.top), [])
    assert.deepEqual(await processesIn(traps.top), [])
    if (entry.expect === 'runs') return
    assert.deepEqual(await timesInside(traps), inside)
    untouched = traps
  })
}

/** The call as a model makes it. Where a person is asked, the person says yes: not even then may anything escape. */
async function answerTo({ tool, setting, input }: Entry, traps: Traps) {
  const { workspace, outside } = traps
  const written = JSON.stringify(typeof setting === 'string' ? settings[setting] : setting)
  const access = readAccess(written, {})
  const environment = { PATH: process.env['PATH'], HOME: outside, PROVIDER_API_KEY: secrets.key }
  const box = createToolbox(await toolsIn(traps, environment, async () => access), {
    gate: async (_call, { name, approval }) => {
      const answer = accessAnswer(access, { name, ...(approval !== undefined && { approval }) })
      return answer.type === 'refuse' ? answer : { ...answer, ...toolLimits(access, name) }
    },
  })
  const sent: unknown = JSON.parse(
    JSON.stringify(input).replaceAll('<workspace>', workspace).replaceAll('<outside>', outside),
  )
  const context = { clock: systemClock, session: 's1', turn: 't1', signal: new AbortController().signal }
  const planned = await box.plan({ toolCallId: 'c1', toolName: tool, input: sent }, context)
  return { planned, result: planned.type === 'refused' ? planned.result : await planned.run() }
}

async function toolsIn(
  { workspace, skill }: Traps,
  environment: Readonly<Record<string, string | undefined>>,
  access: Parameters<typeof shellBlock>[0]['access'],
) {
  const blocks = [
    shellBlock({ workspace, access, environment, sandbox: unconfined }),
    workspaceBlock({ folder: workspace }),
  ]
  const toolsJson = await readFile(join(skill, 'tools.json'), 'utf8')
  const ofSkill = await skillTools(
    { name: 'bypass', folder: skill, toolFiles: { 'tools.json': toolsJson } },
    { workspace, environment, sandbox: unconfined, allowScripts: true },
  )
  return [...blocks.flatMap(({ tools }) => tools), ...ofSkill.tools]
}

/** A tool that only reads makes no plan: its refusal is its answer. */
function wasRefused(tool: string, planned: PlannedCall, result: ToolResult): boolean {
  return planned.type === 'refused' || (/^(?:read|list|search)_/.test(tool) && !result.ok)
}

function saidBy(result: ToolResult): string {
  return result.ok ? result.output : `${result.error}\n${result.output ?? ''}`
}

/** Path, size, time and content of whatever is not in the workspace. */
async function everythingOutside({ top, workspace }: Traps): Promise<readonly (readonly unknown[])[]> {
  const paths = (await readdir(top, { recursive: true })).map((name) => join(top, name))
  const outside = paths.filter((path) => path !== workspace && !path.startsWith(`${workspace}/`)).toSorted()
  return Promise.all(
    outside.map(async (path) => {
      const found = await lstat(path)
      return [path, found.mode, found.mtimeMs, found.isFile() ? await readFile(path, 'utf8') : '']
    }),
  )
}

/** Path, and time of the last change, of whatever is in the workspace. */
async function timesInside({ workspace }: Traps): Promise<readonly (readonly unknown[])[]> {
  const names = (await readdir(workspace, { recursive: true })).toSorted()
  return Promise.all(names.map(async (name) => [name, (await lstat(join(workspace, name))).ctimeMs]))
}

async function filesNamedPwned(top: string): Promise<readonly string[]> {
  return (await readdir(top, { recursive: true })).filter((name) => /(?:^|\/)pwned$/.test(name))
}

/** Processes that work in a folder, where the system tells. */
async function processesIn(top: string): Promise<readonly string[]> {
  if (process.platform !== 'linux') return []
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const folders = await Promise.all(ids.map((id) => readlink(`/proc/${id}/cwd`).catch(() => '')))
  return folders.filter((folder) => folder.startsWith(top))
}
