import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { spawnForeword } from '../cli/gateway-process.ts'
import { startApart } from '../end-to-end/gateway.ts'
import { closeBrowser, type OpenedPage, openedPage, seriousFaults, type PageOptions } from './browser.ts'
import { fitsWidth, looksRight, picture, send } from './conversation.ts'

after(closeBrowser)

const field = (page: Page) => page.getByLabel('Message', { exact: true })
const waits = (page: Page) => page.getByRole('region', { name: 'Messages that wait' })
const editor = (page: Page) => waits(page).getByLabel('Edit the message that waits')

interface Waiting extends OpenedPage {
  readonly session: string
  /** What the model was sent, as JSON, call by call. */
  readonly heard: readonly string[]
  /** The first message is answered. */
  answer(): void
}

/** A conversation in which the first message is being answered for as long as the test wants, and these wait behind it. */
async function waiting(t: TestContext, texts: readonly string[], options: PageOptions = {}): Promise<Waiting> {
  const first = Promise.withResolvers<void>()
  const heard: string[] = []
  const opened = await openedPage(
    t,
    {
      answer: async ({ newest, body }) => {
        heard.push(JSON.stringify(body['messages'] ?? body['input']))
        if (newest === 'one') await first.promise
        return { text: `Read: ${newest}` }
      },
    },
    options,
  )
  t.after(() => first.resolve())
  const { page } = opened
  await send(page, 'one')
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  for (const text of texts) {
    await send(page, text)
    await waits(page).getByText(text, { exact: true }).waitFor()
  }
  return { ...opened, heard, session: page.url().split('/').at(-1)!, answer: first.resolve }
}

async function assertReplays({ gateway, session }: Waiting): Promise<void> {
  const replay = await gateway.curl<{ calls: number; identical: number }>(`/api/sessions/${session}/replay`)
  assert.equal(replay.identical, replay.calls)
}

test('5. a message that waits is edited in its place, with its files, in every tab, terminal and export', async (t) => {
  const opened = await waiting(t, ['two', 'three'])
  const { page, another, gateway, heard, session, answer } = opened
  const other = await another()
  await other.goto(page.url())
  await waits(other).getByText('two', { exact: true }).waitFor()

  await waits(page).getByRole('button', { name: 'Edit message 1' }).click()
  assert.equal(await editor(page).inputValue(), 'two')
  await editor(page).fill('two, better')
  await page
    .getByLabel('Files to attach to the message that waits')
    .setInputFiles([{ name: 'tides.txt', mimeType: 'text/plain', buffer: Buffer.from('The tide turns at noon.') }])
  await waits(page)
    .getByText(/^\d+ tokens$/)
    .waitFor()
  await editor(page).press('Enter')
  for (const tab of [page, other]) await waits(tab).getByText('two, better').waitFor()
  await waits(other).getByText('(tides.txt)').waitFor()
  assert.match(await waits(page).getByRole('listitem').first().innerText(), /two, better/, 'it keeps its place')
  assert.equal(await page.evaluate('document.activeElement.id'), 'message')

  answer()
  await page.getByText('Read: three').waitFor()
  assert.equal(heard.length, 3)
  assert.match(heard[1]!, /two, better/)
  assert.match(heard[1]!, /The tide turns at noon/)
  assert.doesNotMatch(heard.join(), /"two"/)
  for (const tab of [page, other]) await tab.getByRole('article').getByText('two, better', { exact: true }).waitFor()
  await page.reload()
  await page.getByRole('article').getByText('two, better', { exact: true }).waitFor()
  const told = await gateway.curl<{ entries: { type: string }[] }>(`/api/sessions/${session}/entries`)
  assert.equal(told.entries.filter(({ type }) => type === 'edit').length, 1)
  await assertReplays(opened)
})

test('5. two who edit the same message see what the other wrote, and neither loses a word', async (t) => {
  const { page, another, answer, heard } = await waiting(t, ['two'])
  const other = await another()
  await other.goto(page.url())
  for (const tab of [page, other]) await waits(tab).getByRole('button', { name: 'Edit message 1' }).click()
  await editor(other).fill('two, theirs')
  await editor(page).fill('two, mine')
  await editor(other).press('Enter')
  await editor(other).waitFor({ state: 'detached' })

  const note = waits(page).getByRole('status')
  await note.getByText('two, theirs', { exact: true }).waitFor()
  const [refused] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'PATCH'),
    editor(page).press('Enter'),
  ])
  assert.equal(refused.status(), 409)
  await waits(page).getByRole('button', { name: 'Save mine in its place' }).waitFor()
  assert.equal(await editor(page).inputValue(), 'two, mine')
  await waits(other).getByText('two, theirs', { exact: true }).waitFor()
  assert.deepEqual(await seriousFaults(page), [])

  await waits(page).getByRole('button', { name: 'Save mine in its place' }).click()
  await waits(other).getByText('two, mine', { exact: true }).waitFor()
  answer()
  await page.getByText('Read: two, mine').waitFor()
  assert.doesNotMatch(heard.join(), /theirs/)
})

test('5. a message that begins to be answered while it is edited keeps what was written', async (t) => {
  const { page, answer } = await waiting(t, ['two'])
  await waits(page).getByRole('button', { name: 'Edit message 1' }).click()
  await editor(page).fill('two, too late')
  answer()
  await page.getByText('Read: two', { exact: true }).waitFor()
  await waits(page).getByRole('alert').getByText('The message is being answered as it was.').waitFor()
  assert.equal(await editor(page).inputValue(), 'two, too late')
  await waits(page).getByRole('button', { name: 'Use as the next message' }).click()
  assert.equal(await field(page).inputValue(), 'two, too late')
  await page.keyboard.press('Enter')
  await page.getByText('Read: two, too late').waitFor()
})

