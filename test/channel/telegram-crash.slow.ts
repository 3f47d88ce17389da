import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { openStore } from '../../src/session.ts'
import { type ScriptedTelegram, scriptedTelegram } from '../../src/testing.ts'
import { memoryFlags } from '../kit/started-program.ts'
import type { Orders, Place } from './crash/process.ts'
import { ada } from './telegram-home.ts'
import { systemClock } from '../../src/platform.ts'

const answer = 'Once upon a time.'
const again = `Sent again after an interruption, in case the first one did not arrive:\n\n${answer}`

const killedAt: Readonly<Record<Place, string>> = {
  accepted: 'right after a message was accepted',
  submitted: 'after a message became input and before that was noted',
  'before-sending': 'right before the first words were sent',
  growing: 'in the midst of a reply that grows',
  'before-noting': 'after the first words were sent and before that was noted',
  'before-delivered': 'after the reply stood there and before that was noted',
}

for (const [place, when] of Object.entries(killedAt)) {
  test(`killed ${when}, the gateway answers once and whole after its next start`, async (t) => {
    const { telegram, home } = await world(t)
    telegram.say(ada, 'A story')
    const killed = gateway(t, { ...home, killAt: place as Place })
    assert.deepEqual(await once(killed, 'close'), [null, 'SIGKILL'])
    const next = gateway(t, home)
    // Nobody can know of a message whose id was never heard of: the reply beside it says so, also where it never left.
    const stray = place === 'before-noting' ? 1 : 0
    const reply = place.startsWith('before-') && place !== 'before-delivered' ? again : answer
    await telegram.until(() => said(telegram).includes(reply) && telegram.waiting.length === 0)
    await delivered(home.home)
    next.kill('SIGKILL')
    await once(next, 'close')
    assert.equal(said(telegram).filter((text) => text === reply).length, 1)
    assert.equal(said(telegram).length, 1 + stray, said(telegram).join(' | '))
    const store = await openStore({ clock: systemClock, path: join(home.home, 'store.sqlite') })
    const [session, ...others] = await store.sessions()
    assert.deepEqual([session?.turns, others.length], [1, 0])
    await store.close()
  })
}

function said(telegram: ScriptedTelegram): readonly string[] {
  return telegram.messages(ada).flatMap(({ from, text }) => (from === 'bot' ? [text] : []))
}

async function world(t: TestContext) {
  const path = await mkdtemp(join(tmpdir(), 'foreword-telegram-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  const telegram = await scriptedTelegram()
  t.after(() => telegram.close())
  const home: Orders = { home: path, apiRoot: telegram.url, token: telegram.token, person: ada }
  return { telegram, home }
}

function gateway(t: TestContext, orders: Orders) {
  const program = join(import.meta.dirname, 'crash', 'process.ts')
  const child = spawn(
    process.execPath,
    [...memoryFlags, '--conditions=foreword-source', program, JSON.stringify(orders)],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  t.after(() => void child.kill('SIGKILL'))
  return child
}

/** Waits until the log knows that the reply is there. */
async function delivered(home: string): Promise<void> {
  const store = await openStore({ clock: systemClock, path: join(home, 'store.sqlite') })
  for (;;) {
    const [session] = await store.sessions()
    const entries = session ? await store.entries(session.id, { types: ['delivered'] }) : []
    if (entries.length > 0) return store.close()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
