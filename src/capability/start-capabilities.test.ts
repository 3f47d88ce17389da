import assert from 'node:assert/strict'
import test from 'node:test'
import { layoutOf } from '../context.ts'
import { capabilityHost } from '../testing.ts'
import type { Tool } from '../tool.ts'
import { type AnyCapability, capability, type Pin } from './capability.ts'
import { serviceKey } from './service.ts'
import { pluginAsCapability } from './plugin.ts'
import { startCapabilities } from './start-capabilities.ts'
import { textLayer } from './own-layers.ts'
import type { LayerContext, TurnQuestion } from './turn-part.ts'

const context: Omit<LayerContext, 'promptBlocks'> = {
  time: '2026-11-21T12:00:00.000Z',
  layout: layoutOf('auto'),
  tools: [],
  callsTools: true,
  choices: {},
  readsForeign: false,
  cites: false,
}

async function started(...capabilities: readonly AnyCapability[]) {
  return startCapabilities(capabilities, await capabilityHost())
}

test('capabilities start in order, give their layers in order, and stop in reverse', async () => {
  const steps: string[] = []
  const running = await started(telling('a', steps), telling('b', steps), telling('c', steps))
  const layers = await running.layers(context)
  assert.deepEqual(
    layers.map(({ id }) => id),
    ['a', 'b', 'c'],
  )
  await running.stop()
  await running.stop()
  assert.deepEqual(steps, ['start a', 'start b', 'start c', 'stop c', 'stop b', 'stop a'])
})

test('where one does not start, those that did are stopped, and the error names it', async () => {
  const steps: string[] = []
  const failing = { ...telling('b', steps), start: () => Promise.reject(new Error('no port is free')) }
  await assert.rejects(started(telling('a', steps), failing, telling('c', steps)), {
    message: 'The capability b did not start: no port is free',
  })
  assert.deepEqual(steps, ['start a', 'stop a'])
})

test('every capability is stopped, whatever another one says', async () => {
  const steps: string[] = []
  const stuck = { ...telling('b', steps), stop: () => Promise.reject(new Error('still busy')) }
  const running = await started(telling('a', steps), stuck, telling('c', steps))
  await assert.rejects(running.stop(), { message: 'The capability b did not stop: still busy' })
  assert.deepEqual(steps.slice(3), ['stop c', 'stop a'])
})

test('what cannot be given is said under the name of the capability: nothing is left out in silence', async () => {
  const gone = () => {
    throw new Error('the store is gone')
  }
  const layers = await started(capability({ name: 'notes', layers: gone }))
  await assert.rejects(layers.layers(context), {
    message: 'The capability notes could not give its layers: the store is gone',
  })
  const tools = await started(capability({ name: 'tide', tools: gone }))
  for (const asked of [() => tools.tools(), () => tools.turnTools(), () => tools.toolConflicts([])])
    assert.throws(asked, { message: 'The capability tide could not give its tools: the store is gone' })
  const rest = await started(
    capability({ name: 'tide', http: { routes: gone }, channels: gone, status: { facts: gone }, turn: gone }),
  )
  const failed = (what: string) => ({ message: `The capability tide could not give its ${what}: the store is gone` })
  await assert.rejects(rest.routes('tide'), failed('routes'))
  await assert.rejects(rest.channels(), failed('channels'))
  await assert.rejects(rest.status(), failed('status'))
  await assert.rejects(rest.turn({} as never), failed('part of the turn'))
})

test('warnings carry the name of their capability, and a capability may lack every part', async () => {
  const running = await started(
    capability({ name: 'bare' }),
    capability({ name: 'persona', status: { warnings: () => ['soul.json is missing'] } }),
  )
  assert.deepEqual(running.warnings(), ['persona: soul.json is missing'])
  assert.deepEqual([running.tools(), running.turnTools(), await running.channels()], [[], [], []])
  await running.ready()
  await running.recover()
  await running.reload()
  await running.stop()
})

test('two of one name are refused, and two that choose the same', async () => {
  await assert.rejects(started(capability({ name: 'a' }), capability({ name: 'a' })), {
    message: 'There are two capabilities named a; keep one.',
  })
  await assert.rejects(started(choosing('a', 'berth', []), choosing('b', 'berth', [])), {
    message: 'Sessions choose their berth with two capabilities, a and b; keep one.',
  })
})

