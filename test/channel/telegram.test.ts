import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import test from 'node:test'
import { messageText } from '../../src/context.ts'
import type { Models } from '../../src/model.ts'
import { newSessionReply } from '../../src/runtime.ts'
import { scriptedModel, scriptedModels, scriptedTelegram } from '../../src/testing.ts'
import { gate, tool } from '../runtime/opened.ts'
import { ada, bob, telegramHome, userTexts } from './telegram-home.ts'
import { systemClock } from '../../src/platform.ts'

test('the agent answers a paired chat in one session', async (t) => {
  const model = scriptedModel({ answer: (_, n) => ({ text: `Answer **${n}**.` }) })
  const home = await telegramHome(t, { model })
  home.telegram.say(ada, 'Hello')
  await home.reads(ada, 'Answer 1.')
  home.telegram.say(ada, 'And again')
  const [first] = await home.reads(ada, 'Answer 1.', 'Answer 2.')
  assert.deepEqual(first!.entities, [{ type: 'bold', offset: 7, length: 1 }])
  assert.deepEqual(userTexts(await home.log(String(ada))), ['Hello', 'And again'])
})

test('an unpaired chat reads once how to pair, and reaches no model and no log', async (t) => {
  const model = scriptedModel()
  const home = await telegramHome(t, { model })
  for (const text of ['Hello', 'Is anybody there?', '/new', '/context']) home.telegram.say(bob, text)
  await home.reads(
    bob,
    'This bot is private. Ask its owner to run `foreword pair`, then send the code here: /pair CODE',
  )
  await home.settled(bob)
  assert.equal(home.said(bob).length, 1)
  assert.deepEqual([model.calls.length, (await home.runtime.store.sessions()).length], [0, 0])
  assert.deepEqual(await readdir(home.inbox), [], 'nothing of it is kept')
})

test('a stranger who blocks the bot is no news for the operator', async (t) => {
  const home = await telegramHome(t)
  const blocked = 'Forbidden: bot was blocked by the user'
  home.telegram.fail('sendMessage', { type: 'refused', code: 403, description: blocked, chat: bob })
  home.telegram.say(bob, 'Hello')
  await home.telegram.until(() => home.telegram.calls('sendMessage').length === 1)
  home.telegram.say(ada, 'Hello')
  await home.reads(ada, 'ok')
  assert.deepEqual(home.warnings, [])
})

test('a message directly after the pairing code is answered', async (t) => {
  const home = await telegramHome(t)
  const { code } = await home.runtime.pairings.newCode('telegram')
  home.telegram.say(bob, `/pair ${code}`)
  home.telegram.say(bob, 'Hello')
  await home.telegram.until(() => home.said(bob)[1] === 'ok')
})

for (const form of ['/pair CODE', '/start CODE', 'CODE', '/pair code', '/pair@scripted_bot CODE']) {
  test(`a code that is sent as ${form} pairs a chat until the pairing is removed`, async (t) => {
    const home = await telegramHome(t)
    const { code } = await home.runtime.pairings.newCode('telegram')
    home.telegram.say(bob, form.replace('CODE', code).replace('code', code.toLowerCase()))
    const welcome = 'This chat is paired. Send a message to talk to the agent. /help lists the commands.'
    await home.reads(bob, welcome)
    const [paired] = await home.runtime.pairings.list('telegram')
    assert.deepEqual([paired?.chat, paired?.person, paired?.kind], [String(bob), String(bob), 'person'])
    home.telegram.say(bob, 'Hello')
    await home.reads(bob, welcome, 'ok')
    assert.equal(await home.runtime.pairings.remove('telegram', String(bob)), true)
    home.telegram.say(bob, 'Hello again')
    await home.telegram.until(() => home.said(bob).at(-1)?.startsWith('This bot is private.'))
    assert.deepEqual(userTexts(await home.log(String(bob))), ['Hello'])
  })
}

test('a wrong code pairs nothing, gets an answer, and attempts are limited', async (t) => {
  const home = await telegramHome(t)
  await home.runtime.pairings.newCode('telegram')
  for (let n = 0; n < 8; n += 1) home.telegram.say(bob, `/pair AAAA-AAA${n}`)
  await home.settled(bob)
  assert.deepEqual(
    new Set(home.said(bob)),
    new Set(['This code is not valid. A code works once and expires after ten minutes.']),
  )
  assert.equal(home.said(bob).length, 5)
  assert.deepEqual(await home.runtime.pairings.list(), [])
})

