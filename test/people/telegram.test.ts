import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { scriptedTelegram } from '../../src/testing.ts'
import { type Asker, openTeam, untilIdle } from './team.ts'

const annsChat = 4001
const strangersChat = 4002
const group = -100_500

async function telegramTeam(t: TestContext, configuration: object = {}) {
  const telegram = await scriptedTelegram()
  const team = await openTeam(
    t,
    { ...configuration, channels: { telegram: { tokenFile: 'bot-token', apiRoot: telegram.url } } },
    { 'bot-token': telegram.token },
  )
  t.after(() => telegram.close())
  const said = (chat: number) => telegram.messages(chat).flatMap(({ from, text }) => (from === 'bot' ? [text] : []))
  const code = async (person?: string) =>
    (await team.owner.json<{ readonly code: string }>('/api/pairings/code', { body: { channel: 'telegram', person } }))
      .code
  const sessions = async (who: Asker) =>
    (await who.json<{ readonly sessions: readonly { readonly id: string }[] }>('/api/sessions')).sessions
  return { team, telegram, said, code, sessions }
}

const WELCOME = 'This chat is paired. Send a message to talk to the agent. /help lists the commands.'
const PRIVATE = 'This bot is private. Ask its owner to run `foreword pair`, then send the code here: /pair CODE'

test('a chat that a person paired talks to their home, until the pairing or the person is removed', async (t) => {
  const { team, telegram, said, code, sessions } = await telegramTeam(t)
  const [ann, bob] = [await team.add('ann'), await team.add('bob')]
  telegram.say(annsChat, `/pair ${await code('ann')}`)
  // Without a wait for the answer.
  telegram.say(annsChat, 'The word is heliotrope.')
  await telegram.until(() => said(annsChat).length === 2)
  assert.equal(said(annsChat)[0], WELCOME)
  await untilIdle(ann)
  const [session] = await sessions(ann)
  assert.match(await (await ann.request(`/api/sessions/${session!.id}/entries`)).text(), /heliotrope/)
  for (const other of [bob, team.owner]) {
    assert.deepEqual(await sessions(other), [])
    assert.equal((await other.request(`/api/sessions/${session!.id}`)).status, 404)
  }
  const { pairings } = await team.owner.json<{ readonly pairings: readonly { readonly home?: string }[] }>(
    '/api/pairings',
  )
  assert.deepEqual(
    pairings.map(({ home }) => home),
    ['ann'],
  )

  // It goes on after a restart, in the same session.
  await team.restart()
  telegram.say(annsChat, 'And again.')
  await telegram.until(() => said(annsChat).length === 3)
  await untilIdle(ann)
  assert.equal((await sessions(ann)).length, 1)

  await team.owner.json('/api/people/ann', { method: 'DELETE' })
  telegram.say(annsChat, 'Who hears me?')
  await telegram.until(() => said(annsChat).length === 4)
  assert.equal(said(annsChat)[3], PRIVATE)
  assert.deepEqual(await sessions(team.owner), [])
  assert.deepEqual((await team.owner.json<{ readonly pairings: readonly unknown[] }>('/api/pairings')).pairings, [])
  assert.deepEqual(team.warnings, [])
})

test("a chat of the owner and one of nobody are as before, and a group is nobody's own", async (t) => {
  const { team, telegram, said, code, sessions } = await telegramTeam(t)
  const ann = await team.add('ann')
  telegram.say(strangersChat, 'Hello')
  await telegram.until(() => said(strangersChat).length === 1)
  assert.equal(said(strangersChat)[0], PRIVATE)
  telegram.open(group)
  telegram.say(group, `/pair@scripted_bot ${await code('ann')}`)
  await telegram.until(() => said(group).length === 1)
  assert.match(said(group)[0]!, /This code is not valid/)
  telegram.say(annsChat, `/pair ${await code()}`)
  telegram.say(annsChat, 'Hello')
  await telegram.until(() => said(annsChat).length === 2)
  await untilIdle(team.owner)
  assert.equal((await sessions(team.owner)).length, 1)
  assert.deepEqual(await sessions(ann), [])
  const nobody = { channel: 'telegram', person: 'nobody' }
  assert.equal((await team.owner.request('/api/pairings/code', { body: nobody })).status, 404)
  await team.add('carol', 'guest')
  const carol = { channel: 'telegram', person: 'carol' }
  assert.equal((await team.owner.request('/api/pairings/code', { body: carol })).status, 400)
})

