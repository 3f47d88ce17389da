import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { after, test } from 'node:test'
import type { AnyCapability, Io } from '../src/capability.ts'
import { allCommands, loadedCommands } from '../src/cli/commands.ts'
import { openLocalGateway } from '../src/cli/gateway.ts'
import { main } from '../src/cli/main.ts'
import { builtIn } from '../src/foreword.ts'
import { scriptedProvider } from '../src/testing.ts'

/*
 * Each capability can be left out of the list. Then what it brings is gone, what the others bring is there, and the
 * gateway works.
 */

const server = await scriptedProvider({ answer: () => ({ text: 'Hello from elsewhere.' }) })
after(() => server.close())

/** A model that is there without the one of the rehearsal, and without any that a list may lack. */
const elsewhere = { providers: { elsewhere: { kind: 'openai-compatible', baseURL: `${server.url}/v1` } } }

const whole = await broughtBy(builtIn)

test('the whole list works', () => {
  assert.equal(whole.answer, 'Hello.')
  for (const { name, commands = {}, settings } of builtIn) {
    for (const command of Object.keys(commands)) assert.ok(whole.commands.includes(command), `${name}: ${command}`)
    if (settings) assert.ok(whole.keys.includes(settings.key ?? name), `${name}: ${settings.key}`)
  }
})

for (const left of builtIn) {
  const { name, commands = {}, settings, sessions } = left
  const settingsKey = settings?.key ?? name
  test(`without ${name} its commands, keys, routes and checks are gone, and everything else works`, async () => {
    const rest = await broughtBy(builtIn.filter((one) => one !== left))
    assert.equal(rest.answer, name === 'rehearsal' ? 'Hello from elsewhere.' : 'Hello.')

    assert.deepEqual(gone(whole.commands, rest.commands), Object.keys(commands).toSorted())
    const keys = gone(whole.keys, rest.keys)
    assert.ok(settings === undefined || keys.includes(settingsKey), `the section ${settingsKey} is still there`)
    assert.deepEqual(
      keys.filter((key) => key !== settingsKey && !key.startsWith(`${settingsKey}.`)),
      [],
    )

    const routes = gone(whole.routes, rest.routes)
    assert.equal(routes.length > 0, left.http?.routes !== undefined, `routes that are gone: ${routes.join(', ')}`)
    const checks = gone(whole.checks, rest.checks)
    assert.ok(left.checks !== undefined || checks.length === 0, `checks that are gone: ${checks.join(', ')}`)
    assert.deepEqual(gone(whole.choices, rest.choices), Object.keys(sessions?.choices ?? {}).toSorted())

    // Nothing is there that is not there with it.
    for (const each of ['commands', 'keys', 'routes', 'choices'] as const) {
      assert.deepEqual(gone(rest[each], whole[each]), [], each)
    }
  })
}

interface Brought {
  readonly commands: readonly string[]
  /** Keys of the configuration, dotted. */
  readonly keys: readonly string[]
  /** `GET /api/sessions` */
  readonly routes: readonly string[]
  /** What a session can choose over HTTP. */
  readonly choices: readonly string[]
  /** What the doctor looks at. */
  readonly checks: readonly string[]
  readonly answer: string
}

/** What there is in a home where these capabilities are all there are. */
async function broughtBy(capabilities: readonly AnyCapability[]): Promise<Brought> {
  const home = mkdtempSync(join(tmpdir(), 'foreword-left-out-'))
  const known = capabilities.flatMap(({ models }) => models?.providers?.map(({ kind }) => kind) ?? [])
  const model = known.includes('rehearsal') ? 'rehearsal' : 'elsewhere/any'
  const providers = known.includes('openai-compatible') ? elsewhere : {}
  writeFileSync(join(home, 'config.json'), JSON.stringify({ ...providers, model }))
  try {
    const overview = await run(['--help'], home, capabilities)
    const commands = Object.keys(allCommands({ capabilities })).toSorted()
    for (const { name, movedTo } of await loadedCommands({ capabilities })) {
      assert.equal(new RegExp(`^ +${name} `, 'm').test(overview.text), movedTo === undefined, name)
    }
    const schema = await run(['config', 'schema'], home, capabilities)
    const { document } = await openApiOf(home, capabilities)
    const said = await run(['send', '--json', '/say Hello.'], home, capabilities)
    assert.equal(said.code, 0, said.text + said.errors)
    const doctor = await run(['doctor', '--json'], home, capabilities)
    const { findings } = JSON.parse(doctor.text) as { findings: readonly { check: string; level: string }[] }
    assert.deepEqual(
      findings.filter(({ level }) => level === 'problem'),
      [],
    )
    return {
      commands,
      keys: keysOf(JSON.parse(schema.text) as Schema),
      routes: Object.entries(document.paths).flatMap(([path, item]) =>
        Object.keys(item).map((one) => `${one} ${path}`),
      ),
      choices: choicesOf(document),
      checks: [...new Set(findings.map(({ check }) => check))],
      answer: (JSON.parse(said.text) as { text: string }).text.trim(),
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
}

function keysOf({ properties = {} }: Schema, before = ''): readonly string[] {
  return Object.entries(properties).flatMap(([name, inner]) => [
    `${before}${name}`,
    ...keysOf(inner, `${before}${name}.`),
  ])
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

async function openApiOf(
  home: string,
  capabilities: readonly AnyCapability[],
): Promise<{ readonly document: OpenApi }> {
  const { io } = recordedIo(home, capabilities)
  const gateway = await openLocalGateway(home, io)
  assert.ok(gateway)
  try {
    const answer = await gateway.fetch('/api/openapi.json')
    assert.equal(answer.status, 200)
    return { document: (await answer.json()) as OpenApi }
  } finally {
    await gateway.close()
  }
}

/** Keys of the body that changes a session. */
function choicesOf({ paths }: OpenApi): readonly string[] {
  const change = paths['/api/sessions/{session}']?.['patch'] as {
    readonly requestBody: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  }
  return Object.keys(change.requestBody.content['application/json']!.schema.properties ?? {})
}

function recordedIo(home: string, capabilities: readonly AnyCapability[]) {
  const outputs = { stdout: '', stderr: '' }
  const output = (name: 'stdout' | 'stderr') =>
    new PassThrough().on('data', (chunk: Buffer) => {
      outputs[name] += chunk.toString('utf8')
    })
  const io: Io = {
    stdin: Readable.from(['']),
    stdout: output('stdout'),
    stderr: output('stderr'),
    environment: { PATH: process.env['PATH'], HOME: home, FOREWORD_HOME: home, FOREWORD_GATEWAY_PORT: '0' },
    capabilities,
    onInterrupt: () => () => {},
  }
  return { io, outputs }
}

async function run(argv: readonly string[], home: string, capabilities: readonly AnyCapability[]) {
  const { io, outputs } = recordedIo(home, capabilities)
  const code = await main(argv, io)
  return { code, text: outputs.stdout, errors: outputs.stderr }
}

function gone(before: readonly string[], now: readonly string[]): readonly string[] {
  return before.filter((one) => !now.includes(one)).toSorted()
}
