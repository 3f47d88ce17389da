import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { blankPage, closeBrowser, openedPage, seriousFaults } from './browser.ts'
import { fitsWidth, send, waitUntil } from './conversation.ts'

after(closeBrowser)

const answer = ({ newest }: { readonly newest: string }) => ({ text: `Read: ${newest.slice(0, 40)}` })
const field = (page: Page) => page.getByLabel('Message', { exact: true })

function textFiles(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    name: `note-${index}.txt`,
    mimeType: 'text/plain',
    buffer: Buffer.from(`The tide turns at ${index}.`),
  }))
}

test('4. two clicks on Send, or on Regenerate, are one', async (t) => {
  let answers = 0
  const { page, gateway } = await openedPage(t, { answer: () => ({ text: `Answer ${(answers += 1)}` }) })
  await field(page).fill('once')
  await page.getByRole('button', { name: 'Send' }).dblclick()
  await page.getByText('Answer 1').waitFor()
  await page.getByLabel('Regenerate the answer').dblclick()
  await page.getByText('Answer 2').waitFor()
  await page.getByText('2 of 2').waitFor()
  await page.getByLabel('Regenerate the answer').waitFor()
  const { sessions } = await gateway.curl<{ sessions: { turns: number }[] }>('/api/sessions')
  assert.deepEqual(
    sessions.map(({ turns }) => turns),
    [2],
  )
})

test('5. two tabs write in one session, and both show every message once, in one order', async (t) => {
  // All of it is on the screen.
  const viewport = { width: 1280, height: 3_000 }
  const { page, another } = await openedPage(t, { answer }, { browser: { viewport } })
  await send(page, 'start')
  await page.getByText('Read: start').waitFor()
  const other = await another({ viewport })
  await other.goto(page.url())
  await other.getByText('Read: start').waitFor()
  for (const number of [1, 2, 3]) await Promise.all([send(page, `left ${number}`), send(other, `right ${number}`)])
  for (const tab of [page, other]) {
    for (const number of [1, 2, 3]) {
      await tab.getByText(`Read: left ${number}`).waitFor()
      await tab.getByText(`Read: right ${number}`).waitFor()
    }
  }
  const shown = (tab: Page) =>
    tab.getByRole('article').evaluateAll((turns) => turns.map((turn) => turn.firstElementChild!.textContent))
  assert.deepEqual(await shown(page), await shown(other))
  assert.equal(new Set(await shown(page)).size, 7)
})

test('5. of two tabs of one browser each keeps what is only in it, and what was sent in one goes from the other', async (t) => {
  const { page } = await openedPage(t, { answer })
  await send(page, 'start')
  await page.getByText('Read: start').waitFor()
  const tab = await page.context().newPage()
  await tab.goto(page.url())
  await tab.getByRole('article').getByText('Read: start').waitFor()
  await field(page).fill('only here')
  await send(tab, 'from the other')
  await page.getByText('Read: from the other').waitFor()
  await waitUntil(page, `Object.values(localStorage).some((kept) => kept.includes('only here'))`)
  await page.reload()
  await waitUntil(page, `document.querySelector('#message')?.value === 'only here'`)
  await tab.reload()
  await waitUntil(tab, `document.querySelector('#message')?.value === 'only here'`)
  await field(tab).press('Enter')
  await page.getByText('Read: only here').waitFor()
  await waitUntil(page, `document.querySelector('#message').value === ''`)
})

test('1. a session that another tab shows is deleted: that tab says so, keeps the draft, and leads on', async (t) => {
  const { page, another, gateway } = await openedPage(t, { answer })
  await send(page, 'hello')
  await page.getByRole('article').getByText('Read: hello').waitFor()
  const session = page.url().split('/').at(-1)!
  const other = await another()
  await other.goto(page.url())
  await other.getByRole('article').getByText('Read: hello').waitFor()
  await field(other).fill('not sent yet')
  await fetch(`${gateway.url}/api/sessions/${session}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${gateway.token}` },
  })
  const note = other.locator('#main').getByRole('alert')
  await note.getByText('This session was deleted.').waitFor()
  assert.equal(await field(other).inputValue(), 'not sent yet')
  assert.deepEqual(await seriousFaults(other), [])
  await other.getByRole('button', { name: 'Go on in a new conversation' }).click()
  await other.getByRole('heading', { name: 'New conversation' }).waitFor()
  assert.equal(await field(other).inputValue(), 'not sent yet')
  await field(other).press('Enter')
  await other.getByText('Read: not sent yet').waitFor()
})

test('6. back and forward lead through conversations, each with its own draft', async (t) => {
  const { page } = await openedPage(t, { answer })
  await send(page, 'first')
  await page.getByText('Read: first').waitFor()
  await field(page).fill('draft of the first')
  await page.getByRole('link', { name: 'New conversation' }).click()
  await page.getByRole('heading', { name: 'New conversation' }).waitFor()
  assert.equal(await field(page).inputValue(), '')
  await field(page).fill('draft of a new one')
  await page.goBack()
  await page.getByText('Read: first').waitFor()
  assert.equal(await field(page).inputValue(), 'draft of the first')
  await page.goForward()
  await page.getByRole('heading', { name: 'New conversation' }).waitFor()
  assert.equal(await field(page).inputValue(), 'draft of a new one')
  await page.reload()
  assert.equal(await field(page).inputValue(), 'draft of a new one')
})