test('a chat of somebody who becomes a guest is heard no more, since it could decide about calls', async (t) => {
  const { team, telegram, said, code, sessions } = await telegramTeam(t)
  const ann = await team.add('ann')
  telegram.say(annsChat, `/pair ${await code('ann')}`)
  await telegram.until(() => said(annsChat).length === 1)
  await team.owner.json('/api/people/ann', { method: 'PATCH', body: { role: 'guest' } })
  telegram.say(annsChat, 'Hello')
  await telegram.until(() => said(annsChat).length === 2)
  assert.equal(said(annsChat)[1], PRIVATE)
  assert.deepEqual(await sessions(ann), [])
})

test('what a person says in a chat counts against their limits', async (t) => {
  const { team, telegram, said, code, sessions } = await telegramTeam(t, {
    people: { budgets: [{ limit: { tokens: 1 }, per: 'day' }] },
  })
  const ann = await team.add('ann')
  telegram.say(annsChat, `/pair ${await code('ann')}`)
  telegram.say(annsChat, 'Hello')
  await telegram.until(() => said(annsChat).length === 2)
  assert.match(said(annsChat)[1]!, /1 tokens are left/)
  await untilIdle(ann)
  assert.equal((await sessions(ann)).length, 1)
})

test('a person pairs a chat without the owner, beside a code of the owner, sees it, and ends it; a guest does not', async (t) => {
  const { team, telegram, said, code, sessions } = await telegramTeam(t)
  const [ann, bob, guest] = [await team.add('ann'), await team.add('bob'), await team.add('carol', 'guest')]
  const own = (who: Asker) =>
    who.json<{ readonly code: string }>('/api/pairings/code', { body: { channel: 'telegram' } })
  const chats = async (who: Asker) =>
    (
      await who.json<{ readonly pairings: readonly { readonly chat: string; readonly home?: string }[] }>(
        '/api/pairings',
      )
    ).pairings
  const owners = await code()
  const [anns, bobs] = [await own(ann), await own(bob)]
  assert.equal((await guest.request('/api/pairings/code', { body: { channel: 'telegram' } })).status, 403)
  assert.equal((await ann.request('/api/pairings/code', { body: { channel: 'telegram', person: 'bob' } })).status, 404)
  telegram.say(annsChat, `/pair ${anns.code}`)
  telegram.say(annsChat, 'Hello')
  await telegram.until(() => said(annsChat).length === 2)
  await untilIdle(ann)
  assert.equal((await sessions(ann)).length, 1)
  // Those of the others are valid, and that of ann is not any more.
  for (const [chat, given, answer] of [
    [strangersChat, anns.code, /not valid/],
    [strangersChat, bobs.code, /is paired/],
    [strangersChat + 1, owners, /is paired/],
  ] as const) {
    const before = said(chat).length
    telegram.say(chat, `/pair ${given}`)
    await telegram.until(() => said(chat).length > before)
    assert.match(said(chat).at(-1)!, answer)
  }
  assert.deepEqual(
    (await chats(team.owner)).map(({ home }) => home),
    ['ann', 'bob', undefined],
  )
  assert.deepEqual(
    (await chats(ann)).map(({ chat }) => chat),
    [String(annsChat)],
  )
  // Of another one it is not there.
  const path = `/api/pairings/telegram/${annsChat}`
  assert.equal((await bob.request(path, { method: 'DELETE' })).status, 404)
  assert.equal((await ann.request(path, { method: 'DELETE' })).status, 204)
  telegram.say(annsChat, 'Who hears me?')
  await telegram.until(() => said(annsChat).length === 3)
  assert.equal(said(annsChat)[2], PRIVATE)
  assert.deepEqual(await chats(ann), [])
})
