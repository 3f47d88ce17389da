import assert from 'node:assert/strict'
import test from 'node:test'
import { type Records, serviceKey, startCapabilities } from '../../capability.ts'
import { layout, layouts } from '../../context.ts'
import { capabilityHost } from '../../testing.ts'
import type { AgentValue } from './agent-record.ts'
import { agents } from './agents.ts'

const agentRecords = serviceKey<Records<AgentValue>>('agents')
const terse = layout({ name: 'terse', extends: 'auto', headShare: 0.3 })

test('an agent may have a layout that a capability contributes, and its turns get it as a value', async () => {
  const running = await startCapabilities([{ name: 'terseness', layouts: [terse] }, agents], await capabilityHost())
  const records = running.capability(agentRecords)!
  const { id } = await records.create({ name: 'Clerk', layout: 'terse' })
  assert.deepEqual((await running.chosen({ agent: id })).preset.layout, terse)
  const { id: usual } = await records.create({ name: 'Guide', layout: 'onyx' })
  assert.equal((await running.chosen({ agent: usual })).preset.layout, 'onyx')
  await running.stop()
})

test('an unknown layout is refused with the nearest name, and one that is gone leaves the configured one', async () => {
  const host = await capabilityHost()
  const before = await startCapabilities([{ name: 'terseness', layouts: [terse] }, agents], host)
  const { id } = await before.capability(agentRecords)!.create({ name: 'Clerk', layout: 'terse' })
  await assert.rejects(before.capability(agentRecords)!.create({ name: 'Poet', layout: 'ters' }), {
    code: 'invalid-input',
    message: 'Invalid agent: layout: unknown layout "ters" (did you mean "terse"?).',
  })
  await before.stop()

  const after = await startCapabilities([agents], host)
  assert.equal((await after.chosen({ agent: id })).preset.layout, undefined)
  const known = Object.keys(layouts).join(', ')
  await assert.rejects(after.capability(agentRecords)!.change(id, { name: 'Clerk of old', layout: 'terse' }), {
    message: `Invalid agent: layout: unknown layout "terse" (choose one of ${known}).`,
  })
  await after.stop()
})