test('a capability finds the service and the settings of one before it, and nothing of a missing one', async () => {
  const seen: unknown[] = []
  const tide = capability({ name: 'tide', start: ({ settings }) => ({ height: settings }) })
  const port = capability({
    name: 'port',
    start(host) {
      seen.push(host.capability(serviceKey('tide')), host.settingsOf('tide'))
      seen.push(host.capability(serviceKey('storm')), host.settingsOf('storm'))
    },
  })
  const host = await capabilityHost({ settings: { tide: 3 } })
  const running = await startCapabilities([tide, port], host)
  assert.deepEqual(seen, [{ height: 3 }, 3, undefined, undefined])
  assert.deepEqual(running.capability(serviceKey('tide')), { height: 3 })
})

test('the runtime can be asked for once there is one, from what a capability was started with', async () => {
  let runtime: unknown
  const late = capability({
    name: 'late',
    start: (host) => ({ ask: () => host.runtime }),
    status: { facts: ({ runtime: found, service }) => ({ same: found === service.ask() }) },
  })
  const running = await startCapabilities([late], await capabilityHost({ runtime: () => runtime as never }))
  runtime = {}
  assert.deepEqual(await running.status(), { same: true })
})

test('choices come with what is usual and without what is gone, and the first that decides counts', async () => {
  const running = await started(
    choosing('a', 'berth', ['north', 'south'], { usual: 'north', model: 'one' }),
    choosing('b', 'pilot', ['ann'], { model: 'two', layout: 'chai' }),
  )
  assert.deepEqual(await running.chosen({}), { choices: { berth: 'north' }, preset: { model: 'one' } })
  assert.deepEqual(await running.chosen({ berth: 'sunk', pilot: 'ann', unknown: 'x' }), {
    choices: { pilot: 'ann' },
    preset: { model: 'two', layout: 'chai' },
  })
  assert.deepEqual(await running.chosen({ pilot: 'ann' }), {
    choices: { berth: 'north', pilot: 'ann' },
    preset: { model: 'one', layout: 'chai' },
  })
  await running.checkChoices({ berth: null, pilot: 'ann' })
  await assert.rejects(running.checkChoices({ berth: 'sunk' }), /no sunk/)
  await assert.rejects(running.checkChoices({ constructor: 'x' }), { code: 'invalid-input', message: /berth, pilot/ })
  assert.deepEqual(await running.choices['pilot']?.list?.(), [{ id: 'ann' }])
  assert.equal(await running.choices['pilot']?.find('ann'), 'ann')
})

test('a turn has the layers of its parts behind those of their capability', async () => {
  const one = capability({
    name: 'one',
    layers: () => [textLayer('one', 'one', 'one')],
    turn: (_, { text }) => ({ layers: () => [textLayer('said', text, 'one')] }),
  })
  const running = await started(one, capability({ name: 'two', layers: () => [textLayer('two', 'two', 'two')] }))
  const parts = await running.turn({ text: 'Ahoy.' } as TurnQuestion)
  const layers = await running.layers(context, parts)
  assert.deepEqual(
    layers.map(({ renditions }) => renditions[0]!.text),
    ['one', 'Ahoy.', 'two'],
  )
})

test('words about citations and the rule about text of others are there where they are due, last', async () => {
  const running = await started(capability({ name: 'one', layers: () => [textLayer('one', 'one', 'one')] }))
  const ids = async (facts: Partial<LayerContext>) =>
    (await running.layers({ ...context, ...facts })).map(({ id }) => id)
  assert.deepEqual(await ids({ cites: true, readsForeign: true }), [
    'one',
    'citation-guidance',
    'citation-reminder',
    'foreign-text',
  ])
})

test('placeholders of a prompt are what capabilities give for them', async () => {
  const prompt = capability({ name: 'p', layers: () => [textLayer('system-prompt', 'It is {{Tide}}, {{date}}.', 'p')] })
  const tide = capability({
    name: 'tide',
    placeholders: () => ({ tide: 'high' }),
    layers: () => [textLayer('tide', 'High.', 't')],
  })
  const layers = await (await started(prompt, tide)).layers(context)
  assert.deepEqual(
    layers.map(({ renditions }) => renditions[0]!.text),
    ['It is high, .'],
  )
})

