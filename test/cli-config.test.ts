import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { builtIn } from '../src/foreword.ts'
import { configurationSchema } from '../src/runtime.ts'
import { keysInGuide, tableOfSchema } from './cli/configuration-table.ts'
import { cellsOf } from './guide/written-table.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'

test('config shows each value with where it comes from', async (context) => {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home)
  writeFileSync(
    join(home, 'config.json'),
    '{\n  "agent": { "maxSteps": 5 },\n  "models": { "a/b.c": { "window": 9 } }\n}',
  )
  const ask = (...words: readonly string[]) => run(['config', ...words], { environment })
  assert.equal((await ask('get', 'agent.maxSteps')).stdout, '5  (config.json:2:14)\n')
  assert.equal((await ask('get', 'gateway.port')).stdout, '0  (FOREWORD_GATEWAY_PORT)\n')
  assert.equal((await ask('get', 'gateway.bind')).stdout, '127.0.0.1  (default)\n')
  assert.equal((await ask('get', 'models.a/b.c.window')).stdout, '9  (config.json:3:26)\n')
  const all = (await ask('get', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    all.filter(({ origin }) => origin !== 'default').map(({ key, origin }) => [key, origin]),
    [
      ['gateway.port', 'environment'],
      ['model', 'environment'],
      ['agent.maxSteps', 'file'],
      ['models.a/b.c.window', 'file'],
    ],
  )
})

test('config set writes what the key takes and leaves comments alone', async (context) => {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home)
  const file = join(home, 'config.json')
  writeFileSync(file, '{\n  // ours\n  "agent": { "maxSteps": 5 }\n}\n')
  const ask = (...words: readonly string[]) => run(['config', ...words], { environment })
  assert.equal((await ask('set', 'agent.maxSteps', '7')).code, 0)
  assert.equal((await ask('set', 'skills.disabled', '["a"]')).code, 0)
  const shadowed = await ask('set', 'model', 'rehearsal')
  assert.match(shadowed.stderr, /FOREWORD_MODEL is set and overrides the file/)
  const text = readFileSync(file, 'utf8')
  assert.match(text, /\/\/ ours/)
  assert.match(text, /"maxSteps": 7/)
  assert.match(text, /"model": "rehearsal"/)
  assert.equal((await ask('unset', 'agent.maxSteps')).code, 0)
  assert.equal((await ask('get', 'agent.maxSteps')).stdout, '12  (default)\n')
})

test('config set refuses an unknown key, a wrong value and a secret, and writes nothing', async (context) => {
  const { home, environment } = temporaryHome(context)
  const ask = (...words: readonly string[]) => run(['config', ...words], { environment })
  assert.match((await ask('set', 'gateway.prot', '1')).stderr, /Did you mean gateway\.port\?/)
  assert.match((await ask('set', 'gateway.port', 'many')).stderr, /must be a( whole)? number/)
  assert.match((await ask('set', 'gateway.token', 'secret-word')).stderr, /secret/)
  assert.equal((await ask('get', 'gateway.prot')).code, 1)
  assert.throws(() => readFileSync(join(home, 'config.json')))
})

test('config set writes lists, numbers and quoted names without JSON, and says what is odd', async (context) => {
  const { home, environment } = temporaryHome(context)
  const ask = (...words: readonly string[]) => run(['config', ...words], { environment })
  for (const words of [
    ['gateway.port', '4142'],
    ['skills.extraDirs', '/,/tmp'],
    ['channels.telegram.allowedUsers', '1', '2'],
    ['skills.disabled', 'a', 'b, c'],
    ['models."rehearsal".window', '9000'],
    ['models.rehearsal.maxOutput', '500'],
    ['subjects.default', '"2024"'],
    ['gateway.bind', '0.0.0.0'],
  ]) {
    const { code, stderr } = await ask('set', ...words)
    assert.deepEqual(
      [code, /^Set .+ to .+ It takes effect at the next start\./m.test(stderr)],
      [0, true],
      `${words.join(' ')}: ${stderr}`,
    )
  }
  assert.deepEqual(JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')), {
    gateway: { port: 4142, bind: '0.0.0.0' },
    skills: { extraDirs: ['/', '/tmp'], disabled: ['a', 'b, c'] },
    channels: { telegram: { allowedUsers: [1, 2] } },
    models: { rehearsal: { window: 9000, maxOutput: 500 } },
    subjects: { default: '2024' },
  })
  assert.match((await ask('get', 'models."rehearsal".window')).stdout, /^9000 {2}\(config\.json/)
  const odd = await ask('set', 'context.placements.instrucitons', 'preamble')
  assert.deepEqual([odd.code, /is not the name of a layer\. Did you mean instructions\?/.test(odd.stderr)], [0, true])
  assert.equal((await ask('unset', 'models."rehearsal".window')).code, 0)
  assert.deepEqual(await ask('unset', 'search.embedding.model'), {
    code: 0,
    stdout: '',
    stderr: 'search.embedding.model was not set.\n',
  })
})

