import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openChannelInbox } from '../../src/runtime/channels/channel-inbox.ts'
import { temporaryFolder } from '../session/temporary-folder.ts'

const inboxModule = JSON.stringify(import.meta.resolve('../../src/runtime/channels/channel-inbox.ts'))

async function idsIn(folder: string): Promise<readonly string[]> {
  return (await openChannelInbox(folder).waiting()).map(({ id }) => id)
}

test('what was accepted waits in its order until it is done, over restarts', async (context) => {
  const folder = join(await temporaryFolder(context), 'channels', 'pigeon')
  const inbox = openChannelInbox(folder)
  for (const id of ['3', '1', '2']) assert.equal(await inbox.accept(id, { text: `message ${id}` }), true)
  const waiting = ['3', '1', '2'].map((id) => ({ id, value: { text: `message ${id}` } }))
  assert.deepEqual(await inbox.waiting(), waiting)
  const after = openChannelInbox(folder)
  assert.deepEqual(await after.waiting(), waiting)
  await after.done('1')
  await after.accept('0', null)
  assert.deepEqual(await idsIn(folder), ['3', '2', '0'])
})

test('an inbox that could not be opened is opened again for what comes next', async (context) => {
  const channels = await temporaryFolder(context)
  const folder = join(channels, 'pigeon')
  await mkdir(channels, { recursive: true })
  await writeFile(folder, 'a file where the folder belongs')
  const inbox = openChannelInbox(folder)
  await assert.rejects(inbox.accept('a', 1))
  await rm(folder)
  assert.equal(await inbox.accept('a', 1), true)
  assert.deepEqual(await inbox.waiting(), [{ id: 'a', value: 1 }])
})

test('what came before is not accepted again, handled or not, before and after a restart', async (context) => {
  const folder = await temporaryFolder(context)
  const inbox = openChannelInbox(folder)
  await inbox.accept('a', 1)
  await inbox.accept('b', 2)
  await inbox.done('a')
  for (const each of [inbox, openChannelInbox(folder)]) {
    assert.deepEqual([await each.accept('a', 3), await each.accept('b', 3)], [false, false])
    assert.deepEqual(await each.waiting(), [{ id: 'b', value: 2 }])
  }
})

test('of several concurrent deliveries of one message, one is new', async (context) => {
  const inbox = openChannelInbox(await temporaryFolder(context))
  const told = await Promise.all(Array.from({ length: 8 }, () => inbox.accept('a', 'once')))
  assert.equal(told.filter(Boolean).length, 1)
  assert.equal((await inbox.waiting()).length, 1)
})

test('concurrent messages are stored in the order of their arrival', async (context) => {
  const folder = await temporaryFolder(context)
  const ids = Array.from({ length: 30 }, (_, index) => `n${index}`)
  const inbox = openChannelInbox(folder)
  await Promise.all(ids.map((id) => inbox.accept(id, 'x'.repeat(id.endsWith('0') ? 200_000 : 1))))
  assert.deepEqual(await idsIn(folder), ids)
  assert.deepEqual(
    (await inbox.waiting()).map(({ id }) => id),
    ids,
  )
})

test('an id may be any text, and no two are taken for one', async (context) => {
  const folder = await temporaryFolder(context)
  const ids = ['', '..', '../../etc/passwd', 'A', 'a', 'ä', 'a\u0308', '\0', 'x'.repeat(5_000), '\ud800', '\udfff', '"']
  const inbox = openChannelInbox(folder)
  for (const id of ids) assert.equal(await inbox.accept(id, id), true)
  assert.deepEqual(await idsIn(folder), ids)
  for (const id of ids) await inbox.done(id)
  assert.deepEqual(await idsIn(folder), [])
})

test('of what was handled only the id stays, and the oldest ids are forgotten', async (context) => {
  const folder = await temporaryFolder(context)
  const inbox = openChannelInbox(folder)
  await inbox.accept('old', 'a secret')
  await inbox.done('old')
  await inbox.done('old')
  const [file, ...others] = await readdir(folder)
  assert.deepEqual([others, (await stat(join(folder, file!))).size], [[], 0])
  for (let n = 0; n < 1_000; n += 1) {
    await inbox.accept(`${n}`, n)
    await inbox.done(`${n}`)
  }
  assert.equal((await readdir(folder)).length, 1_000)
  const after = openChannelInbox(folder)
  assert.deepEqual([await after.accept('0', 0), await after.accept('old', 0)], [false, true])
})