test('tools of prompt blocks come after other tools, and the first capability keeps a name that a second one uses', async () => {
  const block = { id: 'b', version: '1', description: '', promptBlock: 'Use it.', tools: [tool('wave'), tool('row')] }
  const running = await started(
    capability({ name: 'one', tools: () => [tool('row')] }),
    capability({ name: 'two', promptBlocks: () => [block], tools: () => [tool('sail')] }),
  )
  assert.deepEqual(
    running.tools().map(({ name }) => name),
    ['row', 'sail', 'wave'],
  )
  assert.deepEqual([running.ownerOf('row'), running.ownerOf('sail'), running.ownerOf('fly')], ['one', 'two', undefined])
  assert.deepEqual(running.toolConflicts(['sail']), [
    'The tool sail of the capability two is also a tool of Foreword itself.',
    'The tool row of the capability two is also a tool of the capability one.',
  ])
})

test('a tool that turns are given is listed, and not offered by itself', async () => {
  const ofTurns = { ...tool('dive'), offeredIn: 'sessions that have a diver' }
  const running = await started(capability({ name: 'one', tools: () => [ofTurns, tool('row')] }))
  const names = (tools: readonly Tool[]) => tools.map(({ name }) => name)
  assert.deepEqual([names(running.tools()), names(running.turnTools())], [['row'], ['dive']])
  assert.equal(running.toolConflicts(['dive']).length, 1)
})

test('what waits to be accepted is asked of every pin, and its warnings come after those of its capability', async () => {
  const pin = (name: string): Pin => ({
    withheld: () => [{ name, accepted: undefined, offered: undefined, digest: name }],
    accept: async (asked, digest) => asked === name && digest === name,
    warnings: () => [`${name} waits`],
  })
  const running = await started(
    capability({ name: 'one', pins: () => [pin('a'), pin('b')], status: { warnings: () => ['it leaks'] } }),
    capability({ name: 'two', pins: () => [pin('c')] }),
  )
  assert.deepEqual(
    running.withheld().map(({ name }) => name),
    ['a', 'b', 'c'],
  )
  assert.deepEqual([await running.accept('c', 'c'), await running.accept('c', 'a')], [true, false])
  assert.deepEqual(running.warnings(), ['one: it leaks', 'one: a waits', 'one: b waits', 'two: c waits'])
})

test('a start line that cannot be made is there under the name of its capability', async () => {
  const lost = () => {
    throw new Error('the chart is lost')
  }
  const running = await started(
    capability({ name: 'tide', status: { startLine: lost } }),
    capability({ name: 'wind', status: { startLine: () => ({ label: 'Wind', text: 'calm' }) } }),
    capability({ name: 'calm', status: { startLine: () => undefined } }),
  )
  assert.deepEqual(await running.startLines(), [
    { label: 'Tide', text: 'Unknown: the chart is lost' },
    { label: 'Wind', text: 'calm' },
  ])
})

test('a plugin of the former shape is a capability', async () => {
  const steps: string[] = []
  const plugin = pluginAsCapability({
    name: 'old',
    version: '7',
    start: async () => void steps.push('start'),
    stop: async () => void steps.push('stop'),
    date: () => 'Friday',
    skills: () => [{ id: 's', version: '1', description: '', promptBlock: 'Wave.', tools: [tool('wave')] }],
    layers: async ({ skills = [], system }) => [
      textLayer('system-prompt', `{{date}} ${system} ${skills.length}`, 'old'),
    ],
  })
  const running = await started(plugin)
  const layers = await running.layers({ ...context, system: { text: 'Short.', ref: 'here' } })
  assert.equal(layers[0]!.renditions[0]!.text, 'Friday Short. 1')
  assert.deepEqual(
    running.tools().map(({ name }) => name),
    ['wave'],
  )
  await running.stop()
  assert.deepEqual(steps, ['start', 'stop'])
})

function tool(name: string): Tool {
  return { name, inputSchema: { type: 'object' }, execute: async () => ({ ok: true, output: name }) }
}

function telling(name: string, steps: string[]): AnyCapability {
  return capability({
    name,
    start: () => void steps.push(`start ${name}`),
    stop: () => void steps.push(`stop ${name}`),
    layers: () => [textLayer(name, name, name)],
  })
}

function choosing(
  name: string,
  choice: string,
  ids: readonly string[],
  { usual, ...preset }: { readonly usual?: string; readonly model?: string; readonly layout?: string } = {},
): AnyCapability {
  return capability({
    name,
    sessions: {
      choices: {
        [choice]: {
          summary: `Id of a ${choice}.`,
          none: `no ${choice}`,
          async check(_, id) {
            if (!ids.includes(id)) throw new Error(`there is no ${id}`)
          },
          list: async () => ids.map((id) => ({ id })),
          usual: () => usual,
          preset: async (_, id) => (ids.includes(id) ? preset : undefined),
        },
      },
    },
  })
}