test('/new begins a new session in any case, keeps the old one, and the next request holds one message', async (t) => {
  const model = scriptedModel()
  const home = await telegramHome(t, { model })
  home.telegram.say(ada, 'Hello')
  await home.reads(ada, 'ok')
  const before = await home.session(ada)
  home.telegram.say(ada, ' /NEW ')
  await home.reads(ada, 'ok', newSessionReply)
  home.telegram.say(ada, 'Fresh')
  await home.reads(ada, 'ok', newSessionReply, 'ok')
  assert.notEqual(await home.session(ada), before)
  assert.ok(await home.runtime.store.session(before!), 'the old one is kept')
  assert.deepEqual(
    model.calls.at(-1)!.request.messages.map(({ role }) => role),
    ['user'],
  )
  assert.equal(model.calls.length, 2, 'no model was asked about the command')
  assert.equal((await home.runtime.store.sessions()).length, 2)
})

test('/new twice makes one new session: what arrives again changes nothing', async (t) => {
  const home = await telegramHome(t)
  home.telegram.say(ada, 'Hello')
  await home.reads(ada, 'ok')
  home.telegram.say(ada, '/new')
  home.telegram.say(ada, '/new')
  await home.reads(ada, 'ok', newSessionReply, newSessionReply)
  assert.equal((await home.runtime.store.sessions()).length, 2)
})

test('/new with words begins a new session with these words, once, however often they arrive', async (t) => {
  const model = scriptedModel()
  const home = await telegramHome(t, { model })
  home.telegram.say(ada, 'Hello')
  await home.reads(ada, 'ok')
  const before = await home.session(ada)
  home.telegram.say(ada, '/New What about\nthe mast?')
  await home.reads(ada, 'ok', 'ok')
  assert.notEqual(await home.session(ada), before)
  assert.deepEqual(
    model.calls.at(-1)!.request.messages.map(({ role, content }) => ({ role, content })),
    [{ role: 'user', content: 'What about\nthe mast?' }],
  )
  assert.equal((await home.runtime.store.sessions()).length, 2)
})

test('/context says what the next call would send', async (t) => {
  const home = await telegramHome(t)
  home.telegram.say(ada, 'Hello')
  await home.reads(ada, 'ok')
  home.telegram.say(ada, '/context')
  const text = await home.telegram.until(() => home.said(ada)[1])
  assert.match(
    text,
    /^Model: scripted\nUsed: [\d,]+ of [\d,]+ tokens \(window 8,192, [\d,]+ reserved for the answer\)\n/,
  )
  assert.match(text, /^ {2}system: \d+$/m)
  assert.match(text, /^ {2}history: \d+$/m)
  assert.match(
    text,
    /\nThe next call: [\d,]+ tokens \(cache not known\); the model has no price\. Nine prompts in ten have [\d,]+ to [\d,]+ tokens\.$/,
  )
})

test('/context says what the session cost, what the cache saved, and what the next call may cost', async (t) => {
  const usage = { promptTokens: 1_000, cachedTokens: 500, cacheWrittenTokens: 0, outputTokens: 100, reasoningTokens: 0 }
  const price = { input: 2, cachedInput: 1, output: 10 }
  const model = scriptedModel({ facts: { price, maxOutput: 1_000 }, answer: () => ({ text: 'ok', usage }) })
  const home = await telegramHome(t, { model })
  home.telegram.say(ada, 'Hello')
  await home.reads(ada, 'ok')
  home.telegram.say(ada, '/context')
  const text = await home.telegram.until(() => home.said(ada)[1])
  assert.match(
    text,
    /\nThis session cost \$0\.0025; the cache saved \$0\.0005[0-9]*\.\nThe next call costs \$[\d.]+ to \$[\d.]+: /,
  )
})

test('/model lists the models, chooses one for the session, and goes back', async (t) => {
  const home = await telegramHome(t)
  home.telegram.say(ada, '/model')
  home.telegram.say(ada, '/model nobody/nothing')
  home.telegram.say(ada, '/model scripted')
  await home.reads(
    ada,
    '→ scripted\n\nChoose one with /model ID. /model default returns to the configured model.',
    'there is no model nobody/nothing',
    'Set the model of this session to scripted.',
  )
  const session = (await home.session(ada))!
  assert.equal((await home.runtime.store.session(session))?.model, 'scripted')
  home.telegram.say(ada, '/model DEFAULT')
  await home.telegram.until(() => home.said(ada).length === 4)
  assert.equal((await home.runtime.store.session(session))?.model, undefined)
})

