import assert from 'node:assert/strict'
import test from 'node:test'
import { messageText } from '../../src/context.ts'
import { scriptedModel } from '../../src/testing.ts'
import { ada, bob, crew, telegramHome, userTexts } from './telegram-home.ts'

const file = { file_id: 'file-1', file_unique_id: 'u', file_size: 3, width: 1, height: 1, duration: 1, length: 1 }
const place = { latitude: 52.5, longitude: 13.4 }
const from = { id: ada, is_bot: false, first_name: 'Ada' }
const chat = { id: ada, type: 'private', first_name: 'Ada' }
const channel = { id: -100_900, type: 'channel', title: 'News' }
const option = (text: string, votes: number) => ({ text, voter_count: votes, persistent_id: text })

/** Kinds of messages: the text, the fields, and what the agent reads. */
const read: readonly (readonly [kind: string, text: string, fields: object, reads: string])[] = [
  ['text', 'Hello', {}, 'Hello'],
  ['photo', 'Look', { photo: [file] }, 'Look'],
  ['document', '', { document: file }, '(a file, without words)'],
  ['animation', '', { animation: file }, '(a file, without words)'],
  ['animation with its document', '', { animation: file, document: file }, '(a file, without words)'],
  ['voice', '', { voice: file }, '(a file, without words)'],
  ['audio', '', { audio: file }, '(a file, without words)'],
  ['video', '', { video: file }, '(a file, without words)'],
  ['video_note', '', { video_note: file }, '(a file, without words)'],
  ['sticker', '', { sticker: { ...file, emoji: '😀' } }, '(a sticker: 😀)'],
  ['sticker without a sign', '', { sticker: file }, '(a sticker)'],
  ['location', '', { location: place }, '(a place: 52.5, 13.4)'],
  [
    'venue',
    '',
    { venue: { title: 'Café\nX', address: 'Street 1', location: place }, location: place },
    '(a place: Café X, Street 1, 52.5, 13.4)',
  ],
  ['contact', '', { contact: { first_name: 'Bo', last_name: 'Li', phone_number: '+1 2' } }, '(a contact: Bo Li, +1 2)'],
  [
    'poll',
    '',
    { poll: { question: 'Tea?', options: [option('Yes', 2), option('No', 0)] } },
    '(a poll: Tea?, Yes (2), No (0))',
  ],
  ['dice', '', { dice: { emoji: '🎲', value: 4 } }, '(a throw of 🎲: 4)'],
  ['game', '', { game: { title: 'Snake', description: 'Eat' } }, '(a game: Snake, Eat)'],
  [
    'checklist',
    '',
    {
      checklist: {
        title: 'Trip',
        tasks: [
          { id: 1, text: 'Pack', completion_date: 1 },
          { id: 2, text: 'Go' },
        ],
      },
    },
    '(a checklist: Trip, [x] Pack, [ ] Go)',
  ],
  ['paid media beside text', 'Nice', { paid_media: {} }, 'Nice\n(with paid photos or videos, not read)'],
  [
    'forwarded',
    'News',
    { forward_origin: { type: 'channel', date: 1, chat: channel, message_id: 1 } },
    '(forwarded from News)\nNews',
  ],
  [
    'external reply',
    'Really?',
    {
      external_reply: { origin: { type: 'user', date: 1, sender_user: { ...from, first_name: 'Eve' } } },
      quote: { text: 'The end', position: 0 },
    },
    '(in answer to Eve: "The end")\nReally?',
  ],
  [
    'external reply to a photo',
    'Where?',
    { external_reply: { origin: { type: 'hidden_user', date: 1, sender_user_name: 'Eve' }, photo: [file] } },
    '(in answer to Eve: "(a photo)")\nWhere?',
  ],
  [
    'reply to a message without words',
    'Where?',
    { reply_to_message: { message_id: 1, date: 1, chat, from, location: place } },
    '(in answer to Ada: "(a place: 52.5, 13.4)")\nWhere?',
  ],
  ['reply to a story', 'Wow', { reply_to_story: { id: 1, chat } }, '(in answer to Ada: "(a story)")\nWow'],
  [
    'through another bot',
    'By a bot',
    { via_bot: { id: 9, is_bot: true, first_name: 'Gif' } },
    '(forwarded from Gif)\nBy a bot',
  ],
]

/** Messages that the agent cannot read, and what their author is told. */
const told: readonly (readonly [fields: object, says: string])[] = [
  [{ story: { id: 1, chat } }, 'I cannot read a story.'],
  [{ paid_media: {} }, 'I cannot read paid photos or videos.'],
  [{ live_photo: {} }, 'I cannot read a live photo.'],
  [{ invoice: {} }, 'I cannot read an invoice.'],
  [{ giveaway: {} }, 'I cannot read a giveaway.'],
  [{ gift: {} }, 'I cannot read a gift.'],
  [{ passport_data: {} }, 'I cannot read passport data.'],
  [{ hologram: {} }, 'I cannot read something that is not known here.'],
]

