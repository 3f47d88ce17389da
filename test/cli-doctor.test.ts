import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type TestContext } from 'node:test'
import type { Finding } from '../src/capability.ts'
import { checkHome } from '../src/cli/doctor/check-machine.ts'
import { openStore } from '../src/session.ts'
import { readToken, systemClock } from '../src/runtime.ts'
import { createProposals } from '../src/capabilities/subjects/proposals/proposals.ts'
import { openSubjects } from '../src/capabilities/subjects/core/open-subjects.ts'
import { storePath } from './cli/store-path.ts'
import { temporaryHome } from './cli/home.ts'
import { scriptedServer } from '../src/testing/scripted-server.ts'
import { run } from './cli/recorded-io.ts'

const PEOPLE = ['skills', 'policy', 'shell', 'tools', 'gateway', 'mcp', 'subjects', 'telegram', 'audit', 'telemetry']

/** What doctor says of skills, tools and their policy, on a home with these files. */
async function examined(
  context: TestContext,
  files: Readonly<Record<string, string>>,
  options: {
    readonly environment?: Readonly<Record<string, string>>
    readonly prepare?: (home: string) => Promise<void>
  } = {},
): Promise<{ readonly code: number; readonly findings: readonly Finding[] }> {
  const { home, environment } = temporaryHome(context)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(home, name, '..'), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  await options.prepare?.(home)
  const { code, stdout } = await run(['doctor', '--json'], { environment: { ...environment, ...options.environment } })
  const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] }
  return { code, findings: findings.filter(({ check }) => PEOPLE.includes(check)) }
}

const brief = (findings: readonly Finding[]) => findings.map(({ check, level, message }) => [check, level, message])

async function recorded(home: string): Promise<void> {
  mkdirSync(join(storePath(home), '..'), { recursive: true })
  const store = await openStore({ clock: systemClock, path: storePath(home) })
  for (const tool of ['a', 'b']) {
    await store.transaction([{ type: 'audit', facts: { kind: 'decision', tool }, time: '2026-11-20T10:00:00.000Z' }])
  }
  await store.close()
}

test('a new home has no skills, a policy that allows nothing, and no shell', async (context) => {
  const { findings } = await examined(context, {})
  assert.deepEqual(brief(findings.filter(({ check }) => check !== 'tools')), [
    ['policy', 'ok', 'nothing on the allowlist'],
    ['skills', 'ok', '0 skills'],
    ['shell', 'ok', 'off'],
    ['audit', 'ok', 'empty'],
  ])
})

test('a price whose promise has run out is named', async (context) => {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home, { recursive: true })
  const price = { input: 1, output: 2, until: '2026-01-31' }
  const models = { 'ollama/a': { price }, 'ollama/b': { price: { ...price, until: '9999-12-31' } } }
  writeFileSync(join(home, 'config.json'), JSON.stringify({ model: 'rehearsal', models }))
  const { stdout } = await run(['doctor', '--json'], { environment })
  const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] }
  assert.deepEqual(brief(findings.filter(({ check }) => check === 'prices')), [
    [
      'prices',
      'warning',
      'models."ollama/a".price.until is 2026-01-31: what was promised is over, so the price may be another one.',
    ],
  ])
})

test('a model whose longest answer is too short for notes is named', async (context) => {
  const doctor = async (settings: object) => {
    const { home, environment } = temporaryHome(context)
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, 'config.json'), JSON.stringify(settings))
    const { stdout } = await run(['doctor', '--json'], { environment })
    const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] }
    return brief(findings.filter(({ check }) => check === 'notes'))
  }
  const short = { model: 'rehearsal', context: { reserve: 100 } }
  const message =
    'rehearsal is asked for answers of at most 100 tokens (`context.reserve`), which is too short for a note: notes are an index.'
  assert.deepEqual(await doctor(short), [['notes', 'warning', message]])
  assert.deepEqual(await doctor({ ...short, context: { reserve: 100, notes: 'index' } }), [])
  assert.deepEqual(await doctor({ ...short, context: { reserve: 100, layout: 'chai' } }), [])
  assert.deepEqual(await doctor({ model: 'rehearsal' }), [])
})