test('config set names what is missing beside a value, with the command that sets both', async (context) => {
  const { environment } = temporaryHome(context)
  const ask = (...words: readonly string[]) => run(['config', ...words], { environment })
  for (const [key, missing, together] of [
    ['input', 'output', '{"input":3,"output":…}'],
    ['output', 'input', '{"output":3,"input":…}'],
  ] as const) {
    const { code, stderr } = await ask('set', `models.openai/x.price.${key}`, '3')
    assert.equal(code, 1)
    assert.ok(stderr.includes(`price.${missing} is missing`), stderr)
    assert.ok(stderr.includes(`Set them at once: \`foreword config set models.openai/x.price '${together}'\`.`), stderr)
  }
})

test('config set refuses what could not start, and writes nothing', async (context) => {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home)
  writeFileSync(join(home, 'broken.mjs'), 'export default 5')
  const { FOREWORD_MODEL: _, ...rest } = environment
  const ask = (...words: readonly string[]) =>
    run(['config', 'set', ...words], { environment: { ...rest, FOREWORD_GATEWAY_TOKEN: 'too-short' } })
  for (const [words, why] of [
    [['model', '5'], /model must be a text[^]*write it in quotes: `foreword config set model '"5"'`/],
    [['model', '"5"'], /model is not the id of a model\.[^]*PROVIDER\/MODEL/],
    [['model', 'lab/m1'], /model names the provider "lab", which does not exist\.[^]*ollama, openai/],
    [['model', 'rehersal'], /Did you mean rehearsal\?/],
    [['model', 'ollama'], /Write ollama\/MODEL/],
    [['subjects.summaryModel', 'ollma/x'], /Did you mean ollama\?/],
    [['gateway.bind', '0.0.0.0'], /24 characters/],
    [['gateway.bind', 'http://127.0.0.1'], /without a scheme/],
    [['gateway.port', '4142', '4143'], /gateway\.port must be a number/],
    [['plugins', './missing.js'], /there is no file .*missing\.js/],
    [['plugins', './broken.mjs'], /it is not an object with a name and a version/],
    [['providers.lab.kind', 'openai-compatibel'], /must be one of/],
    [['models."lab/m1.window', '5'], /a quote that is not closed/],
    [['models."lab/m1".windw', '5'], /is not a key\. Did you mean models\.lab\/m1\.window\?/],
  ] as const) {
    const { code, stderr } = await ask(...words)
    assert.deepEqual([code, why.test(stderr)], [1, true], `${words.join(' ')}: ${stderr}`)
  }
  assert.throws(() => readFileSync(join(home, 'config.json')))
})

test('config set says in one sentence that the home cannot be written', async (context) => {
  const { home, environment } = temporaryHome(context)
  mkdirSync(join(home, 'data'), { recursive: true })
  symlinkSync(join(home, 'no folder', 'lock'), join(home, 'data', '.lock'))
  const refused = await run(['config', 'set', 'gateway.port', '4200'], { environment })
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /config\.json was left as it is: [^\n]*[^.\n]\.\n/)
})

test('a token that was configured is not shown', async (context) => {
  const { environment } = temporaryHome(context)
  for (const words of [['get'], ['get', 'gateway.token'], ['get', 'gateway'], ['get', '--json']]) {
    const { code, stdout } = await run(['config', ...words], {
      environment: { ...environment, FOREWORD_GATEWAY_TOKEN: 'hush-hush' },
    })
    assert.equal(code, 0)
    assert.ok(stdout.includes('(set)') && !stdout.includes('hush-hush'), words.join(' '))
  }
})

test('an address of checkpoints is shown without its password and its query', async (context) => {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home)
  const checkpoints = ['https://me:hush-hush@example.com/audit?token=hush-hush', 'syslog']
  writeFileSync(join(home, 'config.json'), JSON.stringify({ audit: { checkpoints } }))
  for (const words of [['get'], ['get', 'audit'], ['get', 'audit.checkpoints'], ['get', '--json']]) {
    const { code, stdout } = await run(['config', ...words], { environment })
    assert.equal(code, 0)
    assert.ok(stdout.includes('https://example.com/audit?…') && !stdout.includes('hush-hush'), words.join(' '))
  }
})