test('/model shows what works first', async (t) => {
  const scripted = scriptedModels(scriptedModel())
  const models: Models = {
    ...scripted,
    list: async () => [
      { id: 'openai', ready: false, why: 'openai needs a key' },
      { id: 'lab/small', ready: true },
      ...(await scripted.list()),
    ],
  }
  const home = await telegramHome(t, { models })
  home.telegram.say(ada, '/model')
  await home.reads(
    ada,
    '→ scripted\n· lab/small\n· openai (openai needs a key)\n\nChoose one with /model ID. /model default returns to the configured model.',
  )
})

test('/agent lists the agents, chooses one by its name, and none', async (t) => {
  const home = await telegramHome(t)
  const poet = await home.runtime.agents.create({ name: 'Poet', prompt: 'Answer in verse.' })
  home.telegram.say(ada, '/agent')
  home.telegram.say(ada, '/agent nobody')
  home.telegram.say(ada, '/agent poet')
  await home.telegram.until(() => home.said(ada).length === 3)
  await home.runtime.agents.create({ name: 'Porter', prompt: 'Carry.' })
  home.telegram.say(ada, '/agent PO')
  home.telegram.say(ada, '/agent port')
  home.telegram.say(ada, '/agent poe')
  await home.reads(
    ada,
    '→ none: the default agent\n· Poet\n\nChoose one with /agent NAME.',
    'Unknown agent nobody. List them with /agent.',
    'Set the agent of this session to Poet.',
    'PO is ambiguous:\n→ Poet\n· Porter',
    'Set the agent of this session to Porter.',
    'Set the agent of this session to Poet.',
  )
  const session = (await home.session(ada))!
  assert.equal((await home.runtime.store.session(session))?.choices['agent'], poet.id)
  home.telegram.say(ada, '/agent none')
  await home.telegram.until(() => home.said(ada).length === 7)
  assert.equal((await home.runtime.store.session(session))?.choices['agent'], undefined)
})

test('/subject sets the subject of a session and reports an unknown one', async (t) => {
  const home = await telegramHome(t)
  home.telegram.say(ada, '/subject')
  home.telegram.say(ada, '/subject nothing')
  await home.telegram.until(() => home.said(ada).length === 2)
  assert.match(home.said(ada)[0]!, /No subjects yet\./)
  assert.match(home.said(ada)[1]!, /nothing/)
  home.telegram.say(ada, '/subject none')
  await home.telegram.until(() => home.said(ada)[2]?.includes('no subject'))
})

test('/subject takes the beginning of an id or a title, and lists what it could mean', async (t) => {
  const home = await telegramHome(t)
  for (const [id, brief] of [
    ['IMG_1', 'A pier.'],
    ['IMG_12', 'A reef.'],
    ['reef', 'Tides.'],
  ] as const)
    await home.runtime.subjects.create(id, { brief })
  for (const word of ['img_1', 'a p', 'ree', 'img', 'a re']) home.telegram.say(ada, `/subject ${word}`)
  await home.reads(
    ada,
    'Set the subject of this session to IMG_1.',
    'Set the subject of this session to IMG_1.',
    'Set the subject of this session to reef.',
    'img is ambiguous:\n· IMG_1: A pier.\n· IMG_12: A reef.',
    'Set the subject of this session to IMG_12.',
  )
})

test('/help lists the commands, and an unknown one is no message to the model', async (t) => {
  const model = scriptedModel()
  const home = await telegramHome(t, { model })
  home.telegram.say(ada, '/help')
  home.telegram.say(ada, '/nonsense now')
  home.telegram.say(ada, '/etc/passwd is a file')
  await home.telegram.until(() => home.said(ada).length === 3)
  const [help, unknown, answer] = home.said(ada)
  for (const name of ['new', 'stop', 'context', 'model', 'agent', 'subject', 'help'])
    assert.match(help!, new RegExp(`^/${name}\\b`, 'm'))
  assert.equal(unknown, 'Unknown command /nonsense. List the commands with /help.')
  assert.equal(answer, 'ok')
  assert.equal(model.calls.length, 1)
  const [menu] = home.telegram.calls('setMyCommands')
  assert.equal((menu!.parameters['commands'] as unknown[]).length, 7)
})