test('skills are counted, and what was left out is named with its reason', async (context) => {
  const { code, findings } = await examined(context, {
    'config.json': '{"skills": {"disabled": ["gamma"]}}',
    'skills/alpha/SKILL.md': '---\nname: alpha\n---\n# Alpha\n',
    'skills/beta/SKILL.md': '---\nmetadata: {requires: {bins: [no-such-program]}}\n---\n# Beta\n',
    'skills/gamma/SKILL.md': '# Gamma\n',
    'skills/delta/SKILL.md': '---\n: {\n---\n# Delta\n',
  })
  const skills = findings.filter(({ check }) => check === 'skills')
  assert.deepEqual(brief(skills.slice(0, 1)), [['skills', 'ok', '2 skills, 1 disabled']])
  assert.deepEqual(
    skills.slice(1).map(({ level }) => level),
    ['ok', 'warning', 'warning'],
  )
  assert.match(skills[1]!.message, /^Both skills in full, for \d+ tokens \(rehearsal, window [\d,]+\)\.$/)
  assert.match(skills[2]!.message, /skills\/beta is left out: .*no-such-program/)
  assert.match(skills[3]!.message, /delta.*SKILL\.md/)
  assert.equal(code, 0)
})

test('skills that do not reach the model are no skills that are well', async (context) => {
  const many = Object.fromEntries(
    Array.from({ length: 80 }, (_, index) => [
      `skills/a-case-that-has-quite-a-long-name-${index}/SKILL.md`,
      `Does ${index}.`,
    ]),
  )
  const doctor = async (files: object) => {
    const { code, findings } = await examined(context, { ...many, ...files })
    const [, reach] = findings.filter(({ check }) => check === 'skills')
    return { code, level: reach!.level, message: reach!.message }
  }
  const settings = (layout: object, window = 2_048) =>
    JSON.stringify({ model: 'rehearsal', models: { rehearsal: { window } }, context: layout })
  const few = await doctor({ 'config.json': settings({}) })
  assert.deepEqual([few.code, few.level], [0, 'warning'])
  assert.match(
    few.message,
    /^None of the 80 skills is named .*: the model finds them with find_skill, for .*window 2,048/,
  )
  const wide = await doctor({ 'config.json': settings({}, 64_000) })
  assert.deepEqual([wide.code, wide.level], [0, 'ok'])
  assert.match(wide.message, /^All 80 skills by name and description/)
  const denied = await doctor({
    'config.json': settings({}),
    'tool-access.json': '{"tools": {"read_skill": {"enabled": false}}}',
  })
  assert.match(denied.message, /; but read_skill may not run\.$/)
  const inFull = await doctor({
    'config.json': JSON.stringify({ ...JSON.parse(settings({})), skills: { contextMode: 'full' } }),
  })
  assert.match(inFull.message, /^None of the 80 skills is sent: there is no room for [\d,]+ tokens/)
  const preset = await doctor({ 'config.json': settings({ layout: 'chai' }) })
  assert.deepEqual([preset.code, preset.level], [1, 'problem'])
  assert.match(preset.message, /^no skill reaches the model, since no request fits: /)
})

test('a faulty policy is a problem with its hint, since nothing may run', async (context) => {
  const { code, findings } = await examined(context, { 'tool-access.json': '{"global": {"mode": "some"}, "more": 1}' })
  const policy = findings.filter(({ check }) => check === 'policy')
  assert.equal(code, 1)
  assert.equal(policy.length, 2)
  for (const { level, message, hint } of policy) {
    assert.equal(level, 'problem')
    assert.match(message, /^no tool may run: .*(mode|more)/)
    assert.match(hint!, /tool-access\.json/)
  }
})

test('doctor warns of a shell that may run anything', async (context) => {
  const full = '{"global": {"mode": "full"}, "tools": {"shell": {"enabled": true, "mode": "full"}}}'
  const { code, findings } = await examined(context, { 'tool-access.json': full })
  assert.equal(code, 0)
  assert.deepEqual(brief(findings.filter(({ check }) => check === 'policy' || check === 'shell')), [
    ['policy', 'ok', 'every tool that is not disabled may run (global.mode)'],
    ['shell', 'warning', 'full: a model may run any command that you can run'],
  ])
  const limited = await examined(
    context,
    { 'tool-access.json': '{"tools": {"shell": {"approval": "ask", "allowAnyCwd": true}}}' },
    { environment: { SHELL_TOOL_ENABLED: 'true', SHELL_TOOL_ALLOWED_PREFIXES: 'git status,ls' } },
  )
  assert.deepEqual(brief(limited.findings)[2], [
    'shell',
    'warning',
    'allowlist: 2 prefixes (any argument may follow), in any folder, each with your approval',
  ])
})