test('5. a message that is taken back is out of the conversation, and can be put back', async (t) => {
  const opened = await waiting(t, ['two', 'three'])
  const { page, heard, answer } = opened
  await waits(page).getByRole('button', { name: 'Remove message 1' }).click()
  await waits(page).getByText('two', { exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Put back' }).click()
  await waits(page).getByText('two', { exact: true }).waitFor()
  await waits(page).getByRole('button', { name: 'Remove message 1' }).click()
  await waits(page).getByText('three', { exact: true }).waitFor({ state: 'detached' })
  answer()
  await page.getByText('Read: two').waitFor()
  assert.equal(await page.getByRole('article').count(), 2)
  assert.equal(await page.getByText('three', { exact: true }).count(), 0)
  assert.doesNotMatch(heard.join(), /three/)
  await page.reload()
  await page.getByText('Read: two').waitFor()
  assert.equal(await page.getByRole('article').count(), 2)
  await assertReplays(opened)
})

test('5. messages that wait can be changed and taken back in a session with branches', async (t) => {
  const held = Promise.withResolvers<void>()
  t.after(() => held.resolve())
  const { page } = await openedPage(t, {
    answer: async ({ newest }) => {
      if (newest === 'slow') await held.promise
      return { text: `Read: ${newest}` }
    },
  })
  await send(page, 'first')
  await page.getByText('Read: first').waitFor()
  await page.getByLabel('Edit and send again').click()
  await page.getByLabel('Edit the message').fill('another')
  await page.getByLabel('Edit the message').press('Enter')
  await page.getByText('Read: another').waitFor()
  for (const text of ['slow', 'two', 'three']) await send(page, text)
  await waits(page).getByText('three', { exact: true }).waitFor()
  await waits(page).getByRole('button', { name: 'Remove message 1' }).click()
  await waits(page).getByText('two', { exact: true }).waitFor({ state: 'detached' })
  await waits(page).getByRole('button', { name: 'Edit message 1' }).click()
  await editor(page).fill('three, better')
  await editor(page).press('Enter')
  await waits(page).getByText('three, better').waitFor()
  held.resolve()
  await page.getByText('Read: three, better').waitFor()
  const texts = await page.getByRole('article').allInnerTexts()
  assert.deepEqual(
    texts.map((text) => text.split('\n')[0]),
    ['another', 'slow', 'three, better'],
  )
})

test('5. a gateway that is killed while messages wait answers them as they were edited', async (t) => {
  const { page, gateway } = await waiting(t, ['two', 'three'], { start: startApart })
  await waits(page).getByRole('button', { name: 'Edit message 2' }).click()
  await editor(page).fill('three, better')
  await editor(page).press('Enter')
  await waits(page).getByText('three, better').waitFor()
  await waits(page).getByRole('button', { name: 'Remove message 1' }).click()
  await waits(page).getByText('two', { exact: true }).waitFor({ state: 'detached' })
  await gateway.stop()
  await page.getByText('Connecting to the gateway again').waitFor()
  await send(page, 'sent while it is away')
  await page.getByText('The message is sent again by itself, and arrives once.').waitFor()
  const environment = { ...gateway.environment, FOREWORD_GATEWAY_PORT: new URL(gateway.url).port }
  await spawnForeword(t, ['start', '--json'], environment).line(/address/)
  await waits(page).getByText('three, better').waitFor()
  await waits(page).getByText('sent while it is away').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Read: three, better').waitFor()
  assert.equal(await page.getByText('two', { exact: true }).count(), 0)
  await page.getByText('Read: sent while it is away').waitFor()
  assert.deepEqual(await page.getByRole('alert').allTextContents(), [])
})

test('4. a turn that runs in another branch is named, with the way to it and a button that stops it', async (t) => {
  const held = Promise.withResolvers<void>()
  t.after(() => held.resolve())
  const { page } = await openedPage(t, {
    answer: async ({ newest }) => {
      if (newest === 'slow') await held.promise
      return { text: `Read: ${newest}` }
    },
  })
  await send(page, 'first')
  await page.getByText('Read: first').waitFor()
  await send(page, 'slow')
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  await page.getByRole('article').first().getByLabel('Go on from here in a branch').click()
  const note = page.getByRole('region', { name: 'Another branch' })
  await note.getByText('A turn runs in another branch.').waitFor()
  await note.getByText('slow', { exact: true }).waitFor()
  await send(page, 'meanwhile')
  await waits(page).getByText('meanwhile').waitFor()
  assert.equal(
    await page.getByRole('main').getByText('meanwhile').count(),
    1,
    'it stands where it can be changed alone',
  )
  assert.deepEqual(await seriousFaults(page), [])
  await page.setViewportSize({ width: 360, height: 800 })
  await fitsWidth(page)
  await picture(page, 'another-branch-360')

  await note.getByRole('button', { name: 'Show it' }).click()
  await note.waitFor({ state: 'detached' })
  await page.getByRole('article').getByText('slow', { exact: true }).waitFor()
  await page.getByRole('article').first().getByLabel('Go on from here in a branch').click()
  await note.getByRole('button', { name: 'Stop it' }).click()
  await page.getByRole('button', { name: 'Show what followed' }).click()
  await page.getByText('Read: meanwhile').waitFor()
  await note.waitFor({ state: 'detached' })
})

test('5. what waits is readable and accessible while it is edited, light and dark, on a phone and a desk', async (t) => {
  const texts = ['two', 'A message that waits, with a text that is rather long for a window']
  const { page } = await waiting(t, texts, { browser: { viewport: { width: 360, height: 800 } } })
  await waits(page).getByRole('button', { name: 'Edit message 2' }).click()
  await editor(page).waitFor()
  await looksRight(page, 'queued')
})
