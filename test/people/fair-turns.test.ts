import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedProvider } from '../../src/testing.ts'
import { openTeam, say, untilIdle } from './team.ts'

test('as many turns of one person run at once as may, the others wait in order, and nobody else waits for them', async (t) => {
  let [running, most] = [0, 0]
  const asked: string[] = []
  const open = Promise.withResolvers<void>()
  const provider = await scriptedProvider({
    async answer({ body }) {
      const messages = body['messages'] as readonly { readonly role: string; readonly content: string }[]
      const text = messages.findLast(({ role }) => role === 'user')!.content.split('\n')[0]!
      asked.push(text)
      if (text.startsWith('ann')) {
        running += 1
        most = Math.max(most, running)
        await open.promise
        running -= 1
      }
      return { text: `Answer to ${text}.` }
    },
  })
  t.after(() => provider.close())
  const team = await openTeam(t, {
    model: 'ollama/scripted',
    providers: { ollama: { kind: 'ollama', baseURL: provider.url } },
    people: { turnsAtOnce: 2 },
  })
  const [ann, bob] = [await team.add('ann'), await team.add('bob')]
  for (let number = 1; number <= 6; number += 1) await ann.json('/api/messages', { body: { text: `ann ${number}` } })
  const session = await say(bob, 'bob 1')
  const { turns } = await bob.json<{ readonly turns: readonly { readonly state: string }[] }>(
    `/api/sessions/${session}/turns`,
  )
  assert.deepEqual(
    turns.map(({ state }) => state),
    ['completed'],
  )
  assert.deepEqual(asked.filter((text) => text.startsWith('ann')).toSorted(), ['ann 1', 'ann 2'])
  open.resolve()
  await untilIdle(ann)
  assert.equal(most, 2)
  assert.deepEqual(
    asked.filter((text) => text.startsWith('ann')).toSorted(),
    [1, 2, 3, 4, 5, 6].map((number) => `ann ${number}`),
  )
})