test('/stop ends what runs, and what waits behind it', async (t) => {
  const never = gate()
  const model = scriptedModel({
    answer: () => ({ text: ['Once ', 'upon a time'], before: (n) => (n === 1 ? never.passed : undefined) }),
  })
  const home = await telegramHome(t, { model })
  home.telegram.say(ada, '/stop')
  await home.reads(ada, 'Nothing is running.')
  home.telegram.say(ada, 'Tell me a story')
  home.telegram.say(ada, 'And another one')
  await home.telegram.until(() => home.said(ada)[1] === 'Once')
  home.telegram.say(ada, '/stop')
  await home.reads(
    ada,
    'Nothing is running.',
    'Once\n\nStopped before the end.',
    'Stopped. 1 waiting message was cancelled too.',
  )
  const ends = (await home.log(String(ada))).flatMap((entry) => (entry.type === 'turn-end' ? [entry.outcome.type] : []))
  assert.deepEqual(ends, ['cancelled', 'cancelled'])
})

test('/stop does not wait behind a large file, and says all that it ended', async (t) => {
  const never = gate()
  const model = scriptedModel({
    answer: () => ({ text: ['Once ', 'upon a time'], before: (n) => (n === 1 ? never.passed : undefined) }),
  })
  const home = await telegramHome(t, { model })
  home.telegram.say(ada, 'Tell me a story')
  await home.reads(ada, 'Once')
  home.telegram.fail('getFile', { type: 'slow', ms: 1_000 })
  home.telegram.say(ada, 'Look', { document: { name: 'notes.txt', bytes: Buffer.from('Hello') } })
  home.telegram.say(ada, '/stop')
  const [first] = await home.reads(ada, 'Once\n\nStopped before the end.')
  await home.telegram.until(() => home.said(ada).includes('Stopped. 1 waiting message was cancelled too.'))
  assert.equal(home.telegram.messages(ada).find(({ from }) => from === 'bot')?.id, first!.id)
})

test('two people at once: who waits for a slow answer holds up nobody else', async (t) => {
  const slow = gate()
  const model = scriptedModel({
    answer: ({ messages }) => ({
      text: 'Done.',
      before: () => (JSON.stringify(messages).includes('slowly') ? slow.passed : undefined),
    }),
  })
  const home = await telegramHome(t, { model, options: { allowedUsers: [ada, bob] } })
  home.telegram.say(ada, 'Think slowly')
  home.telegram.say(bob, 'Quick')
  await home.reads(bob, 'Done.')
  assert.deepEqual(home.said(ada), [])
  slow.open()
  await home.reads(ada, 'Done.')
})

test('a chat that Telegram limits holds up nobody else', async (t) => {
  const home = await telegramHome(t, { options: { allowedUsers: [ada, bob] } })
  home.telegram.fail('sendMessage', { type: 'limited', retryAfter: 1, chat: ada }, 1)
  home.telegram.say(ada, 'Hello')
  await home.telegram.until(() => home.telegram.calls('sendMessage').length === 1)
  home.telegram.say(bob, 'Hello')
  await home.reads(bob, 'ok')
  await home.reads(ada, 'ok')
})

test('a message that waits is read as it was edited, and an edit that comes too late gets a word', async (t) => {
  const go = gate()
  const model = scriptedModel({ answer: (_, n) => ({ text: 'ok', before: () => (n === 1 ? go.passed : undefined) }) })
  const home = await telegramHome(t, { model })
  const [first] = home.telegram.say(ada, 'first')
  const [second] = home.telegram.say(ada, 'buy ten')
  await home.handled()
  home.telegram.change(ada, second!.message!.message_id, 'buy two')
  home.telegram.change(ada, first!.message!.message_id, 'late')
  await home.telegram.until(() => home.said(ada).some((text) => text.startsWith('Your edit came too late')))
  go.open()
  await home.delivered(ada, 2)
  const log = await home.log(String(ada))
  assert.deepEqual(
    log.flatMap((entry) => (entry.type === 'edit' ? [messageText(entry.message)] : [])),
    ['buy two'],
  )
  assert.equal(home.said(ada).filter((text) => text.startsWith('Your edit')).length, 1)
})

test('the same update twice is one message', async (t) => {
  const model = scriptedModel()
  const home = await telegramHome(t, { model })
  const [update] = home.telegram.say(ada, 'Hello')
  await home.reads(ada, 'ok')
  home.telegram.redeliver(update!.update_id)
  home.telegram.say(ada, 'Next')
  await home.reads(ada, 'ok', 'ok')
  assert.equal(model.calls.length, 2)
})

test('what cannot be read is answered, and what nobody said is not', async (t) => {
  const home = await telegramHome(t)
  home.telegram.say(ada, '', { extra: { story: { id: 1, chat: { id: ada, type: 'private', first_name: 'Ada' } } } })
  home.telegram.say(ada, '', { extra: { delete_chat_photo: true } })
  await home.handled()
  assert.deepEqual(home.said(ada), ['I cannot read a story.'])
})

