import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Finding, LintReport } from '../src/capability.ts'
import type { Preview } from '../src/runtime.ts'
import { assemble, calibratedTokens, lint, scenarioInput, smallCounters, tokenx } from '../src/context.ts'
import { readScenarios } from '../src/context/scenario.ts'
import { scenarioSchema } from '../src/context/scenario-schema.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'
import { realGateway, type RealGateway } from './end-to-end/gateway.ts'

/** A home with these files, and what `check --lint` says of it. */
async function linted(t: TestContext, files: Readonly<Record<string, string>> = {}, ...options: readonly string[]) {
  const { home, environment } = temporaryHome(t)
  mkdirSync(home, { recursive: true })
  writeFiles(home, files)
  const words = ['check', '--lint', ...options]
  const { code, stdout, stderr } = await run([...words, '--json'], { environment })
  assert.notEqual(stdout, '', stderr)
  const { stdout: text } = await run(words, { environment })
  const report = JSON.parse(stdout) as LintReport
  return { home, environment, code, text, report, findings: report.findings }
}

function writeFiles(home: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
}

const byName = (one: string, other: string): number => (one < other ? -1 : 1)

const found = ({ findings }: Pick<LintReport, 'findings'>) =>
  findings.map(({ code, where }) => [code, where.tool ?? where.layer])

async function doctor(environment: Readonly<Record<string, string>>): Promise<readonly Finding[]> {
  const { stdout } = await run(['doctor', '--json'], { environment })
  const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] }
  return findings.filter(({ check }) => check === 'lint')
}

const TIME = 'Generated at 2026-11-20T10:00:05Z.'

test('a new home has nothing that breaks caches or wastes room', async (t) => {
  const { environment, code, text, report } = await linted(t, {}, '--strict')
  assert.deepEqual([code, report.findings, report.unread, report.calls], [0, [], undefined, 0])
  assert.equal(text, 'Nothing that breaks caches or wastes room, in the next call and in 0 recorded calls.\n')
  assert.deepEqual(
    (await doctor(environment)).map(({ level, message }) => [level, message]),
    [['ok', 'nothing breaks caches or wastes room in 0 recorded calls']],
  )
})

test('times and ids are found with file and line: in AGENTS.md, the system prompt, the persona and skills', async (t) => {
  const files = {
    'workspace/AGENTS.md': `\n\n# Rules\n\n${TIME}\n`,
    'context/system_prompt.md': 'You are kind.\nSession 3f2a9c1e-1111-4222-8333-abcdefabcdef.\n',
    'context/user_profile.json': '{\n  "name": "Ada",\n  "facts": ["Last seen at 10:31:07."]\n}\n',
    'skills/alpha/SKILL.md': '---\nname: alpha\ndescription: Sums, as of 2026-11-20 10:00.\n---\nAdd.\n',
  }
  const { home, environment, code, text, findings } = await linted(t, files)
  assert.equal(code, 0)
  const places = findings.map(({ code: what, where: { file, line } }) => [what, file?.slice(home.length + 1), line])
  assert.deepEqual(places.map((place) => place.join(' ')).toSorted(byName), [
    'volatile-text context/system_prompt.md 2',
    'volatile-text context/user_profile.json 3',
    'volatile-text skills/alpha/SKILL.md 3',
    'volatile-text workspace/AGENTS.md 5',
  ])
  assert.match(text, /workspace\/AGENTS\.md:5\n.*2026-11-20T10:00:05/)
  assert.match(text, /at most, if it changes at every call: [\d,]+ tokens per hundred calls/)
  assert.equal((await run(['check', '--lint', '--strict'], { environment })).code, 1)
  const [finding, ...others] = await doctor(environment)
  assert.deepEqual([finding!.level, others], ['warning', []])
  assert.match(finding!.message, /^volatile-text: .*AGENTS\.md:5/)
})

test('a prompt that asks for the date to the minute is found; one that asks for the day is not', async (t) => {
  const files = { 'context/system_prompt.md': 'Be kind. It is {{date}}.\n' }
  const minute = { ...files, 'config.json': '{"context": {"dateGranularity": "minute"}}' }
  assert.deepEqual(found(await linted(t, files)), [])
  assert.ok(found(await linted(t, minute)).some(([code]) => code === 'volatile-text'))
})

test('a paragraph that stands in AGENTS.md and in the system prompt is found with its tokens', async (t) => {
  const words = 'Answer with care, and name your sources in every answer. '.repeat(5)
  const files = { 'workspace/AGENTS.md': `# Rules\n\n${words}\n`, 'context/system_prompt.md': `Kind.\n\n${words}\n` }
  const { findings, text } = await linted(t, files)
  assert.equal(findings.length, 1)
  assert.equal(findings[0]!.code, 'duplicated-text')
  assert.match(text, /context\/system_prompt\.md/)
  assert.match(text, /[\d,]+ tokens per hundred calls sent for nothing/)
})

test('the examples of scenarios and the packaged prompt raise no alarm as a home', async (t) => {
  const { home, environment } = temporaryHome(t)
  mkdirSync(join(home, 'workspace'), { recursive: true })
  const repository = join(import.meta.dirname, '..')
  cpSync(join(repository, 'AGENTS.md'), join(home, 'workspace', 'AGENTS.md'))
  const { stdout } = await run(['check', '--lint', '--json'], { environment })
  assert.deepEqual((JSON.parse(stdout) as LintReport).findings, [])
  const contexts = join(repository, 'examples', 'contexts')
  for (const file of readdirSync(contexts).filter((name) => name.endsWith('.json'))) {
    for (const scenario of readScenarios(readFileSync(join(contexts, file), 'utf8'))) {
      const assembly = assemble(scenarioInput(scenarioSchema.parse(scenario), smallCounters))
      assert.deepEqual(lint({ assembly, counter: tokenx, calls: [], tools: [] }), [], file)
    }
  }
})

