import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import * as fc from 'fast-check'
import { builtIn } from '../../src/foreword/built-in.ts'
import { systemClock } from '../../src/platform.ts'
import { shareHome } from '../../src/runtime/team/share-home.ts'
import { SHARED_SETTINGS, sharedRowOf } from '../../src/runtime/team/share-settings.ts'
import { openStore } from '../../src/session.ts'
import { forAllStored } from '../arbitrary/for-all.ts'

/** Homes of gateways on machines of their own, over one store. */
async function machines(t: TestContext, ...configurations: readonly (object | string)[]) {
  const store = await openStore({ path: ':memory:', clock: systemClock })
  const warnings: string[] = []
  const all = configurations.map((configuration) => {
    const home = mkdtempSync(join(tmpdir(), 'foreword-shared-'))
    const file = join(home, 'config.json')
    const write = (value: object | string) =>
      writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value, undefined, 2))
    if (configuration !== '') write(configuration)
    const environment: Record<string, string> = {}
    return {
      home,
      environment,
      write,
      text: () => readFileSync(file, 'utf8'),
      read: () => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>,
      /** `dies`: the process ends once something was stored. */
      share: ({ dies = false, looks = false } = {}) =>
        shareHome(
          {
            home,
            environment,
            capabilities: builtIn,
            clock: systemClock,
            warn: (text) => warnings.push(text.replace(home, 'HOME')),
          },
          {
            value: (key) => store.value(key),
            async transaction(writes) {
              const stored = await store.transaction(writes)
              if (dies) throw new Error('killed')
              return stored
            },
          },
          { looks },
        ),
      aside() {
        const folder = join(home, 'data', 'set-aside')
        const [newest] = existsSync(folder) ? readdirSync(folder).toSorted().toReversed() : []
        return newest === undefined
          ? undefined
          : (JSON.parse(readFileSync(join(folder, newest, 'config.json'), 'utf8')) as Record<string, unknown>)
      },
    }
  })
  t.after(async () => {
    for (const { home } of all) rmSync(home, { recursive: true })
    await store.close()
  })
  return { all, store, warnings, row: async () => sharedRowOf(await store.value(SHARED_SETTINGS)) }
}

test('a setting that one machine has changed is in the file of the others, whose comments and own settings stay', async (t) => {
  const { all, row } = await machines(
    t,
    { model: 'ollama/a', gateway: { port: 1 }, people: { maxFiles: 3 } },
    '{\n  // of this machine\n  "gateway": { "port": 2 }, // its port\n}\n',
  )
  const [one, other] = all as [(typeof all)[0], (typeof all)[0]]
  await one.share()
  await other.share()
  assert.match(other.text(), /\/\/ of this machine\n.*"port": 2.*\/\/ its port/)
  assert.match(other.text(), /"model": "ollama\/a"/)
  other.write({ gateway: { port: 2 }, model: 'ollama/a', people: { limits: [{ for: 'ann', maxFiles: 9 }] } })
  await other.share()
  await one.share()
  assert.deepEqual(one.read(), {
    model: 'ollama/a',
    gateway: { port: 1 },
    people: { limits: [{ for: 'ann', maxFiles: 9 }] },
  })
  const { version } = await row()
  assert.equal(version, 2)
  for (const each of all) assert.equal((await each.share()).isChanged, false)
  assert.equal((await row()).version, version, 'where nothing has changed, nothing is written')
})

test('two that change settings at once keep both; where it is the same one, the other machine has its own set aside', async (t) => {
  const { all, warnings } = await machines(t, { model: 'ollama/a', agent: { maxSteps: 2 } }, '')
  const [one, other] = all as [(typeof all)[0], (typeof all)[0]]
  await one.share()
  await other.share()
  one.write({ model: 'ollama/b', agent: { maxSteps: 2 }, people: { maxFiles: 1 } })
  other.write({ model: 'ollama/c', agent: { maxSteps: 7 } })
  await Promise.all([one.share(), other.share()])
  for (const each of all) await each.share()
  assert.deepEqual({ ...one.read() }, { ...other.read() })
  const { model, ...rest } = one.read()
  assert.deepEqual(rest, { agent: { maxSteps: 7 }, people: { maxFiles: 1 } })
  const lost = model === 'ollama/b' ? other : one
  assert.equal(lost.aside()!['model'], model === 'ollama/b' ? 'ollama/c' : 'ollama/b')
  assert.equal(warnings.length, 1)
  assert.match(warnings[0]!, /too, and what that one has counts \(model\)\. Yours is at HOME\/data\/set-aside/)
})

