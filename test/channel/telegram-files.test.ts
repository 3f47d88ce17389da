import assert from 'node:assert/strict'
import test from 'node:test'
import { messageText } from '../../src/context.ts'
import { scriptedModel } from '../../src/testing.ts'
import { ada, bob, crew, telegramHome, userTexts } from './telegram-home.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
/** One transparent dot. */
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

test('a document with words is a message with a file, which the model reads', async (t) => {
  const model = scriptedModel()
  const home = await telegramHome(t, { model })
  home.telegram.say(ada, 'What does it say?', { document: { name: 'notes.txt', bytes: bytes('The tide is high.') } })
  await home.reads(ada, 'ok')
  assert.deepEqual(userTexts(await home.log(String(ada))), ['What does it say?'])
  const [input] = await home.log(String(ada)).then((entries) => entries.filter(({ type }) => type === 'input'))
  assert.deepEqual(input?.type === 'input' && input.attachments?.map(({ name, kind }) => [name, kind]), [
    ['notes.txt', 'text'],
  ])
  assert.match(JSON.stringify(model.calls[0]!.request.messages), /The tide is high\./)
  const session = (await home.session(ada))!
  assert.equal((await home.runtime.library.files({ type: 'session', id: session })).length, 1)
})

test('a photo is a picture of the message', async (t) => {
  const model = scriptedModel({ facts: { vision: true } })
  const home = await telegramHome(t, { model })
  home.telegram.say(ada, 'What is it?', { photo: dot })
  await home.reads(ada, 'ok')
  const [input] = (await home.log(String(ada))).filter(({ type }) => type === 'input')
  assert.deepEqual(input?.type === 'input' && input.attachments?.map(({ kind }) => kind), ['image'])
})

test('a file without words is a message, and says honestly that there were none', async (t) => {
  const home = await telegramHome(t)
  home.telegram.say(ada, '', { document: { name: 'notes.txt', bytes: bytes('Hello') } })
  await home.reads(ada, 'ok')
  assert.deepEqual(userTexts(await home.log(String(ada))), ['(a file, without words)'])
})

test('an album is one message with all of its files', async (t) => {
  const model = scriptedModel()
  const home = await telegramHome(t, { model })
  const file = (n: number) => ({ name: `${n}.txt`, bytes: bytes(`page ${n}`) })
  home.telegram.say(ada, 'Three pages', { mediaGroup: [file(1), file(2), file(3)] })
  home.telegram.say(ada, 'And a word behind it')
  await home.reads(ada, 'ok', 'ok')
  const inputs = (await home.log(String(ada))).flatMap((entry) => (entry.type === 'input' ? [entry] : []))
  assert.deepEqual(
    inputs.map(({ message, attachments = [] }) => [messageText(message), attachments.map(({ name }) => name)]),
    [
      ['Three pages', ['1.txt', '2.txt', '3.txt']],
      ['And a word behind it', []],
    ],
  )
})

test('in a group an album belongs to the words of the one message that has them', async (t) => {
  const home = await telegramHome(t)
  const ann = { id: bob, is_bot: false, first_name: 'Ann' }
  const file = (n: number) => ({ name: `${n}.txt`, bytes: bytes(`page ${n}`) })
  home.telegram.say(crew, 'Just for us', { from: ann, mediaGroup: [file(1), file(2)] })
  home.telegram.say(crew, '@scripted_bot read', {
    from: ann,
    entities: [{ type: 'mention', offset: 0, length: 13 }],
    mediaGroup: [file(3), file(4)],
  })
  await home.reads(crew, 'ok')
  await home.handled()
  const inputs = (await home.log(String(crew))).flatMap((entry) => (entry.type === 'input' ? [entry] : []))
  assert.deepEqual(
    inputs.map(({ message, attachments = [] }) => [messageText(message), attachments.map(({ name }) => name)]),
    [['Ann: read', ['3.txt', '4.txt']]],
  )
})

test('the sender of a too large file gets a message, and the text is processed', async (t) => {
  const home = await telegramHome(t, { options: { maxFileBytes: 10 } })
  home.telegram.say(ada, 'Read this', { document: { name: 'long.txt', bytes: bytes('much longer than that') } })
  await home.telegram.until(() => home.said(ada).includes('ok'))
  assert.deepEqual(home.said(ada), [
    'The agent did not receive:\nlong.txt: The file has 21 bytes. The limit is 10 bytes.',
    'ok',
  ])
  assert.deepEqual(userTexts(await home.log(String(ada))), ['Read this'])
})

test('where nothing of a message could be taken, no model is asked', async (t) => {
  const model = scriptedModel()
  const home = await telegramHome(t, { model })
  home.telegram.fail('getFile', { type: 'refused', code: 400, description: 'Bad Request: file is too big' })
  home.telegram.say(ada, '', { document: { name: 'huge.bin', bytes: bytes('x') } })
  await home.telegram.until(() => /^The agent did not receive:\nhuge\.bin: .*20 MB/.test(home.said(ada)[0] ?? ''))
  await home.handled()
  assert.equal(model.calls.length, 0)
})

test('an interrupted download is tried again', async (t) => {
  const home = await telegramHome(t)
  home.telegram.fail('file', { type: 'dropped' }, 2)
  home.telegram.say(ada, 'Read this', { document: { name: 'notes.txt', bytes: bytes('Hello') } })
  await home.reads(ada, 'ok')
})

test('a stranger who sends a file makes nobody fetch it', async (t) => {
  const home = await telegramHome(t)
  home.telegram.say(bob, 'Read this', { document: { name: 'notes.txt', bytes: bytes('Hello') } })
  await home.telegram.until(() => home.said(bob).length === 1)
  assert.deepEqual(home.telegram.calls('getFile'), [])
})

test('the name of a file names no folder and has one line', async (t) => {
  const home = await telegramHome(t)
  for (const name of ['../../etc/pa\nss\u202ewd.txt', 'C:\\secret\\notes.txt', `${'long '.repeat(300)}.txt`, '/']) {
    home.telegram.say(ada, 'Read this', { document: { name, bytes: bytes('Hello') } })
  }
  await home.reads(ada, 'ok', 'ok', 'ok', 'ok')
  const inputs = (await home.log(String(ada))).flatMap((entry) => (entry.type === 'input' ? [entry] : []))
  const [first, second, third, fourth] = inputs.map(({ attachments = [] }) => attachments[0]!.name)
  assert.deepEqual([first, second, fourth], ['pa ss wd.txt', 'notes.txt', 'file-1004'])
  assert.match(third!, /^[long ]{100,196}\.txt$/)
})
