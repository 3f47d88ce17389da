import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTeam, untilIdle } from './team.ts'

const morning = { when: 'every day at 8', text: 'When is high water?', budget: { tokens: 10_000 } }

const message = async (response: Response) =>
  ((await response.json()) as { readonly error: { readonly message: string } }).error.message

test('where the owner lets them, members have schedules of their own, which nobody else sees', async (t) => {
  const team = await openTeam(t, { schedules: { people: true } })
  const [ann, bob, carol] = [await team.add('ann'), await team.add('bob'), await team.add('carol', 'guest')]
  const { id } = await ann.json<{ readonly id: string }>('/api/schedules', { body: morning })
  const run = await ann.json<{ readonly result: { readonly session: string } }>(`/api/schedules/${id}/run`, {
    method: 'POST',
  })
  await untilIdle(ann)
  await ann.json(`/api/sessions/${run.result.session}`)
  for (const other of [bob, team.owner]) {
    assert.deepEqual((await other.json<{ readonly schedules: readonly unknown[] }>('/api/schedules')).schedules, [])
    assert.equal((await other.request(`/api/schedules/${id}`)).status, 404)
    assert.equal((await other.request(`/api/sessions/${run.result.session}`)).status, 404)
  }
  assert.equal((await carol.request('/api/schedules', { body: morning })).status, 403)
  // Any file of the machine could be asked for.
  for (const ifChanged of ['file:/etc/hostname', 'url:https://example.org/', 'program:ls']) {
    const added = await ann.request('/api/schedules', { body: { ...morning, ifChanged } })
    assert.match(await message(added), /Only schedules of the owner/)
    const changed = await ann.request(`/api/schedules/${id}`, { method: 'PATCH', body: { ifChanged } })
    assert.match(await message(changed), /Only schedules of the owner/)
  }
  for (let count = 1; count < 20; count += 1)
    await ann.json('/api/schedules', { body: { ...morning, name: `${count}` } })
  assert.match(await message(await ann.request('/api/schedules', { body: morning })), /There are 20 schedules already/)
})

test('nobody has schedules of their own unless the owner says so', async (t) => {
  const team = await openTeam(t)
  const ann = await team.add('ann')
  assert.equal((await ann.json<{ readonly enabled: boolean }>('/api/schedules')).enabled, false)
  assert.match(await message(await ann.request('/api/schedules', { body: morning })), /switched off/)
  await team.owner.json('/api/schedules', { body: morning })
})
