import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTeam } from './team.ts'

interface Status {
  readonly files?: { readonly maxFiles?: number; readonly maxBytes?: number }
}

interface Budgets {
  readonly budgets: readonly { readonly name: string; readonly limit: number; readonly left?: number }[]
}

const perDay = (usd: number) => [{ limit: { usd }, per: 'day' }]

test('a person has the limits of the first row that is about them and names one, and else those of everybody', async (t) => {
  const team = await openTeam(t, {
    people: {
      maxFiles: 10,
      budgets: perDay(1),
      limits: [
        { for: 'ann', maxFiles: 50 },
        { for: 'group:divers', maxFiles: 30, maxFileBytes: 900, budgets: perDay(3) },
        { for: 'group:captains', maxFiles: 20, maxFileBytes: 800, budgets: [] },
      ],
    },
  })
  const limitsOf = async (who: Awaited<ReturnType<typeof team.add>>) => {
    const [{ files }, { budgets }] = [await who.json<Status>('/api/status'), await who.json<Budgets>('/api/budgets')]
    return [files?.maxFiles, files?.maxBytes, ...budgets.map(({ limit }) => limit)]
  }
  const [ann, bob] = [await team.add('ann'), await team.add('bob')]
  const groupsOf = (name: string, ...groups: readonly string[]) =>
    team.owner.json(`/api/people/${name}`, { method: 'PATCH', body: { groups } })
  assert.deepEqual(
    [await limitsOf(ann), await limitsOf(bob)],
    [
      [50, undefined, 1],
      [10, undefined, 1],
    ],
  )
  // Who comes into a group has its limits from then on.
  await groupsOf('ann', 'captains', 'divers')
  await groupsOf('bob', 'captains')
  assert.deepEqual(
    [await limitsOf(ann), await limitsOf(bob)],
    [
      [50, 900, 3],
      [20, 800],
    ],
  )
  await groupsOf('bob')
  assert.deepEqual(await limitsOf(bob), [10, undefined, 1])
  // None of them are the owner's.
  assert.deepEqual(await limitsOf(team.owner), [undefined, undefined])
})

test('limits that make no sense are refused with a sentence', async (t) => {
  const refused = (row: object) => assert.rejects(openTeam(t, { people: { limits: [row] } }), /people\.limits\.0/)
  await refused({ for: 'ann', sharedBudgets: perDay(1) })
  await refused({ for: 'Ann' })
  await refused({ for: 'group:divers', sharedBudgets: [{ limit: { usd: 1 }, per: 'turn' }] })
})