test('a shell that is switched on and may run nothing is a warning that says what is missing', async (context) => {
  const shell = async (policy: string, environment: Readonly<Record<string, string>> = {}) => {
    const { findings } = await examined(context, { 'tool-access.json': policy }, { environment })
    return brief(findings.filter(({ check }) => check === 'shell'))
  }
  const refused = 'the shell is switched on, and yet refused, because it is not in global.allowedTools'
  assert.deepEqual(await shell('{"tools": {"shell": {"enabled": true, "presets": ["search"]}}}'), [
    ['shell', 'warning', refused],
  ])
  const on = { SHELL_TOOL_ENABLED: 'true' }
  assert.deepEqual(await shell('{}', on), [['shell', 'warning', 'the shell may run no command yet']])
  assert.deepEqual(await shell('{}', { ...on, SHELL_TOOL_ALLOWED_PREFIXES: 'pwd' }), [
    ['shell', 'ok', 'allowlist: one prefix (any argument may follow)'],
  ])
})

test('prefixes that run other programs are reported, each with the reason and what to do', async (context) => {
  const shell = { enabled: true, allowedPrefixes: ['ls', 'git log', 'python3', 'find'] }
  const { code, findings } = await examined(context, {
    'tool-access.json': JSON.stringify({ global: { allowedTools: ['shell'] }, tools: { shell } }),
  })
  assert.equal(code, 0)
  const told = findings.filter(({ check, level }) => check === 'shell' && level === 'warning')
  assert.deepEqual(
    told.map(({ message }) => /"(.*)" allows more than it seems to/.exec(message)?.[1]),
    ['git log', 'python3', 'find'],
  )
  assert.match(told[0]!.message, /--output writes any file/)
  assert.match(
    told[0]!.hint!,
    /^A preset knows its arguments \(tools\.shell\.presets\): git-read\. Remove it from tools\.shell\.allowedPrefixes .* or set tools\.shell\.approval to "ask"/,
  )
  const asked = await examined(context, {
    'tool-access.json': JSON.stringify({
      global: { allowedTools: ['shell'] },
      tools: { shell: { ...shell, approval: 'ask' } },
    }),
  })
  assert.deepEqual(brief(asked.findings.filter(({ level }) => level === 'warning')), [])
})

test('presets are named, and a policy of presets alone has nothing to warn of', async (context) => {
  const shell = { enabled: true, presets: ['git-read', 'node-test'] }
  const { findings } = await examined(context, {
    'tool-access.json': JSON.stringify({ global: { allowedTools: ['shell'] }, tools: { shell } }),
  })
  assert.deepEqual(brief(findings.filter(({ check }) => check === 'shell')), [
    ['shell', 'ok', 'allowlist: the presets git-read, node-test (runs code of the project)'],
  ])
})

test('tools are counted by what becomes of a call, servers are named, and the audit is verified', async (context) => {
  const { code, findings } = await examined(
    context,
    {
      'config.json': '{"mcp": {"servers": {"files": {"command": "no-such-program"}}}}',
      'tool-access.json': '{"global": {"allowedTools": ["read_file", "write_file"]}}',
    },
    { prepare: recorded },
  )
  assert.equal(code, 0)
  const [tools, gateway, mcp, audit] = ['tools', 'gateway', 'mcp', 'audit'].map((name) =>
    brief(findings).find(([check]) => check === name)!,
  )
  assert.match(String(tools![2]), /^\d+ allowed, 1 with your approval, \d+ refused$/)
  assert.ok(findings.some(({ message }) => message === 'you are asked about each call of write_file'))
  assert.deepEqual(
    [gateway, mcp, audit],
    [
      ['gateway', 'warning', 'mcp: files was never reached, so its tools are not known yet'],
      ['mcp', 'ok', 'server files'],
      ['audit', 'ok', 'whole: 2 records, no checkpoint yet'],
    ],
  )
})

test('the doctor says which tools ask after the model has read foreign text', async (context) => {
  const { findings } = await examined(context, {
    'tool-access.json': JSON.stringify({
      global: { allowedTools: ['read_file', 'write_file', 'open_url', 'shell'] },
      tools: {
        write_file: { approval: 'never', afterUntrusted: 'ask' },
        shell: { enabled: true, presets: ['files-read'] },
      },
    }),
  })
  const asking = findings.filter(({ message }) => message.startsWith('you are asked'))
  assert.deepEqual(brief(asking), [
    [
      'tools',
      'ok',
      'you are asked after the model has read foreign text: write_file, shell (programs that are not confined to the workspace), open_url (addresses that nobody named)',
    ],
  ])
})