test('everything is for the owner alone', { skip: process.platform === 'win32' }, async (context) => {
  const folder = join(await temporaryFolder(context), 'pigeon')
  const inbox = openChannelInbox(folder)
  await inbox.accept('a', 1)
  await inbox.accept('b', 1)
  await inbox.done('a')
  assert.equal((await stat(folder)).mode & 0o777, 0o700)
  for (const name of await readdir(folder)) assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name)
})

test('a file that cannot be read is put aside with a warning, and what it held may come again', async (context) => {
  const folder = await temporaryFolder(context)
  const before = openChannelInbox(folder)
  for (const id of ['a', 'b', 'c', 'd']) await before.accept(id, id)
  const [first, second, third] = (await readdir(folder)).toSorted()
  await writeFile(join(folder, first!), '{"id": "a", ')
  await writeFile(join(folder, second!), '{"id": "other", "value": 1}')
  await writeFile(join(folder, third!), '7')
  await writeFile(join(folder, '00000000000009-0123.json'), 'no file of ours')
  const warnings: string[] = []
  const inbox = openChannelInbox(folder, (text) => warnings.push(text))
  assert.deepEqual(await inbox.waiting(), [{ id: 'd', value: 'd' }])
  assert.equal(warnings.length, 3)
  assert.match(warnings[0]!, /moved to .*\.broken\.$/)
  assert.equal(await inbox.accept('a', 'again'), true)
  assert.deepEqual(
    (await inbox.waiting()).map(({ id }) => id),
    ['d', 'a'],
  )
  assert.equal(warnings.length, 3)
})

test(
  'what cannot be written is not accepted, and may come again',
  { skip: process.platform === 'win32' || process.getuid?.() === 0 },
  async (context) => {
    const folder = await temporaryFolder(context)
    const inbox = openChannelInbox(folder)
    await inbox.waiting()
    await chmod(folder, 0o500)
    await assert.rejects(inbox.accept('a', 1))
    await chmod(folder, 0o700)
    assert.deepEqual([await inbox.accept('a', 1), await idsIn(folder)], [true, ['a']])
  },
)

test('what JSON cannot say is refused, and harms nothing', async (context) => {
  const inbox = openChannelInbox(await temporaryFolder(context))
  await assert.rejects(inbox.accept('a', 1n))
  assert.deepEqual([await inbox.accept('a', 1), (await inbox.waiting()).length], [true, 1])
})

test('whenever the process is killed, nothing acknowledged is missing and nothing handled comes back', async (context) => {
  const folder = await temporaryFolder(context)
  for (let round = 0; round < 3; round += 1) {
    const child = spawn(
      process.execPath,
      [
        '--conditions=foreword-source',
        '--input-type=module',
        '--eval',
        `const { openChannelInbox } = await import(${inboxModule})
         const inbox = openChannelInbox(${JSON.stringify(folder)})
         await Promise.all([1, 2, 3].map(async (person) => {
           for (let count = 0; ; count += 1) {
             const id = '${round} ' + person + ' ' + count
             await inbox.accept(id, { text: id.repeat(2_000) })
             process.stdout.write('accepted ' + id + '\\n')
             if (count % 2 === 0) continue
             await inbox.done(id)
             process.stdout.write('handled ' + id + '\\n')
           }
         }))`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await once(child.stdout, 'data')
    await pause(Math.random() * 60)
    child.kill('SIGKILL')
    await once(child, 'close')
    const lines = said.slice(0, said.lastIndexOf('\n')).split('\n')
    const told = (word: string) => lines.flatMap((line) => (line.startsWith(word) ? [line.slice(word.length + 1)] : []))
    const warnings: string[] = []
    const inbox = openChannelInbox(folder, (text) => warnings.push(text))
    const waiting = await inbox.waiting()
    const ids = new Set(waiting.map(({ id }) => id))
    const handled = new Set(told('handled'))
    const missing = told('accepted').filter((id) => !ids.has(id) && !handled.has(id))
    // What was being marked as handled when the process died may have come to its end.
    assert.ok(missing.length <= 3 && missing.every((id) => Number(id.split(' ')[2]) % 2 === 1), missing.join(', '))
    assert.deepEqual(
      [...handled].filter((id) => ids.has(id)),
      [],
    )
    assert.deepEqual(warnings, [])
    assert.ok(waiting.every(({ id, value }) => (value as { text: string }).text === id.repeat(2_000)))
    assert.equal(await inbox.accept(told('accepted')[0]!, 'again'), false)
  }
})