test('a file that is empty, broken or being written takes nothing back', async (t) => {
  const { all, row } = await machines(t, { model: 'ollama/a', people: { maxFiles: 3 } }, '')
  const [one, other] = all as [(typeof all)[0], (typeof all)[0]]
  await one.share()
  await other.share()
  const before = await row()
  other.write('{"model": ')
  assert.match((await other.share()).refused.join(), /config\.json has mistakes, and nothing of it is shared/)
  other.write('')
  await other.share()
  assert.deepEqual(other.read(), { model: 'ollama/a', people: { maxFiles: 3 } })
  assert.deepEqual(await row(), before)
})

test('another database, or a copy of it from before, takes nothing back', async (t) => {
  const { all, store, row } = await machines(t, { model: 'ollama/a', people: { maxFiles: 3 } })
  const [one] = all as [(typeof all)[0]]
  put(one.home, 'skills/reef/SKILL.md', 'Low at noon.')
  await one.share()
  const before = await row()
  const list = await store.value('gateway/files')
  one.write({ ...one.read(), agent: { maxSteps: 4 } })
  put(one.home, 'skills/tide/SKILL.md', 'Another.')
  await one.share()
  const after = one.read()
  for (const [settings, files] of [
    [before, list],
    [null, null],
  ]) {
    await store.transaction([
      { type: 'value', key: SHARED_SETTINGS, value: settings },
      { type: 'value', key: 'gateway/files', value: files },
    ])
    await one.share()
    assert.deepEqual(one.read(), after)
    assert.equal(text(one.home, 'skills/tide/SKILL.md'), 'Another.')
    assert.equal((await row()).settings['["agent","maxSteps"]'], 4)
    assert.ok(Object.hasOwn((await store.value('gateway/files')) as object, 'skills/tide/SKILL.md'))
  }
})

test('a provider goes to a machine that has a key for it, and a machine without goes on as it was and says why', async (t) => {
  const { all, row } = await machines(
    t,
    {
      model: 'ollama/a',
      providers: { lab: { kind: 'openai', baseURL: 'https://lab.example/v1', apiKeyFile: 'data/keys/lab' } },
    },
    { model: 'ollama/a' },
    { model: 'ollama/a' },
  )
  const [one, without, has] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0]]
  has.environment['OPENAI_API_KEY'] = 'sk-of-this-machine-alone'
  one.write({ ...one.read(), model: 'lab/m1', people: { maxFiles: 3 } })
  await one.share()
  for (const each of [without, has]) await each.share()
  assert.deepEqual(has.read()['providers'], { lab: { kind: 'openai', baseURL: 'https://lab.example/v1' } })
  assert.equal(has.read()['model'], 'lab/m1')
  assert.deepEqual(without.read(), { model: 'ollama/a', people: { maxFiles: 3 } })
  const { refused } = await without.share({ looks: true })
  assert.match(refused[0]!, /providers\.lab of the other gateways is not used here: this machine has no apiKey for it/)
  assert.match(refused[1]!, /^model of the other gateways is not used here: it names no provider|model/)
  assert.doesNotMatch(JSON.stringify(await row()), /data\/keys|of-this-machine/)
  // It is tried again, once the machine has it.
  without.write({ ...without.read(), providers: { lab: { kind: 'openai', apiKeyEnv: 'LAB_KEY' } } })
  assert.deepEqual((await without.share()).refused, [])
  assert.deepEqual(without.read()['providers'], {
    lab: { kind: 'openai', apiKeyEnv: 'LAB_KEY', baseURL: 'https://lab.example/v1' },
  })
  assert.equal(without.read()['model'], 'lab/m1')
  // With the provider goes what was only of this machine.
  one.write({ model: 'ollama/a' })
  await one.share()
  await without.share()
  assert.deepEqual(without.read(), { model: 'ollama/a' })
})

test('what the database says of a machine, a module or a program is not taken from there', async (t) => {
  const { all, store, row } = await machines(t, { model: 'ollama/a' })
  const [one] = all as [(typeof all)[0]]
  await one.share()
  const wrong = {
    '["gateway","bind"]': '0.0.0.0',
    '["plugins"]': ['./evil.mjs'],
    '["agent","workspace"]': '/',
    '["mcp","servers","evil","command"]': 'sh',
    '["providers","ollama","apiKeyFile"]': '/etc/shadow',
    '["nothing","known"]': 1,
    '["agent","maxSteps"]': 'many',
  }
  const { settings, ...rest } = await row()
  const value = { ...rest, version: 9, settings: { ...settings, ...wrong, '["agent","retryForMs"]': 7 } }
  await store.transaction([{ type: 'value', key: SHARED_SETTINGS, value }])
  const { refused } = await one.share()
  assert.deepEqual(one.read(), { model: 'ollama/a', agent: { retryForMs: 7 } })
  assert.ok(refused.length >= 7, refused.join('\n'))
})

