import assert from 'node:assert/strict'
import test from 'node:test'
import { capability, RuntimeError } from '../../src/capability.ts'
import { ForewordError } from '../../src/platform.ts'
import { scriptedModel } from '../../src/testing.ts'
import { ada, crew, telegramHome } from './telegram-home.ts'

/** A capability with commands, such as anyone may write. */
function tides(runs: string[] = []) {
  return capability({
    name: 'tides',
    slashCommands: {
      tide: {
        argument: '[HARBOUR]',
        summary: 'show the tide of a harbour',
        async run({ argument, session, ask }) {
          const { version } = await ask<{ readonly version: string }>('/api/status')
          if (session === undefined) return `${argument || 'no harbour'}, version ${version}, no session`
          const { id } = await ask<{ readonly id: string }>(`/api/sessions/${session}`)
          return `${argument}, version ${version}, ${id === session ? 'its session' : 'another session'}`
        },
      },
      'sea-level': { summary: 'x'.repeat(300), run: async () => undefined },
      Storm: {
        summary: 'fail',
        async run({ argument, ask }) {
          runs.push(argument)
          if (argument === 'http') return JSON.stringify(await ask('/api/sessions/nothing'))
          if (argument === 'post')
            return JSON.stringify(await ask('/api/sessions', { method: 'POST', body: { title: 'Tides' } }))
          if (argument === 'own')
            throw new ForewordError('invalid-input', 'The harbour is closed.', {}, { hint: 'Sail on.' })
          if (argument === 'storage') throw new RuntimeError('storage', 'The disk is full of sand.')
          throw new Error('a secret of the inside')
        },
      },
      stop: { summary: 'never reached', run: async () => 'the stop of a capability' },
    },
  })
}

test('commands of capabilities answer in a chat, over the HTTP API and without a port', async (t) => {
  const model = scriptedModel()
  const home = await telegramHome(t, { model, capabilities: [tides()] })
  home.telegram.say(ada, '/tide')
  await home.reads(ada, 'no harbour, version 0.1.0, no session')
  home.telegram.say(ada, 'Hello')
  await home.reads(ada, 'no harbour, version 0.1.0, no session', 'ok')
  home.telegram.say(ada, '/TIDE  Old Harbour ')
  await home.telegram.until(() => home.said(ada)[2] === 'Old Harbour, version 0.1.0, its session')
  assert.equal(model.calls.length, 1)
})

test('they are in /help and in the menu of the bot, in the form that Telegram accepts', async (t) => {
  const home = await telegramHome(t, { capabilities: [tides()] })
  home.telegram.say(ada, '/help')
  await home.telegram.until(() => home.said(ada).length === 1)
  const lines = home.said(ada)[0]!.split('\n')
  assert.ok(lines.includes('/tide [HARBOUR]: show the tide of a harbour'))
  assert.equal(lines.filter((line) => line.startsWith('/stop')).length, 1, 'the own command counts')
  assert.match(lines.at(-1)!, /^\/help: /)
  const menu = home.telegram.calls('setMyCommands').at(-1)!.parameters['commands'] as {
    readonly command: string
    readonly description: string
  }[]
  assert.deepEqual(
    menu.map(({ command }) => command),
    ['new', 'stop', 'context', 'model', 'agent', 'subject', 'tide', 'sea_level', 'storm', 'help'],
  )
  assert.equal(menu.find(({ command }) => command === 'sea_level')!.description.length, 256)
})

test('a name with a hyphen is known in both forms, and in a group with the name of the bot', async (t) => {
  const home = await telegramHome(t, { capabilities: [tides()] })
  home.telegram.say(ada, '/sea-level')
  home.telegram.say(ada, '/sea_level')
  await home.reads(ada, 'Done.', 'Done.')
  home.telegram.open(crew, 'supergroup')
  home.telegram.say(crew, '/sea_level@scripted_bot', { from: ada })
  await home.reads(crew, 'Done.')
})

test('what a command cannot do is answered, and nothing of the inside is', async (t) => {
  const runs: string[] = []
  const home = await telegramHome(t, { capabilities: [tides(runs)] })
  for (const argument of ['own', 'http', 'broken']) home.telegram.say(ada, `/storm ${argument}`)
  await home.telegram.until(() => home.said(ada).length === 3)
  const [own, http, broken] = home.said(ada)
  assert.equal(own, 'The harbour is closed. Sail on.')
  assert.match(http!, /nothing/)
  assert.equal(broken, 'The command /Storm failed. The log of the gateway has the reason.')
  assert.deepEqual(home.warnings, ['The command /Storm failed in Telegram: a secret of the inside'])
  assert.deepEqual(runs, ['own', 'http', 'broken'], 'none is run again')
})

test('a command may change something over the HTTP API', async (t) => {
  const home = await telegramHome(t, { capabilities: [tides()] })
  home.telegram.say(ada, '/storm post')
  await home.telegram.until(() => home.said(ada).length === 1)
  const { id } = JSON.parse(home.said(ada)[0]!) as { readonly id: string }
  assert.equal((await home.runtime.store.session(id))?.title, 'Tides')
})
