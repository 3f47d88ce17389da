import assert from 'node:assert/strict'
import test from 'node:test'
import { schedules, scheduleService } from '../../src/capabilities/schedules/schedules.ts'
import { scriptedModel } from '../../src/testing.ts'
import { ada, telegramHome } from './telegram-home.ts'

test('/schedules lists them in a chat, and a run in the session of the chat is answered there', async (t) => {
  const model = scriptedModel({ answer: (_, n) => ({ text: n === 1 ? 'Hello, Ada.' : 'Nothing new.' }) })
  const home = await telegramHome(t, { model, capabilities: [schedules], timeZone: 'UTC' })
  const service = home.runtime.capability(scheduleService)!
  home.telegram.say(ada, '/schedules')
  await home.reads(ada, 'No schedules yet. Add one with `foreword schedule add`.')
  home.telegram.say(ada, 'Hello')
  await home.telegram.until(() => home.said(ada).length === 2)
  const session = (await home.session(ada))!
  const budget = { tokens: 1_000_000 }
  const { id } = await service.add({ when: 'every day at 8', text: 'Look at the news.', session, budget })
  home.telegram.say(ada, '/schedules')
  await home.telegram.until(() => home.said(ada).length === 3)
  assert.equal(home.said(ada)[2], 'Look at the news.: every day at 8, next 2026-01-06 08:00 (UTC)')
  await service.run(id)
  await home.telegram.until(() => home.said(ada).length === 4)
  assert.equal(home.said(ada)[3], 'Nothing new.')
})