/** Messages of the service about the chat: nobody expects an answer. */
const service =
  'new_chat_members left_chat_member new_chat_title new_chat_photo delete_chat_photo group_chat_created supergroup_chat_created channel_chat_created message_auto_delete_timer_changed pinned_message users_shared chat_shared connected_website write_access_allowed proximity_alert_triggered boost_added chat_background_set checklist_tasks_done checklist_tasks_added forum_topic_created forum_topic_edited forum_topic_closed forum_topic_reopened general_forum_topic_hidden general_forum_topic_unhidden giveaway_created giveaway_completed gift_upgrade_sent paid_message_price_changed direct_message_price_changed video_chat_scheduled video_chat_started video_chat_ended video_chat_participants_invited web_app_data successful_payment refunded_payment suggested_post_approved suggested_post_paid'.split(
    ' ',
  )

const post = { message_id: 1, date: 1, chat: channel, text: 'A post' }
const message = { message_id: 1, date: 1, chat, from, text: 'Not for the bot' }
/** Kinds of updates without an answer, each with the reason. */
const ignored: readonly (readonly [update: object, reason: string])[] = [
  [{ channel_post: post }, 'a channel is no conversation'],
  [{ edited_channel_post: post }, 'the same'],
  [{ business_connection: {} }, 'the agent does not answer in the name of its owner'],
  [{ business_message: message }, 'the same'],
  [{ edited_business_message: message }, 'the same'],
  [{ deleted_business_messages: {} }, 'the same'],
  [{ message_reaction: { chat, message_id: 1, date: 1, old_reaction: [], new_reaction: [] } }, 'a sign is no message'],
  [{ message_reaction_count: {} }, 'the same'],
  [{ inline_query: { id: '1', from, query: 'x', offset: '' } }, 'the bot offers no inline mode'],
  [{ chosen_inline_result: {} }, 'the same'],
  [{ callback_query: { id: '1', from, chat_instance: '1', game_short_name: 'x' } }, 'the bot sends no games'],
  [{ shipping_query: {} }, 'the bot sells nothing'],
  [{ pre_checkout_query: {} }, 'the same'],
  [{ purchased_paid_media: {} }, 'the same'],
  [{ poll: { id: '1' } }, 'the bot sends no polls'],
  [{ poll_answer: {} }, 'the same'],
  [{ chat_member: {} }, 'who joins or leaves says nothing to the agent'],
  [{ chat_join_request: {} }, 'the owner of the group decides about members'],
  [{ chat_boost: {} }, 'says nothing to the agent'],
  [{ removed_chat_boost: {} }, 'the same'],
  [{ managed_bot: {} }, 'the agent owns no bots'],
  [{ hologram: {} }, 'a kind that the bot did not ask for'],
  [{ edited_message: { ...message, text: undefined, location: place } }, 'a live place moves all the time'],
  [{ edited_message: { ...message, text: undefined, poll: { question: 'x', options: [] } } }, 'somebody voted'],
]

test('every kind of message and update is read, answered with what cannot be read, or ignored for a reason', async (t) => {
  const model = scriptedModel()
  const home = await telegramHome(t, { model })
  // The file that the messages below name.
  home.telegram.say(ada, 'First', { document: { name: 'a.txt', bytes: Buffer.from('abc') } })
  for (const [, text, extra] of read) home.telegram.say(ada, text, { extra })
  for (const [extra] of told) home.telegram.say(ada, '', { extra })
  for (const kind of service) home.telegram.say(ada, '', { extra: { [kind]: {} } })
  for (const [update] of ignored) home.telegram.happen(update)
  await home.handled()
  await home.runtime.idle()
  const texts = userTexts(await home.log(String(ada)))
  assert.deepEqual(texts, ['First', ...read.map(([, , , reads]) => reads)])
  assert.deepEqual(
    home.said(ada).filter((text) => text !== 'ok'),
    told.map(([, says]) => says),
  )
  assert.equal(model.calls.length, read.length + 1)
  assert.deepEqual(home.warnings, [])
})

test('a caption that is taken away from a waiting message is an edit', async (t) => {
  const gate = Promise.withResolvers<void>()
  const model = scriptedModel({ answer: async () => (await gate.promise, { text: 'ok' }) })
  const home = await telegramHome(t, { model })
  home.telegram.say(ada, 'First')
  const document = { name: 'a.txt', bytes: Buffer.from('abc') }
  const [update] = home.telegram.say(ada, 'Wrong words', { document })
  await home.telegram.until(() => home.telegram.waiting.length === 0)
  await home.handled()
  home.telegram.happen({ edited_message: { ...update!.message, caption: undefined } as never })
  await home.handled()
  gate.resolve()
  await home.reads(ada, 'ok', 'ok')
  const edited = (await home.log(String(ada))).flatMap((entry) => (entry.type === 'edit' ? [entry.message] : []))
  assert.match(JSON.stringify(edited), /\(a file, without words\)/)
})