test('doctor shows the warnings of the gateway, and does not repeat those of skills and policy', async (context) => {
  const { findings } = await examined(
    context,
    {
      'context/soul.json': '{',
      'skills/alpha/SKILL.md': '---\n: {\n---\n# Alpha\n',
      'tool-access.json': '{"more": 1}',
      'config.json': '{"context": {"layout": "ayati"}}',
    },
    { prepare: recorded },
  )
  const told = findings.filter(({ check }) => check === 'gateway').map(({ message }) => message)
  assert.deepEqual(
    told.map((message) => message.split(' is ')[0]),
    ['prompt: context/system_prompt.md', 'persona: context/soul.json', 'persona: context/user_profile.json'],
  )
})

test('an audit that somebody has changed is a problem that names the record', async (context) => {
  const { code, findings } = await examined(
    context,
    {},
    {
      async prepare(home) {
        await recorded(home)
        const database = new DatabaseSync(storePath(home))
        database.exec('delete from audit where number = 1')
        database.close()
      },
    },
  )
  assert.equal(code, 1)
  const [check, level, message] = brief(findings).at(-1)!
  assert.deepEqual([check, level], ['audit', 'problem'])
  assert.match(message!, /^broken at record 1: /)
})

test('doctor counts subjects and reports proposals of models', async (context) => {
  const { findings } = await examined(
    context,
    { 'subjects/reef/brief.md': 'A reef.' },
    {
      prepare: async (home) => {
        await recorded(home)
        const store = await openStore({ clock: systemClock, path: storePath(home) })
        const subjects = openSubjects({
          clock: systemClock,
          directory: join(home, 'subjects'),
          tastes: '',
          maxTextChars: 1000,
        })
        const proposals = createProposals({ store, subjects, clock: systemClock })
        await proposals.propose({ type: 'notes', subject: 'reef', content: 'Blue.' }, { tool: 'propose_notes_update' })
        await store.close()
      },
    },
  )
  const said = findings.filter(({ check }) => check === 'subjects')
  assert.deepEqual(brief(said), [['subjects', 'warning', '1 proposal is waiting for you']])
  assert.match(said[0]!.hint!, /foreword subjects proposals/)
})

