import assert from 'node:assert/strict'
import test from 'node:test'
import type { LayerContext, Plugin } from './plugin.ts'
import { startPlugins } from './running-plugins.ts'
import { textLayer } from './text-layer.ts'

const context: LayerContext = { time: '2026-11-21T12:00:00.000Z', layout: 'auto', tools: [] }

test('plugins start in order, give their layers in order, and stop in reverse', async () => {
  const told: string[] = []
  const running = await startPlugins([telling('a', told), telling('b', told), telling('c', told)])
  const layers = await running.layers(context)
  assert.deepEqual(
    layers.map(({ id }) => id),
    ['a', 'b', 'c'],
  )
  await running.stop()
  await running.stop()
  assert.deepEqual(told, ['start a', 'start b', 'start c', 'stop c', 'stop b', 'stop a'])
})

test('where one does not start, those that did are stopped, and the error names it', async () => {
  const told: string[] = []
  const failing: Plugin = { ...telling('b', told), start: () => Promise.reject(new Error('no port is free')) }
  await assert.rejects(startPlugins([telling('a', told), failing, telling('c', told)]), {
    message: 'The plugin b did not start: no port is free',
  })
  assert.deepEqual(told, ['start a', 'stop a'])
})

test('every plugin is stopped, whatever another one says', async () => {
  const told: string[] = []
  const stuck: Plugin = { ...telling('b', told), stop: () => Promise.reject(new Error('still busy')) }
  const running = await startPlugins([telling('a', told), stuck, telling('c', told)])
  await assert.rejects(running.stop(), { message: 'The plugin b did not stop: still busy' })
  assert.deepEqual(told.slice(3), ['stop c', 'stop a'])
})

test('a plugin that cannot give its layers says so under its name: nothing is left out in silence', async () => {
  const failing: Plugin = { name: 'notes', version: '1', layers: () => Promise.reject(new Error('the store is gone')) }
  const running = await startPlugins([failing])
  await assert.rejects(running.layers(context), {
    message: 'The plugin notes could not give its layers: the store is gone',
  })
})

test('a plugin that cannot give its tools says so under its name', async () => {
  const tools = () => {
    throw new Error('the list is gone')
  }
  const running = await startPlugins([{ name: 'tide', version: '1', tools }])
  assert.throws(() => running.tools(), { message: 'The plugin tide could not give its tools: the list is gone' })
})

test('warnings carry the name of their plugin, and a plugin may lack every part', async () => {
  const running = await startPlugins([
    { name: 'bare', version: '1' },
    { name: 'persona', version: '1', warnings: () => ['soul.json is missing'] },
  ])
  assert.deepEqual(running.warnings(), ['persona: soul.json is missing'])
  assert.deepEqual(running.tools(), [])
  await running.reload()
  await running.stop()
})

function telling(name: string, told: string[]): Plugin {
  return {
    name,
    version: '1',
    start: async () => void told.push(`start ${name}`),
    stop: async () => void told.push(`stop ${name}`),
    layers: async () => [textLayer(name, name, name)],
  }
}