test('links are not fetched unless the owner wants that', async (t) => {
  const model = scriptedModel({ answer: () => ({ text: 'See https://example.org/?q=secret' }) })
  const home = await telegramHome(t, { model })
  home.telegram.say(ada, 'Where?')
  const [message] = await home.reads(ada, 'See https://example.org/?q=secret')
  assert.equal(message!.preview, false)
})

test('the operator gets a warning of a wrong token, without the token, and the gateway continues', async (t) => {
  const home = await telegramHome(t, { options: { token: '7000000001:wrong-token-of-the-tests' } })
  await home.telegram.until(() => (home.channel.warnings?.() ?? []).length > 0)
  assert.match(home.channel.warnings!()[0]!, /^Telegram does not know the token of the bot\./)
  assert.doesNotMatch([...home.warnings, ...home.channel.warnings!()].join(' '), /wrong-token/)
})

test('the operator is warned of another program that polls for messages, until it stops', async (t) => {
  const home = await telegramHome(t, { options: { clock: { ...systemClock, sleep: async () => {} } } })
  const conflict = 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running'
  home.telegram.fail('getUpdates', { type: 'refused', code: 409, description: conflict }, 2)
  home.telegram.say(ada, 'Hello')
  await home.telegram.until(() => home.warnings.some((text) => text.startsWith('Another program polls')))
  await home.reads(ada, 'ok')
  await home.telegram.until(() => home.channel.warnings!().length === 0)
})

test('a network failure loses nothing', async (t) => {
  const home = await telegramHome(t)
  home.telegram.fail('getUpdates', { type: 'dropped' }, 1)
  home.telegram.fail('getUpdates', { type: 'broken' }, 1)
  home.telegram.say(ada, 'Hello')
  await home.reads(ada, 'ok')
})

test('a tool that runs is shown while it runs, and the answer takes its place', async (t) => {
  const running = gate()
  const model = scriptedModel({
    answer: (_, n) =>
      n === 1 ? { text: 'Let me look.', toolCalls: [{ name: 'search', input: {} }] } : { text: 'Found.' },
  })
  const search = tool('search', async () => {
    await running.passed
    return { ok: true, output: 'something' }
  })
  const home = await telegramHome(t, { model, tools: [search] })
  home.telegram.say(ada, 'Look it up')
  await home.reads(ada, 'Let me look.\n\n… running search')
  running.open()
  await home.reads(ada, 'Found.')
  await home.delivered(ada, 1)
})

test('a chat that is unpaired during an answer gets no more messages', async (t) => {
  const slow = gate()
  const model = scriptedModel({ answer: () => ({ text: 'Done.', before: () => slow.passed }) })
  const home = await telegramHome(t, { model })
  const { code } = await home.runtime.pairings.newCode('telegram')
  home.telegram.say(bob, `/pair ${code}`)
  await home.telegram.until(() => home.said(bob).length === 1)
  home.telegram.say(bob, 'Think slowly')
  await home.telegram.until(() => model.calls.length === 1)
  await home.runtime.pairings.remove('telegram', String(bob))
  slow.open()
  await home.telegram.until(() => home.warnings.some((text) => text.includes('no longer has access to the bot')))
  assert.equal(home.said(bob).length, 1)
})

test('a webhook that somebody has set meanwhile is taken away', async (t) => {
  const home = await telegramHome(t)
  await home.telegram.until(() => home.telegram.calls('getUpdates').length > 0)
  const description =
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete it first"
  home.telegram.fail('getUpdates', { type: 'refused', code: 409, description })
  home.telegram.say(ada, 'One')
  home.telegram.say(ada, 'Two')
  await home.telegram.until(() => home.telegram.calls('deleteWebhook').length === 2)
  await home.reads(ada, 'ok', 'ok')
})

test('an update that nobody can read keeps no other from coming in', async (t) => {
  const home = await telegramHome(t)
  home.telegram.happen({ message: { message_id: 1, date: 1 } as never })
  home.telegram.say(ada, 'Hello')
  await home.reads(ada, 'ok')
  assert.ok(home.warnings.some((text) => text.startsWith('Skipped an update from Telegram')))
})

test('a menu that Telegram takes later keeps nobody from listening', async (t) => {
  const telegram = await scriptedTelegram()
  telegram.fail('setMyCommands', { type: 'limited', retryAfter: 3600 })
  const home = await telegramHome(t, { telegram })
  home.telegram.say(ada, 'Hello')
  await home.reads(ada, 'ok')
})