test('a token that can be guessed on an address that others reach is a problem, and the gateway does not start', async (context) => {
  const { home, environment } = temporaryHome(context)
  const open = { ...environment, FOREWORD_GATEWAY_BIND: '0.0.0.0' }
  const short = { ...open, FOREWORD_GATEWAY_TOKEN: 'open-sesame' }
  const { code, stdout } = await run(['doctor'], { environment: short })
  assert.equal(code, 1)
  assert.match(stdout, /^problem +token +.*with a token of 11 characters: .*`node -p /m)
  const started = await run(['start'], { environment: short })
  assert.equal(started.code, 1)
  assert.match(started.stderr, /will not listen on 0\.0\.0\.0 with a token of 11 characters/)
  assert.doesNotMatch(started.stderr, /open-sesame/)
  // It was not kept either, so that leaving it out is enough.
  assert.equal(await readToken(home), undefined)
  assert.doesNotMatch((await run(['doctor'], { environment: open })).stdout, /^problem +token/m)
  mkdirSync(join(home, 'data'), { recursive: true })
  writeFileSync(join(home, 'data', 'token'), 'kept-from-before\n', { mode: 0o600 })
  assert.match((await run(['start'], { environment: open })).stderr, /with a token of 16 characters.*data\/token/)
})

test('named tokens that cannot be read are found, with what that means', async (context) => {
  const { home, environment } = temporaryHome(context)
  mkdirSync(join(home, 'data'), { recursive: true })
  writeFileSync(join(home, 'data', 'tokens.json'), '[{"name": "phone"}]')
  const { stdout } = await run(['doctor'], { environment })
  assert.match(stdout, /^problem +token +.*tokens\.json cannot be read/m)
  assert.match(stdout, /lets nobody in\. The token of the owner works/)
})

test('a bot needs its token and somebody who may talk to it', async (context) => {
  const config = (keys: string) => ({ 'config.json': `{"channels": {"telegram": {${keys}}}}` })
  const ofBot = async (keys: string, environment = {}) => {
    const { findings } = await examined(context, config(keys), { environment })
    return brief(findings.filter(({ check }) => check === 'telegram')).map(([, level, message]) => [level, message])
  }
  const token = { BOT_TOKEN: '1:hush' }
  const without = 'not available: the environment variable BOT_TOKEN is not set.'
  assert.deepEqual(await ofBot('"tokenEnv": "BOT_TOKEN"'), [['problem', without]])
  assert.deepEqual(await ofBot('"tokenEnv": "BOT_TOKEN"', token), [['warning', 'nobody may talk to the bot yet']])
  const allowed = '"tokenEnv": "BOT_TOKEN", "allowedUsers": [5]'
  assert.deepEqual(await ofBot(allowed, token), [['ok', '1 chat or person may talk to the bot']])
})

const odd = JSON.stringify({
  search: { embedding: { kind: 'openai-compatible', model: 'm' } },
  web: { search: { kind: 'searxng' }, allowHosts: ['box'] },
  subjects: { default: 'nobody' },
  channels: { telegram: {} },
  mcp: {
    servers: { none: {}, both: { command: 'x', url: 'http://x' }, bare: { command: 'x', environment: { A: 'NO' } } },
  },
  skills: { extraDirs: ['nowhere'], contextMode: 'readOnDemand' },
  context: { layout: 'ayati', placements: { instrucitons: 'system' } },
})
/** What each of them is told by. */
const toldBy = [
  'search.embedding.baseURL',
  'web.search.baseURL',
  'web.allowHosts',
  'subjects.default',
  'channels.telegram.tokenEnv',
  'mcp.servers.none',
  'mcp.servers.both',
  'mcp.servers.bare.environment.A',
  'skills.extraDirs',
  'skills.contextMode',
  'context.placements.instrucitons',
  'FOREWORD_GATWAY_PORT',
]

test('the start reports problems of a configuration once, and doctor before the first start', async (context) => {
  const { home, environment: usual } = temporaryHome(context)
  const environment = { ...usual, FOREWORD_GATWAY_PORT: '1' }
  mkdirSync(home)
  writeFileSync(join(home, 'config.json'), odd, { mode: 0o600 })
  const { stdout } = await run(['doctor', '--json'], { environment })
  assert.deepEqual(readdirSync(home), ['config.json'], 'doctor changes nothing')
  const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] }
  const sentences = findings.filter(({ level }) => level !== 'ok').map(({ message }) => message)
  for (const key of toldBy) {
    assert.equal(sentences.filter((text) => text.includes(key)).length, 1, `${key}:\n${sentences.join('\n')}`)
  }
  let warnings: readonly string[] = []
  const { code } = await run(['start', '--json'], {
    environment,
    onInterrupt: (ask) => (setImmediate(ask), () => {}),
  }).then((started) => {
    warnings = (JSON.parse(started.stdout) as { warnings: readonly string[] }).warnings
    return started
  })
  assert.equal(code, 0)
  for (const key of toldBy) assert.equal(warnings.filter((text) => text.includes(key)).length, 1, `${key} at the start`)
})

test('a plugin that keeps a gateway from starting is found by doctor, with and without a store', async (context) => {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home)
  const write = (name: string, text: string) => writeFileSync(join(home, name), text, { mode: 0o600 })
  const found = async () => {
    const { code, stdout } = await run(['doctor', '--json'], { environment })
    const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] }
    return [code, ...findings.filter(({ level }) => level === 'problem').map(({ message }) => message)]
  }
  write('config.json', '{"plugins": ["./missing.mjs"]}')
  const why = `Cannot load the plugin ./missing.mjs (key plugins in config.json): there is no file ${join(home, 'missing.mjs')}`
  assert.deepEqual(await found(), [1, `the gateway cannot start: ${why}`])
  await recorded(home)
  assert.deepEqual(await found(), [1, `the gateway cannot start: ${why}`])
  const plugin = (start: string) => `export default { name: 'w', version: '1', start() { ${start} } }`
  write('throws.mjs', plugin("throw new Error('no weather')"))
  write('config.json', '{"plugins": ["./throws.mjs"]}')
  assert.deepEqual(await found(), [1, 'the tools cannot be listed: The plugin w did not start: no weather'])
  write('good.mjs', plugin(''))
  write('config.json', '{"plugins": ["./good.mjs"]}')
  assert.deepEqual(await found(), [0])
})

test('a server without a list of models answers, and its model is no problem', async (context) => {
  const server = await scriptedServer(
    async (incoming, response) => {
      incoming.resume()
      response.writeHead(404).end('{}')
    },
    (error, response) => response.end(String(error)),
  )
  context.after(() => server.close())
  const { home, environment } = temporaryHome(context)
  const own = { kind: 'openai-compatible', baseURL: `${server.url}/v1` }
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'config.json'), JSON.stringify({ providers: { own } }))
  const { stdout } = await run(['doctor', '--json'], { environment: { ...environment, FOREWORD_MODEL: 'own/some' } })
  const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] }
  assert.deepEqual(brief(findings.filter(({ check }) => check === 'model')), [
    ['model', 'ok', 'own/some; own answers, without a list of models'],
  ])
})

test('the doctor asks the collector of telemetry, where spans are exported', async (context) => {
  const collector = await scriptedServer(
    async (incoming, response) => {
      incoming.resume()
      response.writeHead(incoming.url === '/v1/traces' ? 200 : 404).end('{}')
    },
    (error, response) => response.end(String(error)),
  )
  context.after(() => collector.close())
  const telemetry = (endpoint: string, enabled = true) => ({
    'config.json': JSON.stringify({ telemetry: { enabled, endpoint } }),
  })
  const of = async (files: Readonly<Record<string, string>>) =>
    brief((await examined(context, files)).findings.filter(({ check }) => check === 'telemetry'))
  const where = `${collector.url}/v1/traces`
  assert.deepEqual(await of(telemetry(collector.url)), [['telemetry', 'ok', `spans go to ${where}`]])
  const wrong = `${collector.url}/other/v1/traces`
  assert.deepEqual(await of(telemetry(`${collector.url}/other`)), [
    ['telemetry', 'warning', `the collector at ${wrong} answers 404`],
  ])
  assert.deepEqual(await of(telemetry(collector.url, false)), [])
  await collector.close()
  const [gone] = await of(telemetry(collector.url))
  assert.equal(gone![1], 'warning')
  assert.match(gone![2]!, /does not answer/)
})

test('a damaged row is named with its session and the way out, and replay refuses it', async (context) => {
  const { home, environment } = temporaryHome(context)
  const { sessionId } = JSON.parse((await run(['send', 'Hello', '--json'], { environment })).stdout)
  const database = new DatabaseSync(storePath(home))
  database.exec("update entries set data = replace(data, 'Hello', 'Jello') where type = 'input'")
  database.close()
  const { code, stdout } = await run(['doctor', '--json'], { environment })
  const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] }
  const [found] = findings.filter((finding) => finding.code === 'storage-damaged')
  assert.deepEqual([code, found?.level], [1, 'problem'])
  assert.match(
    found!.message,
    new RegExp(`^entry \\d of session ${sessionId} is damaged: it is not as it was written$`),
  )
  assert.match(found!.hint!, /foreword restore FILE --replace/)
  const replayed = await run(['replay', sessionId, '--json'], { environment })
  assert.deepEqual([replayed.code, JSON.parse(replayed.stdout).error.code], [1, 'storage-damaged'])
})

test('the doctor says how large each part of the data is, and warns of much that was set aside', async (context) => {
  const { home, environment } = temporaryHome(context)
  const place = join(home, 'data/set-aside/run')
  mkdirSync(place, { recursive: true })
  const sizes = async () => {
    const { stdout } = await run(['doctor', '--json'], { environment })
    const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] }
    return brief(findings.filter(({ check }) => check === 'size'))[0]
  }
  writeFileSync(join(place, 'AGENTS.md'), 'x'.repeat(5_000))
  const rules = 'kept: bodies of calls 365 days, set-aside 90 days, the audit until `foreword audit archive`'
  assert.match(JSON.stringify(await sizes()), new RegExp(`^\\["size","ok",".*set-aside 5\\.0 kB.*; ${rules}"`))
  truncateSync(join(place, 'AGENTS.md'), 200_000_000)
  assert.match(JSON.stringify(await sizes()), /^\["size","warning","set-aside 200\.0 MB/)
})

test('doctor says that a home is on a network file system, and warns of a folder of the host', async (context) => {
  const { home } = temporaryHome(context)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const on = async (type: string) => {
    const { level, message } = await checkHome(home, () => [{ folder: '/', type }])
    return [level, /\((.*?)\)/.exec(message)?.[1]]
  }
  assert.deepEqual(await on('ext4'), ['ok', undefined])
  assert.deepEqual(await on('overlay'), ['ok', undefined])
  assert.deepEqual(await on('fuse.sshfs'), ['problem', 'fuse.sshfs'])
  assert.deepEqual(await on('9p'), ['warning', '9p'])
})