test('words that do not go together are refused', async (t) => {
  const { environment } = temporaryHome(t)
  for (const words of [
    ['check'],
    ['check', '--strict', 'x'],
    ['check', '--lint', 'x', '--update'],
    ['check', '--lint', '--update'],
  ]) {
    assert.equal((await run(words, { environment })).code, 2, words.join(' '))
  }
})

/** A layer that differs at every call, and one that stays the same behind it; tools in turning order. */
const restless = `let calls = 0
export default {
  name: 'restless',
  layers() {
    calls += 1
    const layer = (id, text) => ({ id, layer: id, placement: 'system', renditions: [{ form: 'full', text }], origin: { kind: 'operator', ref: id } })
    return [layer('mood', 'The mood has the value ' + 'abcdefghij'[calls % 10] + '.'), layer('calm', 'Calm is calm.')]
  },
  tools() {
    const tool = (name) => ({ name, description: 'Does ' + name + '.', inputSchema: { type: 'object', properties: {} }, execute: async () => ({ ok: true, output: 'done' }) })
    const tools = [tool('first_one'), tool('second_one')]
    return calls % 2 === 0 ? tools : tools.toReversed()
  },
}`

const skill = (name: string) =>
  `---\nname: ${name}\ndescription: Explains ${name} to those who ask.\n---\n${'Words. '.repeat(3_000)}\n`

/** A gateway with 60 calls: `list_files` and the skill alpha were used, the other tools and beta were not. */
async function usedGateway(t: TestContext): Promise<RealGateway> {
  const gateway = await realGateway(
    t,
    {
      answer: (_request, n) => {
        if (n === 1) return { toolCalls: [{ name: 'list_files', input: {} }] }
        if (n === 2) return { toolCalls: [{ name: 'read_skill', input: { skill_name: 'alpha' } }] }
        return { text: 'Yes.' }
      },
    },
    {
      capabilities: ['./restless.mjs'],
      models: { 'ollama/scripted': { window: 64_000, price: { input: 3, cachedInput: 0.3, output: 15 } } },
    },
    async (home) =>
      writeFiles(home, {
        'restless.mjs': restless,
        'workspace/AGENTS.md': `# Rules\n\n${TIME}\n`,
        'skills/alpha/SKILL.md': skill('alpha'),
        'skills/beta/SKILL.md': skill('beta'),
        'tool-access.json': '{"global": {"mode": "full"}}',
      }),
  )
  const { session } = await gateway.say('Hello 0')
  for (let turn = 1; turn < 58; turn += 1) {
    const { outcome } = await gateway.say(`Hello ${turn}`, { session })
    assert.equal(outcome?.type, 'completed')
  }
  return gateway
}

test('recorded calls show what changes and what nobody uses, each with its price', async (t) => {
  const gateway = await usedGateway(t)
  const { stdout } = await gateway.foreword('check', '--lint', '--json')
  const report = JSON.parse(stdout) as LintReport
  const of = (code: string) => report.findings.filter((finding) => finding.code === code)
  assert.equal(report.calls, 60)
  assert.deepEqual(
    of('changing-layer').map(({ where }) => where.layer),
    ['mood'],
  )
  // The order of a pinned head stays, whatever turns round behind it.
  assert.deepEqual(of('unstable-order'), [])
  const idle = of('unused-tool').map(({ where }) => where.tool!)
  assert.ok(idle.includes('first_one') && idle.includes('read_file'), idle.join(' '))
  assert.ok(
    !['list_files', 'read_skill', 'read_history', 'read_result'].some((name) => idle.includes(name)),
    idle.join(' '),
  )
  assert.deepEqual(
    of('unread-text').map(({ where }) => where.ref),
    ['skills/beta/SKILL.md'],
  )
  // The time in AGENTS.md never changed in sixty calls.
  assert.deepEqual(
    of('volatile-text').map(({ severity, cost }) => [severity, cost]),
    [['note', undefined]],
  )
  for (const { code, cost, severity } of report.findings) {
    if (severity === 'note') continue
    assert.ok(cost!.tokens > 0 && cost!.money! > 0, code)
  }
  assert.ok(of('unused-tool').every(({ cost }) => cost!.monthTokens! > 0))
  // In the tokens of the provider, as the account of the next call has them.
  const { figures, manifest } = await gateway.curl<Preview>('/api/context')
  const reader = manifest.entries.find(({ id, slot }) => slot === 'tools' && id === 'read_file')!
  assert.notEqual(figures.total, manifest.used)
  assert.equal(
    of('unused-tool').find(({ where }) => where.tool === 'read_file')!.cost!.tokens,
    calibratedTokens(100 * reader.tokens, figures.total, manifest.used),
  )
  const byHost = (await gateway.curl<LintReport>('/api/lint')).findings
  assert.ok(byHost.length === report.findings.length - 1, 'the skill is found by its capability')

  const { stdout: examined } = await gateway.foreword('doctor', '--json')
  const { findings } = JSON.parse(examined) as { findings: readonly Finding[] }
  const told = findings.filter(({ check }) => check === 'lint')
  assert.deepEqual(
    told.map(({ level, message }) => `${level} ${message.split(':')[0]!}`).toSorted(byName),
    ['changing-layer', 'unread-text', 'unused-tool'].map((code) => `warning ${code}`),
  )
})