test('no secret of a configuration is in the row, wherever it stands', async (t) => {
  const { all, row } = await machines(t, {
    gateway: { token: 'planted-secret-0123456789abcdef' },
    providers: {
      a: { kind: 'openai', baseURL: 'https://u:planted-secret-1@lab.example/v1', apiKeyEnv: 'PLANTED' },
      b: { kind: 'openai', baseURL: 'https://lab.example/v1?key=planted-secret-2' },
      c: { kind: 'openai', headers: { 'x-any': 'planted-secret-3' } },
    },
    people: { limits: [{ for: 'group:planted-secret-4' }] },
    telemetry: { service: 'planted-secret-4' },
  })
  const [one] = all as [(typeof all)[0]]
  one.environment['PLANTED'] = 'planted-secret-4'
  await one.share()
  assert.doesNotMatch(JSON.stringify(await row()), /planted-secret/)
})

test('whoever changes settings on whichever machine, and however a machine stops: no change is lost, and in the end all have the same', async (t) => {
  const keys = ['model', 'people.maxFiles', 'agent.maxSteps'] as const
  const step = fc.record({
    at: fc.nat(2),
    changes: fc.dictionary(fc.constantFrom(...keys), fc.option(fc.integer({ min: 1, max: 9 }))),
    /** The process ends when something was stored. */
    dies: fc.boolean(),
  })
  await forAllStored(
    fc.array(step, { minLength: 2, maxLength: 8 }),
    async (steps) => {
      const { all } = await machines(t, ...[1, 2, 3].map((port) => ({ gateway: { port }, keep: { bodyDays: 9 } })))
      const written = new Map<string, number | undefined>()
      for (const { at, changes, dies } of steps) {
        const machine = all[at]!
        await machine.share()
        const value = machine.read() as Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- a file
        for (const [key, count] of Object.entries(changes)) {
          written.set(key, count ?? undefined)
          const next = count === null ? undefined : count
          if (key === 'model') value['model'] = next === undefined ? undefined : `ollama/${next}`
          else {
            const [section, name] = key.split('.') as [string, string]
            value[section] = { ...value[section], [name]: next }
          }
        }
        machine.write(value)
        await machine.share({ dies }).catch((error: unknown) => assert.match(String(error), /killed/))
      }
      for (const machine of [...all, ...all]) await machine.share()
      for (const [index, machine] of all.entries()) {
        const { gateway, model, people, agent } = machine.read() as Record<string, Record<string, unknown> & string>
        assert.deepEqual(gateway, { port: index + 1 })
        const found = { model, 'people.maxFiles': people?.['maxFiles'], 'agent.maxSteps': agent?.['maxSteps'] }
        for (const key of keys) {
          const last = written.get(key)
          const expected = last === undefined ? undefined : key === 'model' ? `ollama/${last}` : last
          assert.equal(found[key], expected, `${key} on machine ${index + 1}`)
        }
      }
    },
    40,
  )
})

function put(home: string, path: string, content: string, mode = 0o600): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), content)
  chmodSync(join(home, path), mode)
}

const text = (home: string, path: string) =>
  existsSync(join(home, path)) ? readFileSync(join(home, path), 'utf8') : undefined

test('skills go to the other machines with their programs, and what was removed on one is removed on all', async (t) => {
  const { all, warnings } = await machines(t, { model: 'ollama/a' }, '')
  const [one, other] = all as [(typeof all)[0], (typeof all)[0]]
  put(one.home, 'skills/reef/SKILL.md', 'Low at noon.')
  put(one.home, 'skills/reef/scripts/tide', '#!/bin/sh\n', 0o755)
  put(one.home, 'skills/reef/.git/config', 'hidden')
  put(one.home, 'skills/reef/large.bin', 'x'.repeat(2 * 1024 * 1024 + 1))
  put(one.home, 'elsewhere', 'outside')
  symlinkSync(join(one.home, 'elsewhere'), join(one.home, 'skills/reef/link.md'))
  await one.share()
  assert.equal((await other.share()).isChanged, true)
  assert.equal(text(other.home, 'skills/reef/SKILL.md'), 'Low at noon.')
  assert.equal(statSync(join(other.home, 'skills/reef/scripts/tide')).mode & 0o777, 0o700)
  assert.deepEqual(readdirSync(join(other.home, 'skills/reef')).toSorted(), ['SKILL.md', 'scripts'])
  chmodSync(join(other.home, 'skills/reef/scripts/tide'), 0o600)
  put(other.home, 'skills/tide/SKILL.md', 'Another.')
  await other.share()
  await one.share()
  assert.equal(statSync(join(one.home, 'skills/reef/scripts/tide')).mode & 0o777, 0o600)
  rmSync(join(one.home, 'skills/reef/SKILL.md'))
  await one.share()
  await other.share()
  assert.equal(text(other.home, 'skills/reef/SKILL.md'), undefined)
  assert.equal(text(one.home, 'skills/reef/link.md'), 'outside')
  // A folder that is gone is that of a new machine.
  rmSync(join(other.home, 'skills'), { recursive: true })
  await other.share()
  assert.equal(text(other.home, 'skills/tide/SKILL.md'), 'Another.')
  // Changed in both places: that from elsewhere counts, the other one is set aside.
  put(one.home, 'skills/tide/SKILL.md', 'Of one.')
  put(other.home, 'skills/tide/SKILL.md', 'Of the other.')
  await one.share()
  await other.share()
  assert.equal(text(other.home, 'skills/tide/SKILL.md'), 'Of one.')
  const kept = readdirSync(join(other.home, 'data/set-aside'))
    .toSorted()
    .map((folder) => join('data/set-aside', folder, 'skills'))
  assert.deepEqual(
    kept.map((folder) => text(other.home, `${folder}/reef/SKILL.md`) ?? text(other.home, `${folder}/tide/SKILL.md`)),
    ['Low at noon.', 'Of the other.'],
  )
  assert.match(warnings.at(-1)!, /skills\/tide\/SKILL\.md was changed at another gateway, too/)
})