test('a header of a provider is shown by its name alone: it may carry a key', async (context) => {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home)
  const headers = { 'X-Key': 'hush-hush' }
  const lab = { kind: 'openai-compatible', baseURL: 'http://127.0.0.1:9/v1', headers }
  writeFileSync(join(home, 'config.json'), JSON.stringify({ providers: { lab } }))
  for (const words of [['get'], ['get', 'providers'], ['get', 'providers.lab.headers'], ['get', '--json']]) {
    const { code, stdout } = await run(['config', ...words], { environment })
    assert.equal(code, 0)
    assert.ok(stdout.includes('(set)') && !stdout.includes('hush-hush'), words.join(' '))
  }
})

test('config tells its mistakes, schema and path', async (context) => {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home)
  writeFileSync(join(home, 'config.json'), '{"nonsense": 1}')
  const shown = await run(['config'], { environment })
  assert.equal(shown.code, 1)
  assert.match(shown.stderr, /nonsense is not a key/)
  assert.deepEqual(
    JSON.parse((await run(['config', 'schema'], { environment })).stdout),
    JSON.parse(JSON.stringify(configurationSchema(builtIn).json)),
  )
  assert.equal((await run(['config', 'path'], { environment })).stdout, `${join(home, 'config.json')}\n`)
})

test('the guide lists every key of the configuration as the schema has it', () => {
  assert.deepEqual(
    cellsOf(keysInGuide.inGuide()),
    cellsOf(tableOfSchema()),
    'run `node --conditions=foreword-source test/cli/configuration-table.ts`',
  )
})

test('a command that doctor gives can be pasted, whatever the path of the home has', async (context) => {
  const { home, environment } = temporaryHome(context)
  const odd = join(home, "Ann's home")
  mkdirSync(odd, { recursive: true, mode: 0o755 })
  writeFileSync(join(odd, 'config.json'), '{}', { mode: 0o644 })
  const { stdout } = await run(['doctor'], { environment: { ...environment, FOREWORD_HOME: odd } })
  const path = join(odd, 'config.json').replace("'", String.raw`'\''`)
  assert.ok(stdout.includes(`Run \`chmod go= '${path}'\`.`), stdout)
})

test('doctor is content with a fresh home and names what is wrong with its hint', async (context) => {
  const { home, environment } = temporaryHome(context)
  const fresh = await run(['doctor', '--json'], { environment })
  assert.equal(fresh.code, 0, fresh.stdout)
  const { findings } = JSON.parse(fresh.stdout) as { findings: { check: string; level: string; hint?: string }[] }
  const machine = ['node', 'home', 'permissions', 'configuration', 'store', 'disk', 'size', 'clock', 'port']
  assert.deepEqual(
    findings.map(({ check }) => check),
    [...machine, 'model', 'policy', 'sandbox', 'skills', 'shell', 'through', 'tools', 'lint', 'audit'],
  )
  mkdirSync(join(home, 'data'), { recursive: true })
  chmodSync(join(home, 'data'), 0o755)
  writeFileSync(join(home, 'data', 'foreword.sqlite'), 'this is no database, however long it may be')
  writeFileSync(join(home, 'config.json'), '{"model": "nobody/knows"}', { mode: 0o600 })
  const { FOREWORD_MODEL: _, ...rest } = environment
  const broken = await run(['doctor'], { environment: rest })
  assert.equal(broken.code, 1)
  assert.match(broken.stdout, /^warning +permissions .*\n +Run `chmod go= /m)
  assert.match(broken.stdout, /^problem +store /m)
  assert.match(broken.stdout, /^problem +model +nobody\/knows cannot be used/m)
})

test('a key that is set or removed is in the audit, and its value is not', async (context) => {
  const { environment } = temporaryHome(context)
  const works = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await run(words, { environment })
    assert.equal(code, 0, stderr)
    return stdout
  }
  await works('send', 'Hello')
  await works('config', 'set', 'agent.maxSteps', '765')
  await works('config', 'unset', 'agent.maxSteps')
  const printed = (await works('audit', 'list', '--json')).trimEnd().split('\n')
  const records = printed.map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.deepEqual(
    records.filter(({ rule }) => rule === 'config.json').map(({ by, reason }) => [by, reason]),
    [
      ['cli', 'agent.maxSteps set with foreword config'],
      ['cli', 'agent.maxSteps removed with foreword config'],
    ],
  )
  assert.ok(!records.some(({ reason }) => String(reason).includes('765')))
})
