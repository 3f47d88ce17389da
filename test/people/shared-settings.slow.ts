import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresForTests } from '../session/postgres-for-tests.ts'
import { addPeople, askAny, type Gateway, openWorld, TOKEN } from './gateways.ts'

const { options, server: database } = postgresForTests({ connections: 200 })

interface Row {
  readonly address: string
  readonly settings?: { readonly version: number; readonly refused: readonly string[] }
}

/** Resolves when every gateway says that it uses the same settings, and at least this version of them. */
async function settled(gateways: readonly Gateway[], version: number): Promise<readonly Row[]> {
  for (;;) {
    const { gateways: rows } = await askAny<{ readonly gateways: readonly Row[] }>(
      () => gateways,
      TOKEN,
      '/api/gateways',
    )
    const own = rows.filter(({ address }) => gateways.some(({ url }) => url === address))
    const versions = new Set(own.map(({ settings }) => settings?.version ?? -1))
    if (own.length === gateways.length && versions.size === 1 && [...versions][0]! >= version) return own
    await sleep(50)
  }
}

function edit({ home }: Pick<Gateway, 'home'>, change: (configuration: Record<string, unknown>) => object): void {
  const file = join(home, 'config.json')
  const next = change(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>)
  // As an editor does.
  writeFileSync(`${file}.next`, JSON.stringify(next))
  renameSync(`${file}.next`, file)
}

/** What `foreword reload` on the machine of a gateway says. */
async function reload(gateway: Gateway): Promise<readonly string[]> {
  const { warnings } = JSON.parse(await gateway.foreword('reload', '--json')) as {
    readonly warnings: readonly string[]
  }
  return warnings
}

/** Every row of every table of a database, as text. */
async function dump(store: string): Promise<string> {
  const name = /\/(store_\d+)/.exec(store)![1]!
  const tables = await database().execute(
    `select query_to_xml(format('select * from %I.%I', table_schema, table_name), true, false, '')::text as rows
     from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema')`,
    name,
  )
  return tables.map(({ rows }) => String(rows)).join('\n')
}

const read = ({ home }: Pick<Gateway, 'home'>) =>
  JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')) as Record<string, unknown>

test(
  'a change at one gateway is what the others go on with, and one that was down has it at its start',
  options,
  async (t) => {
    const { start } = await openWorld(t, await database().database())
    const gateways = [await start(), await start(), await start()]
    const people = await addPeople(gateways[0]!, ['ann', 'bob', 'carol', 'dave', 'erin', 'finn'])
    const [{ settings }] = (await settled(gateways, 1)) as [Row]
    // At one that stands by for the home of the owner.
    edit(gateways[1]!, (configuration) => ({ ...configuration, people: { maxOpenTurns: 7, budgets: [BUDGET] } }))
    assert.deepEqual(await reload(gateways[1]!), [])
    await settled(gateways, settings!.version + 1)
    for (const gateway of gateways) assert.deepEqual(read(gateway)['people'], { maxOpenTurns: 7, budgets: [BUDGET] })
    for (const { token } of people) {
      const { budgets } = await askAny<{ readonly budgets: readonly object[] }>(() => gateways, token, '/api/budgets')
      assert.match(JSON.stringify(budgets), /"limit":3/)
    }
    // By the page, at the gateway that has the home of the owner.
    const chosen = await fetch(`${gateways[1]!.url}/api/setup/model`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'rehearsal' }),
    })
    assert.ok(chosen.ok, await chosen.text())
    await settled(gateways, settings!.version + 2)
    for (const gateway of gateways) assert.equal(read(gateway)['model'], 'rehearsal')
    // What one has that was down.
    gateways[2]!.child.kill('SIGKILL')
    edit(gateways[0]!, (configuration) => ({ ...configuration, agent: { maxSteps: 5 } }))
    await reload(gateways[0]!)
    await settled(gateways.slice(0, 2), settings!.version + 3)
    const again = await start({ again: gateways[2]! })
    await settled([gateways[0]!, gateways[1]!, again], settings!.version + 3)
    assert.deepEqual(read(again)['agent'], { maxSteps: 5 })
  },
)

const BUDGET = { limit: { usd: 3 }, per: 'day' }

test('two gateways whose files change at once lose nothing, also where one of them is killed', options, async (t) => {
  const { start } = await openWorld(t, await database().database())
  const gateways = [await start(), await start()]
  await settled(gateways, 1)
  const [one, other] = gateways as [Gateway, Gateway]
  for (let round = 1; round <= 4; round += 1) {
    edit(one, (configuration) => ({ ...configuration, agent: { maxSteps: round } }))
    edit(other, (configuration) => ({ ...configuration, people: { maxFiles: round } }))
    const both = [reload(one), reload(other)]
    if (round === 4) other.child.kill('SIGKILL')
    await Promise.allSettled(both)
    const left = round === 4 ? [one, await start({ again: other })] : gateways
    for (const gateway of left) {
      for (;;) {
        const { agent, people } = read(gateway)
        if (JSON.stringify([agent, people]) === JSON.stringify([{ maxSteps: round }, { maxFiles: round }])) break
        await sleep(50)
      }
    }
  }
})

