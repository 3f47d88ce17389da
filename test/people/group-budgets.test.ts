import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { BudgetReport } from '../../src/capability.ts'
import { scriptedProvider } from '../../src/testing.ts'
import { type Asker, openTeam } from './team.ts'

const budgetsOf = async (who: Asker): Promise<readonly BudgetReport[]> =>
  (await who.json<{ readonly budgets: readonly BudgetReport[] }>('/api/budgets')).budgets

const ask = (who: Asker) =>
  who.request('/v1/chat/completions', {
    body: { model: 'ollama/scripted', messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 100 },
  })

/** Calls that take 100 tokens each; 365 are held for one. */
async function openDivers(t: TestContext, limits: readonly object[]) {
  const provider = await scriptedProvider({
    answer: () => ({ text: 'Hello.', usage: { promptTokens: 10, outputTokens: 90 } }),
  })
  t.after(() => provider.close())
  return openTeam(t, {
    providers: { ollama: { kind: 'ollama', baseURL: provider.url } },
    models: { 'ollama/scripted': { window: 32_000, maxOutput: 100, price: { input: 1, output: 1 } } },
    people: { limits },
  })
}

test('members of a group share one budget, the others and the owner have none of it, and the owner sees what is left', async (t) => {
  const team = await openDivers(t, [{ for: 'group:divers', sharedBudgets: [{ limit: { tokens: 500 }, per: 'day' }] }])
  const [ann, bob, carol] = [await team.add('ann'), await team.add('bob'), await team.add('carol')]
  for (const name of ['ann', 'bob'])
    await team.owner.json(`/api/people/${name}`, { method: 'PATCH', body: { groups: ['divers'] } })
  assert.deepEqual([(await ask(ann)).status, (await ask(bob)).status], [200, 200])
  await Promise.all([ann, bob].map((who) => who.json('/api/status?wait=idle')))
  const refused = await ask(bob)
  const { error } = (await refused.json()) as { readonly error: { readonly message: string } }
  assert.equal(refused.status, 402)
  // What the others have used is not said.
  assert.match(
    error.message,
    /^This call may need [\d,]+ tokens; less than that is left of 500 tokens for the day of group divers\.$/,
  )
  assert.deepEqual([(await ask(carol)).status, (await ask(team.owner)).status], [200, 200])
  const [shown] = await budgetsOf(team.owner)
  const { name, group, limit, spent, held, left } = shown!
  assert.deepEqual(
    { name, group, limit, spent, held, left },
    { name: 'the day of group divers', group: 'divers', limit: 500, spent: 200, held: 0, left: 300 },
  )
  const [seen] = await budgetsOf(ann)
  assert.deepEqual([seen!.name, seen!.limit, seen!.spent, seen!.left], [name, 500, undefined, undefined])
  assert.deepEqual(await budgetsOf(carol), [])
  // It is a row: a restart forgets nothing of it. Who leaves the group is free of it.
  await team.restart()
  const after = (who: Asker) => ask(who).then(({ status }) => status)
  assert.equal(await after(ann), 402)
  await team.owner.json('/api/people/ann', { method: 'PATCH', body: { groups: [] } })
  assert.deepEqual([await after(ann), await after(bob)], [200, 402])
})

test('calls of several members at once never pass what they share, and one that a person may not make takes nothing of it', async (t) => {
  const team = await openDivers(t, [
    { for: 'ann', budgets: [{ limit: { tokens: 10 }, per: 'day' }] },
    { for: 'group:divers', sharedBudgets: [{ limit: { usd: 0.001 }, per: 'month' }] },
  ])
  const names = ['ann', 'bob', 'carol', 'dave']
  const people = await Promise.all(names.map((name) => team.add(name)))
  for (const name of names)
    await team.owner.json(`/api/people/${name}`, { method: 'PATCH', body: { groups: ['divers'] } })
  const [ann, ...others] = people
  assert.equal((await ask(ann!)).status, 402)
  assert.equal((await budgetsOf(team.owner))[0]!.spent, 0)
  const asked = Array.from({ length: 8 }, () => others.map(ask)).flat()
  const answered = (await Promise.all(asked)).filter(({ status }) => status === 200).length
  await Promise.all(others.map((who) => who.json('/api/status?wait=idle')))
  const [{ spent, held, limit }] = (await budgetsOf(team.owner)) as [BudgetReport]
  assert.ok(answered > 0 && answered <= 7, String(answered))
  assert.deepEqual([Math.round(spent! * 10_000), held, limit], [answered, 0, 0.001])
})