test('3. more files than a message can have are refused in words, and nothing is lost', async (t) => {
  const { page } = await openedPage(t, { answer })
  await page.getByLabel('Files to attach').setInputFiles(textFiles(51))
  const list = page.getByRole('list', { name: 'Attachments' })
  await list.getByRole('listitem').nth(50).waitFor()
  await page.locator('html[data-idle=true]').waitFor()
  await send(page, 'Read them all')
  await page.locator('#main').getByRole('alert').getByText('at most 50 files').waitFor()
  assert.equal(await field(page).inputValue(), 'Read them all')
  await page.getByRole('button', { name: 'Remove note-0.txt' }).click()
  await list.getByText('note-0.txt').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Send' }).click()
  await page
    .getByRole('article')
    .getByText(/^Read: /)
    .waitFor()
  assert.equal(await page.getByRole('list', { name: 'Attached files' }).getByRole('listitem').count(), 50)
  await fitsWidth(page)
})

test('3. a file that is attached while a message is on its way goes with the next one', async (t) => {
  const { page } = await openedPage(t, { answer })
  await send(page, 'start')
  await page.getByText('Read: start').waitFor()
  const held = Promise.withResolvers<void>()
  await page.route('**/api/messages', async (route) => {
    await held.promise
    await route.continue()
  })
  await send(page, 'hello')
  await page.getByLabel('Files to attach').setInputFiles(textFiles(1))
  const list = page.getByRole('list', { name: 'Attachments' })
  await list.getByText(/^\d+ tokens$/).waitFor()
  held.resolve()
  await page.getByText('Read: hello').waitFor()
  await list.getByText('note-0.txt').waitFor()
  await page.reload()
  await list.getByText('note-0.txt').waitFor()
})

test('3. a folder that is dropped is named, and the files beside it are attached', async (t) => {
  const { page } = await openedPage(t, { answer })
  await field(page).waitFor()
  await page.evaluate(`{
    const data = new DataTransfer()
    data.items.add(new File(['The tide.'], 'tides.txt', { type: 'text/plain' }))
    data.items.add(new File([], 'pictures'))
    DataTransferItem.prototype.webkitGetAsEntry = function () {
      return { isDirectory: this.getAsFile().name === 'pictures' }
    }
    document.querySelector('#main').dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }))
  }`)
  await page.getByText('pictures is a folder. Drop the files in it instead.').waitFor()
  await page.getByRole('list', { name: 'Attachments' }).getByText('tides.txt').waitFor()
  assert.equal(await page.getByRole('list', { name: 'Attachments' }).getByRole('listitem').count(), 1)
})

test('6. a command that is typed before the page knows the commands is not sent as a message', async (t) => {
  const { page, gateway } = await blankPage(t, { answer })
  const held = Promise.withResolvers<void>()
  await page.route('**/api/commands', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto(gateway.url)
  await field(page).fill('/MODELS')
  const asked = page.waitForRequest('**/api/commands')
  await page.keyboard.press('Enter')
  held.resolve()
  await asked
  await page.locator('#main').getByRole('alert').getByText('There is no command').waitFor()
  assert.equal(await field(page).inputValue(), '/MODELS')
  assert.deepEqual((await gateway.curl<{ sessions: unknown[] }>('/api/sessions')).sessions, [])
})

test('8. a command that is being typed is no part of the next call', async (t) => {
  const { page } = await openedPage(t, { answer })
  const previewed = (text: string) =>
    page.waitForRequest((request) => request.method() === 'POST' && (request.postData() ?? '').includes(text))
  const seen: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') seen.push(request.postData() ?? '')
  })
  await field(page).fill('/mod')
  await field(page).fill('/model scripted')
  const words = previewed('some words')
  await field(page).fill('some words')
  await words
  assert.deepEqual(
    seen.filter((body) => body.includes('/mod')),
    [],
  )
})

test('6. odd lines behind a slash are never sent by mistake, and never lost', async (t) => {
  const { page, gateway } = await openedPage(t, { answer })
  for (const line of ['/MODELS', '/no-such thing', '/-', '/contxt /model', `/${'x'.repeat(5_000)}`]) {
    await field(page).fill(line)
    await page.keyboard.press('Enter')
    await page.locator('#main').getByRole('alert').getByText('There is no command').waitFor()
    assert.equal(await field(page).inputValue(), line)
    await fitsWidth(page)
    await field(page).fill('')
  }
  assert.deepEqual((await gateway.curl<{ sessions: unknown[] }>('/api/sessions')).sessions, [])
  await send(page, '/usr/bin is a path')
  await page.getByText('Read: /usr/bin is a path').waitFor()
})