test('an edit that replaces only the file of a waiting message is read, and one that changes nothing is none', async (t) => {
  const gate = Promise.withResolvers<void>()
  const model = scriptedModel({ answer: async () => (await gate.promise, { text: 'ok' }) })
  const home = await telegramHome(t, { model })
  const textFile = (name: string, text: string) => ({ name, bytes: Buffer.from(text) })
  /** Words between members of a group bring files to the server, and nothing to the bot. */
  const paper = (name: string, text: string) =>
    home.telegram.say(crew, '', { from: bob, type: 'group', document: textFile(name, text) })[0]!.message!.document!
  home.telegram.say(ada, 'First')
  const [alone] = home.telegram.say(ada, 'Read it', { document: textFile('a.txt', 'one') })
  const [plain] = home.telegram.say(ada, 'Words alone')
  const album = home.telegram.say(ada, 'Two', {
    mediaGroup: [textFile('1.txt', 'page 1'), textFile('2.txt', 'page 2')],
  })
  await home.handled()
  const edit = (update: (typeof album)[number] | undefined, extra: object) =>
    home.telegram.happen({ edited_message: { ...update!.message, ...extra } as never })
  // The same size and name, and other bytes.
  edit(alone, { document: paper('a.txt', 'two') })
  edit(alone, { document: paper('a.txt', 'two') })
  edit(plain, { document: paper('b.txt', 'added') })
  edit(album[0], { document: paper('1.txt', 'page one') })
  edit(album[0], { document: paper('3.txt', 'page 3') })
  await home.handled()
  gate.resolve()
  await home.telegram.until(() => home.said(ada).filter((text) => text === 'ok').length === 4)
  edit(alone, { document: paper('a.txt', 'two') })
  edit(alone, { document: paper('late.txt', 'too late') })
  await home.handled()
  await home.runtime.idle()
  const edits = (await home.log(String(ada))).flatMap((entry) => (entry.type === 'edit' ? [entry] : []))
  assert.deepEqual(
    edits.map(({ message: words, attachments = [] }) => [messageText(words), attachments.map(({ name }) => name)]),
    [
      ['Read it', ['a.txt']],
      ['Words alone', ['b.txt']],
      ['Two', ['1.txt', '2.txt']],
    ],
  )
  const requests = JSON.stringify(model.calls.map(({ request }) => request.messages))
  for (const text of ['two', 'added', 'page one', 'page 2']) assert.ok(requests.includes(text), text)
  for (const text of ['>one<', 'page 1', 'page 3', 'too late']) assert.ok(!requests.includes(text), text)
  const said = home.said(ada).filter((text) => text !== 'ok')
  assert.deepEqual(
    said.map((text) => text.split(',')[0]!.slice(0, 30)),
    ['The new file was not read', 'Your edit came too late: the m'],
  )
})

test('a paired group that becomes a supergroup keeps its session and its access', async (t) => {
  const home = await telegramHome(t)
  const [old, now] = [-600, -100_777]
  const mention = [{ type: 'mention', offset: 0, length: 13 }] as const
  const { code } = await home.runtime.pairings.newCode('telegram')
  home.telegram.say(old, `/pair@scripted_bot ${code}`, { from: bob, type: 'group' })
  await home.telegram.until(() => home.said(old)[0]?.startsWith('This group is paired.'))
  home.telegram.say(old, '@scripted_bot one', { from: bob, entities: mention })
  await home.telegram.until(() => home.said(old).includes('ok'))
  const session = await home.session(old)
  home.telegram.say(old, '', { from: bob, extra: { migrate_to_chat_id: now } })
  home.telegram.say(now, '', { from: bob, extra: { migrate_from_chat_id: old } })
  home.telegram.say(now, '@scripted_bot two', { from: bob, entities: mention })
  await home.reads(now, 'ok')
  assert.deepEqual([await home.session(now), await home.session(old)], [session, undefined])
  assert.equal(userTexts(await home.log(String(now))).length, 2)
  assert.deepEqual([(await home.runtime.pairings.list()).map((each) => each.chat), home.warnings], [[String(now)], []])
})

test('a group of the settings that becomes a supergroup keeps its session, and its new id has to be added', async (t) => {
  const home = await telegramHome(t)
  home.telegram.say(crew, '@scripted_bot one', { from: bob, entities: [{ type: 'mention', offset: 0, length: 13 }] })
  await home.reads(crew, 'ok')
  const session = await home.session(crew)
  home.telegram.say(crew, '', { from: bob, extra: { migrate_to_chat_id: -100_777 } })
  await home.handled()
  assert.equal(await home.session(-100_777), session)
  assert.match(home.warnings.join(), /a supergroup with the id -100777 and keeps its session\. Add the new id/)
})
