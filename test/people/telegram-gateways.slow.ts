import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { scriptedTelegram } from '../../src/testing.ts'
import { postgresForTests } from '../session/postgres-for-tests.ts'
import { addPeople, askAny, type Gateway, openWorld, type Person, TOKEN } from './gateways.ts'

const { options, server: database } = postgresForTests({ connections: 200 })

/** So many that nearly always both gateways have some: the digests of random ids and of names decide. */
const NAMES = ['ann', 'bob', 'carol', 'dave', 'erin', 'finn', 'gwen']
const chatOf = (name: string) => 5_000 + NAMES.indexOf(name)
const ROUNDS = 3

/** A bot, people who have paired their chats with it, and two gateways that have their homes. The first one of them polls. */
async function openChats(t: TestContext) {
  const telegram = await scriptedTelegram()
  t.after(() => telegram.close())
  const { start } = await openWorld(t, await database().database(), telegram)
  const first = await start()
  const people = await addPeople(first, NAMES)
  const asked: { gateways: readonly Gateway[] } = { gateways: [first, await start()] }
  const any = () => asked.gateways
  const answers = (name: string) =>
    telegram.messages(chatOf(name)).flatMap(({ from, text }) => (from === 'bot' ? [text] : []))
  for (const { name, token } of people) {
    // By the owner, or by the person, whose home is at another gateway than that of the owner for some.
    const [by, body] =
      name === 'ann' ? [TOKEN, { channel: 'telegram', person: name }] : [token, { channel: 'telegram' }]
    const { code } = await askAny<{ readonly code: string }>(any, by, '/api/pairings/code', body)
    telegram.say(chatOf(name), `/pair ${code}`)
    await telegram.until(() => answers(name).length === 1)
  }

  /** Those whose homes are at a gateway. Homes move when they are quiet, until each gateway has those that belong to it. */
  async function peopleOf({ home: at }: Gateway): Promise<readonly Person[]> {
    const homes = await Promise.all(
      people.map(({ token }) => askAny<{ readonly home: string }>(any, token, '/api/status').then(({ home }) => home)),
    )
    return people.filter((_, index) => homes[index]!.startsWith(`${at}/`))
  }

  /** Resolves once each gateway has the homes that belong to it. */
  async function spread(): Promise<void> {
    const isSpread = async () => {
      const { gateways } = await askAny<{
        readonly gateways: readonly { readonly address?: string; readonly people?: readonly string[] }[]
      }>(any, TOKEN, '/api/gateways')
      const has = await Promise.all(
        any().map(async (gateway) => {
          const row = gateways.find(({ address }) => address === gateway.url)
          const names = (await peopleOf(gateway)).map(({ name }) => name)
          return row !== undefined && isDeepStrictEqual(names.toSorted(), [...(row.people ?? [])].toSorted())
        }),
      )
      return has.every(Boolean)
    }
    while (!(await isSpread())) {
      for (const gateway of any()) gateway.assertRuns()
      await sleep(100)
    }
  }
  await spread()

  /** What the bot has said in a chat: what may be there already says so. */
  function said(name: string) {
    const isAgain = (text: string) => text.startsWith('Sent again after an interruption')
    return {
      once: answers(name).filter((text) => !isAgain(text)).length,
      again: answers(name).filter(isAgain).length,
    }
  }
  return { telegram, start, people, asked, any, answers, peopleOf, spread, said }
}

test(
  'a message in a chat of a person reaches their home wherever it is, once, also while the gateway that polls is killed or frozen',
  { ...options, timeout: 600_000 },
  async (t) => {
    const { telegram, start, people, asked, any, answers, said } = await openChats(t)
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const name of NAMES) telegram.say(chatOf(name), `${name}-${round}`)
      if (round === 1) {
        await telegram.until(() => NAMES.every((name) => answers(name).length === round + 1))
        continue
      }
      // Some of them are under way.
      await sleep(150)
      const [polling, ...others] = any() as [Gateway, ...Gateway[]]
      asked.gateways = others
      if (round === 2) {
        polling.child.kill('SIGKILL')
        await once(polling.child, 'close')
      } else {
        polling.child.kill('SIGSTOP')
        setTimeout(() => polling.child.kill('SIGCONT'), 12_000)
      }
      asked.gateways = [...others, await start()]
      await telegram.until(() => NAMES.every((name) => answers(name).length >= round + 1))
      if (round === 3) await sleep(14_000)
    }
    for (const { name, token } of people) {
      const { sessions } = await askAny<{ readonly sessions: readonly { readonly id: string }[] }>(
        any,
        token,
        '/api/sessions',
      )
      assert.equal(sessions.length, 1, name)
      const { entries } = await askAny<{
        readonly entries: readonly { type: string; message?: { content: string } }[]
      }>(any, token, `/api/sessions/${sessions[0]!.id}/entries?limit=500`)
      const inputs = entries.flatMap(({ type, message }) => (type === 'input' ? [message!.content] : []))
      assert.deepEqual(
        inputs,
        [1, 2, 3].map((round) => `${name}-${round}`),
        `every message of ${name} once, in order`,
      )
      // One that was being sent when its gateway was killed or frozen may be there already, and says so: Telegram cannot be asked.
      const { once: first, again } = said(name)
      t.diagnostic(`${name}: ${first} messages of the bot, and ${again} that may be there already`)
      assert.ok(first <= ROUNDS + 1, `${name}: ${answers(name).join(' | ')}`)
      assert.ok(first + again >= ROUNDS + 1, `${name}: ${answers(name).join(' | ')}`)
    }
    const { sessions: owners } = await askAny<{ readonly sessions: readonly unknown[] }>(any, TOKEN, '/api/sessions')
    assert.deepEqual(owners, [])
  },
)

test(
  'a gateway that froze before its bot could speak says nothing once it wakes, and what Telegram was about to show is not said twice in silence',
  { ...options, timeout: 600_000 },
  async (t) => {
    const { telegram, start, asked, any, peopleOf, spread, said } = await openChats(t)
    for (const [failure, isUnderWay, found] of [
      [{ type: 'limited', retryAfter: 3 }, (status?: number) => status === 429, { once: 0, again: 1 }],
      [{ type: 'slow', ms: 1_000 }, (status?: number) => status === undefined, { once: 1, again: 1 }],
    ] as const) {
      const [frozen, other] = any() as [Gateway, Gateway]
      const name = (await peopleOf(frozen))[0]?.name
      if (name === undefined) {
        t.diagnostic('no home belongs to the gateway that would freeze')
        continue
      }
      const chat = chatOf(name)
      const before = said(name)
      telegram.fail('sendMessage', { ...failure, chat })
      telegram.say(chat, `a ${failure.type} word`)
      await telegram.until(() => {
        const newest = telegram
          .calls('sendMessage')
          .findLast(({ parameters }) => Number(parameters['chat_id']) === chat)
        return newest !== undefined && isUnderWay(newest.status)
      })
      frozen.assertRuns()
      frozen.child.kill('SIGSTOP')
      asked.gateways = [other]
      await telegram.until(() => said(name).again === before.again + 1)
      frozen.child.kill('SIGCONT')
      // Another gateway has the home of the owner, so that it ends.
      await once(frozen.child, 'close')
      assert.deepEqual(said(name), { once: before.once + found.once, again: before.again + found.again }, failure.type)
      asked.gateways = [other, await start()]
      await spread()
    }
  },
)