test('a file with a secret of its machine is not stored, and no path leads out of the folder of skills', async (t) => {
  const { all, store } = await machines(t, { model: 'ollama/a' })
  const [one] = all as [(typeof all)[0]]
  one.environment['LAB_TOKEN'] = 'planted-secret-of-a-skill'
  put(one.home, 'skills/reef/SKILL.md', 'Low at noon.')
  put(one.home, 'skills/reef/key.txt', 'the key is planted-secret-of-a-skill')
  const { refused } = await one.share()
  assert.deepEqual(refused, ['skills/reef/key.txt is not shared with other gateways: LAB_TOKEN is in it.'])
  const list = (await store.value('gateway/files')) as Record<string, { readonly hash: string }>
  assert.deepEqual(Object.keys(list), ['skills/reef/SKILL.md'])
  const { hash } = list['skills/reef/SKILL.md']!
  const row = sharedRowOf(await store.value(SHARED_SETTINGS))
  const paths = [
    '../evil',
    'skills/../evil',
    'evil',
    'skills/.evil/x',
    '/evil',
    'skills',
    'data/token',
    'skills/good.md',
  ]
  const value = Object.fromEntries(paths.map((path) => [path, { hash, isProgram: true }]))
  await store.transaction([
    { type: 'value', key: 'gateway/files', value: { ...list, ...value } },
    { type: 'value', key: SHARED_SETTINGS, value: { ...row, version: row.version + 1 } },
  ])
  await one.share()
  assert.equal(text(one.home, 'skills/good.md'), 'Low at noon.')
  const found = readdirSync(one.home, { recursive: true }).map(String)
  assert.deepEqual(
    found.filter((path) => path.includes('evil')),
    [],
  )
  assert.equal(existsSync(join(one.home, '../evil')), false)
  assert.equal(text(one.home, 'data/token'), undefined)
})

test('whoever changes files of skills on whichever machine, and however a machine stops: all have what was written last', async (t) => {
  const paths = ['skills/a/SKILL.md', 'skills/b/SKILL.md'] as const
  const step = fc.record({
    at: fc.nat(2),
    changes: fc.dictionary(fc.constantFrom(...paths), fc.constantFrom('removed', 'written', 'program')),
    dies: fc.boolean(),
  })
  await forAllStored(
    fc.array(step, { minLength: 2, maxLength: 8 }),
    async (steps) => {
      const { all } = await machines(t, { model: 'ollama/a' }, { model: 'ollama/a' }, { model: 'ollama/a' })
      for (const { home } of all) put(home, 'skills/kept/SKILL.md', 'Kept.')
      const written = new Map<string, { readonly content: string; readonly mode: number } | undefined>()
      let count = 0
      for (const { at, changes, dies } of steps) {
        const machine = all[at]!
        await machine.share()
        for (const [path, how] of Object.entries(changes)) {
          const next = { content: `text ${(count += 1)}`, mode: how === 'program' ? 0o700 : 0o600 }
          written.set(path, how === 'removed' ? undefined : next)
          if (how === 'removed') rmSync(join(machine.home, path), { force: true })
          else put(machine.home, path, next.content, next.mode)
        }
        await machine.share({ dies }).catch((error: unknown) => assert.match(String(error), /killed/))
        // Where it died before the list was stored, the next start makes up for it.
        await machine.share()
      }
      for (const machine of [...all, ...all]) await machine.share()
      for (const { home } of all) {
        for (const path of paths) {
          const last = written.get(path)
          assert.equal(text(home, path), last?.content, path)
          if (last) assert.equal(statSync(join(home, path)).mode & 0o777, last.mode)
        }
      }
    },
    40,
  )
})