test(
  'a gateway that cannot use a change says so at every gateway, and goes on with what it had',
  options,
  async (t) => {
    const store = await database().database()
    const { start } = await openWorld(t, store)
    const [one, other] = [await start({ environment: { LAB_KEY: 'sk-lab-planted-key' } }), await start()]
    await settled([one, other], 1)
    const lab = { kind: 'openai', baseURL: 'https://lab.example/v1', apiKeyEnv: 'LAB_KEY' }
    edit(one, ({ providers, ...configuration }) => ({
      ...configuration,
      providers: { ...(providers as object), lab },
      people: { maxFiles: 9 },
      gateway: { token: TOKEN },
    }))
    await reload(one)
    const rows = await settled([one, other], 2)
    const [said] = rows.filter(({ address }) => address === other.url).map(({ settings }) => settings!.refused)
    assert.match(said![0]!, /^providers\.lab of the other gateways is not used here: this machine has no apiKey for it/)
    assert.deepEqual(rows.filter(({ address }) => address === one.url)[0]!.settings!.refused, [])
    assert.match(
      await other.foreword('gateways'),
      new RegExp(`${other.url}: providers\\.lab of the other gateways is not used here`),
    )
    const examined = await other
      .foreword('doctor')
      .catch((error: unknown) => (error as { readonly stdout: string }).stdout)
    assert.match(examined.replaceAll(/\s+/g, ' '), /providers\.lab of the other gateways is not used here/)
    assert.deepEqual(Object.keys(read(other)['providers'] as object), ['ollama'])
    assert.deepEqual(read(other)['people'], { maxFiles: 9 })
    const [person] = await addPeople(one, ['ann'])
    await askAny(() => [other], person!.token, '/api/messages', { text: 'It goes on.' })
    // Nothing of it is in any table.
    const found = await dump(store)
    for (const secret of ['sk-lab-planted-key', TOKEN, 'LAB_KEY']) assert.ok(!found.includes(secret), secret)
    assert.match(found, /lab\.example/)
  },
)

test(
  'a skill reaches the homes at every gateway, and a tool that it brings waits until the owner accepts it',
  options,
  async (t) => {
    const { start } = await openWorld(t, await database().database())
    const gateways = [await start(), await start()]
    const [one, other] = gateways as [Gateway, Gateway]
    const people = await addPeople(one, ['ann', 'bob', 'carol', 'dave', 'erin', 'finn'])
    const [row] = await settled(gateways, 1)
    const skill = join(other.home, 'skills', 'reef')
    mkdirSync(skill, { recursive: true })
    writeFileSync(join(skill, 'SKILL.md'), '---\nname: reef\ndescription: Tides of the reef.\n---\nLow at noon.\n')
    await reload(other)
    await settled(gateways, row!.settings!.version + 1)
    const tokens = [TOKEN, ...people.map(({ token }) => token)]
    for (const token of tokens) {
      const { read: loaded } = await askAny<{ readonly read: number }>(() => gateways, token, '/api/skills')
      assert.equal(loaded, 1)
    }
    writeFileSync(join(skill, 'tools.json'), JSON.stringify(TOOLS))
    await reload(other)
    await settled(gateways, row!.settings!.version + 2)
    const hasTool = async (token: string) => {
      const { request } = await askAny<{ readonly request: { readonly tools: readonly { readonly name: string }[] } }>(
        () => gateways,
        token,
        '/api/context',
        {},
      )
      return request.tools.some(({ name }) => name === 'reef_words')
    }
    for (const token of tokens) assert.equal(await hasTool(token), false)
    const { waiting } = await askAny<{
      readonly waiting: readonly { readonly name: string; readonly digest: string }[]
    }>(() => gateways, TOKEN, '/api/acceptance')
    const [{ name, digest }] = waiting as [{ readonly name: string; readonly digest: string }]
    assert.deepEqual([waiting.length, name], [1, 'skills/reef'])
    await askAny(() => gateways, TOKEN, '/api/acceptance', { name, digest })
    assert.equal(await hasTool(TOKEN), true)
  },
)

const TOOLS = {
  tools: [
    {
      name: 'reef_words',
      description: 'Counts words.',
      parameters: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] },
    },
  ],
  allowlist: { wc: [''] },
  execution: [{ tool: 'reef_words', binary: 'wc', subcommand: '', separator: '--', args: [{ param: 'file' }] }],
}
