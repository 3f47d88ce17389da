import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { scriptedTelegram } from '../../src/testing.ts'
import { postgresForTests } from '../session/postgres-for-tests.ts'
import { addPeople, askAny, openWorld, TOKEN } from './gateways.ts'

const { options, server: database } = postgresForTests({ connections: 200 })

/** So many that both gateways have some. */
const NAMES = ['ann', 'bob', 'carol', 'dave', 'erin', 'finn', 'gwen']
const chatOf = (name: string) => 5_000 + NAMES.indexOf(name)
const ROUNDS = 3

test(
  'a message in a chat of a person reaches their home wherever it is, once, also while the gateway that polls is killed or frozen',
  { ...options, timeout: 600_000 },
  async (t) => {
    const telegram = await scriptedTelegram()
    t.after(() => telegram.close())
    const { start } = await openWorld(t, await database().database(), telegram)
    const first = await start()
    const people = await addPeople(first, NAMES)
    let gateways = [first, await start()]
    const any = () => gateways
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
    // Homes move when they are quiet, until each gateway has those that belong to it. The first one alone polls.
    const isSpread = async () => {
      const homes = await Promise.all(
        people.map(({ token }) =>
          askAny<{ readonly home: string }>(any, token, '/api/status').then(({ home }) => home),
        ),
      )
      return gateways.every(({ home: at }) => homes.some((home) => home.startsWith(`${at}/`)))
    }
    while (!(await isSpread())) await sleep(100)

    const said: string[] = []
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const name of NAMES) telegram.say(chatOf(name), `${name}-${round}`)
      said.push(`round ${round}`)
      if (round === 1) {
        await telegram.until(() => NAMES.every((name) => answers(name).length === said.length + 1))
        continue
      }
      // Some of them are under way.
      await sleep(150)
      const [polling, ...others] = gateways as [(typeof gateways)[number], ...typeof gateways]
      gateways = others
      if (round === 2) {
        polling.child.kill('SIGKILL')
        await once(polling.child, 'close')
      } else {
        polling.child.kill('SIGSTOP')
        setTimeout(() => polling.child.kill('SIGCONT'), 12_000)
      }
      gateways = [...others, await start()]
      await telegram.until(() => NAMES.every((name) => answers(name).length >= said.length + 1))
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
      const [again, once] = [true, false].map((isAgain) =>
        answers(name).filter((text) => text.startsWith('Sent again after an interruption') === isAgain),
      )
      t.diagnostic(`${name}: ${once!.length} messages of the bot, and ${again!.length} that may be there already`)
      assert.ok(once!.length <= ROUNDS + 1, `${name}: ${answers(name).join(' | ')}`)
      assert.ok(answers(name).length >= ROUNDS + 1, `${name}: ${answers(name).join(' | ')}`)
    }
    const { sessions: owners } = await askAny<{ readonly sessions: readonly unknown[] }>(any, TOKEN, '/api/sessions')
    assert.deepEqual(owners, [])
  },
)
