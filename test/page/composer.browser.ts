import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { closeBrowser, openedPage } from './browser.ts'
import { inEachScheme, looksRight, styleOf } from './conversation.ts'

after(closeBrowser)

const answer = ({ newest }: { readonly newest: string }) => ({ text: `Read: ${newest.slice(0, 40)}` })

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const field = (page: Page) => page.getByLabel('Message', { exact: true })
const strip = (page: Page) => page.getByRole('region', { name: 'Context of the next call' })
const attachments = (page: Page) => page.getByRole('list', { name: 'Attachments' })

/** Returns when requests of the page fail: a browser that was told to be offline is so a moment later. */
async function loseNetwork(page: Page): Promise<void> {
  await page.context().setOffline(true)
  await page.evaluate(`(async () => { while (await fetch('/api/status').then(() => true, () => false)); })()`)
}

/** Gives files to the page as a program of the person would: by pasting or by dropping them. */
async function give(page: Page, how: 'paste' | 'drop', name: string, text: string): Promise<void> {
  await page.evaluate(`{
    const data = new DataTransfer()
    data.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}, { type: 'text/plain' }))
    const options = { bubbles: true, cancelable: true }
    if (${how === 'paste'}) {
      const event = new ClipboardEvent('paste', { ...options, clipboardData: data })
      document.querySelector('#message').dispatchEvent(event)
    } else {
      document.querySelector('#main').dispatchEvent(new DragEvent('drop', { ...options, dataTransfer: data }))
    }
  }`)
}

test('3. files are attached by button, paste and drop, counted before they are sent, and can be taken out again', async (t) => {
  const { page, gateway } = await openedPage(t, { answer })
  await page.getByLabel('Files to attach').setInputFiles([
    { name: 'tides.txt', mimeType: 'text/plain', buffer: Buffer.from('The tide turns at noon. '.repeat(50)) },
    { name: 'pixel.png', mimeType: 'image/png', buffer: PIXEL },
  ])
  const list = attachments(page)
  await list
    .getByText(/^\d+ tokens$/)
    .first()
    .waitFor()
  await list.getByText('1 × 1 pixels').waitFor()
  assert.equal(await page.evaluate(`document.querySelector('[aria-label=Attachments] img').naturalWidth`), 1)
  await give(page, 'paste', 'pasted.txt', 'From the clipboard.')
  await list.getByText('pasted.txt').waitFor()
  await give(page, 'drop', 'dropped.txt', 'From a folder.')
  await list.getByText('dropped.txt').waitFor()
  await list
    .getByText(/^\d+ tokens$/)
    .nth(2)
    .waitFor()
  await page.getByRole('button', { name: 'Remove dropped.txt' }).click()
  await list.getByText('dropped.txt').waitFor({ state: 'detached' })

  const { files } = await gateway.curl<{ files: { id: string; name: string }[] }>('/api/files?owner=inbox')
  const ids = ['tides.txt', 'pixel.png', 'pasted.txt'].map((name) => files.find((file) => file.name === name)!.id)
  await field(page).fill('When does it turn?')
  const { manifest, figures } = await gateway.curl<{ manifest: { used: number }; figures: { total: number } }>(
    '/api/context',
    { input: 'When does it turn?', attachments: ids },
  )
  await strip(page).locator(`[data-figure=total][data-value="${figures.total}"]`).waitFor()

  await page.keyboard.press('Enter')
  await page
    .getByRole('article')
    .getByText(/^Read:/)
    .waitFor()
  assert.equal(await attachments(page).count(), 0)
  await page.locator('header').getByText('3 files', { exact: true }).waitFor()
  const session = page.url().split('/').at(-1)!
  const { calls } = await gateway.curl<{ calls: { used: number }[] }>(`/api/sessions/${session}/calls`)
  assert.equal(calls[0]!.used, manifest.used, 'the call costs what was shown before')
})

test('3. a file that cannot be read says why and what to do, and is not sent', async (t) => {
  const { page } = await openedPage(t, { answer })
  await page
    .getByLabel('Files to attach')
    .setInputFiles([
      { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 and then nothing') },
    ])
  const alert = attachments(page).getByRole('alert')
  await alert.waitFor()
  assert.match((await alert.textContent())!, /Remove it/)
  await field(page).fill('hello')
  await page.keyboard.press('Enter')
  await page.getByRole('article').getByText('Read: hello').waitFor()
})

test('3. however much is written and attached, the bar and the button that sends are on the screen, and can be seen', async (t) => {
  const { page } = await openedPage(t, { answer }, { browser: { viewport: { width: 360, height: 640 } } })
  await field(page).fill('a line\n'.repeat(40))
  const files = Array.from({ length: 8 }, (_, number) => `empty-${number}.txt`)
  await page
    .getByLabel('Files to attach')
    .setInputFiles(files.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('') })))
  await attachments(page).getByRole('alert').nth(7).waitFor({ state: 'attached' })
  const button = page.getByRole('button', { name: 'Send', exact: true })
  for (const each of [button, strip(page)]) {
    const { y, height } = (await each.boundingBox())!
    assert.ok(y >= 0 && y + height <= 640, `${y} to ${y + height}`)
  }
  const grounds = new Set<string>()
  await inEachScheme(page, async (colorScheme) => {
    const [icon, ground] = [await styleOf(button, 'color'), await styleOf(button, 'backgroundColor')]
    assert.ok(contrast(icon, ground) >= 3, `${icon} on ${ground}, ${colorScheme}`)
    grounds.add(ground)
  })
  assert.equal(grounds.size, 2, 'each scheme has a ground of its own')
})

/** Of two colours as a browser tells them, such as `rgb(31, 95, 82)`: WCAG asks for 3 between an icon and its ground. */
function contrast(...colours: readonly [string, string]): number {
  const [one, other] = colours.map((colour) => {
    const [red, green, blue] = colour.match(/\d+(\.\d+)?/g)!.map((part) => {
      const share = Number(part) / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue! + 0.05
  })
  return Math.max(one! / other!, other! / one!)
}

test('3. an image that the model cannot see says so before it is sent', async (t) => {
  const models = [{ name: 'scripted', capabilities: ['completion', 'tools'] }]
  const { page } = await openedPage(t, { answer, models })
  await page.getByLabel('Files to attach').setInputFiles([{ name: 'map.png', mimeType: 'image/png', buffer: PIXEL }])
  await strip(page)
    .getByText(/^Your message: .* because the model cannot see images\.$/)
    .waitFor()
  await page.getByRole('button', { name: 'Remove map.png' }).click()
  await strip(page)
    .getByText(/cannot see images/)
    .waitFor({ state: 'detached' })
})

test('8. every tab of the inspector is on the screen, on a small one too', async (t) => {
  for (const width of [360, 1280]) {
    const { page } = await openedPage(t, { answer }, { browser: { viewport: { width, height: 800 } } })
    await strip(page).getByRole('button').waitFor()
    if (width === 360) await page.getByRole('button', { name: /What the model will read/ }).click()
    const tabs = page.getByRole('tablist', { name: 'Inspector' })
    const { x, width: room } = (await tabs.boundingBox())!
    for (const tab of await tabs.getByRole('tab').all()) {
      const box = (await tab.boundingBox())!
      assert.ok(box.x >= x && box.x + box.width <= x + room, (await tab.textContent())!)
    }
  }
})

test('8. a message that does not fit is seen in the bar, which says what to do', async (t) => {
  const configuration = { models: { 'ollama/scripted': { window: 4_096 } } }
  const { page } = await openedPage(t, { answer }, { configuration })
  await field(page).fill('word '.repeat(8_000))
  await strip(page)
    .getByText(/^It does not fit: [\d,]+ of [\d,]+ tokens\. Shorten/)
    .waitFor()
  await page
    .getByRole('complementary', { name: 'Inspector' })
    .getByRole('img', { name: /Your message: 8,\d+ tokens/ })
    .waitFor()
  // It is never sent, so no cache has anything of it, and it has no price.
  const sum = page.getByRole('region', { name: 'Cost of the call' }).getByRole('table')
  assert.match(await sum.innerText(), /^Prompt\s+8,\d+\s+does not fit$/)
  await field(page).fill('word')
  await strip(page).getByRole('button').waitFor()
})

test('3. an upload shows how far it is, keeps the message back, and can be tried again where it broke off', async (t) => {
  const { page } = await openedPage(t, { answer })
  const held = Promise.withResolvers<void>()
  let attempts = 0
  await page.route('**/api/files', async (route) => {
    attempts += 1
    if (attempts > 1) return route.continue()
    await held.promise
    await route.abort('connectionreset')
  })
  await page
    .getByLabel('Files to attach')
    .setInputFiles([{ name: 'tides.txt', mimeType: 'text/plain', buffer: Buffer.from('The tide turns at noon.') }])
  await page.getByRole('progressbar', { name: 'Upload of tides.txt' }).waitFor()
  await field(page).fill('hello')
  assert.equal(await page.getByRole('button', { name: 'Send' }).isDisabled(), true)
  held.resolve()
  const alert = attachments(page).getByRole('alert')
  await alert.getByText('The file did not arrive: the gateway cannot be reached.').waitFor()
  await page.getByRole('button', { name: 'Upload tides.txt again' }).click()
  await attachments(page)
    .getByText(/^\d+ tokens$/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Send' }).click()
  await page
    .getByRole('article')
    .getByText(/^Read:/)
    .waitFor()
})

test('5. a refused message says what to do, and the input is kept', async (t) => {
  const { page } = await openedPage(t, { answer })
  await page.route('**/api/messages', (route) =>
    route.fulfill({ status: 507, json: { error: { code: 'storage-full', message: 'The disk is full.' } } }),
  )
  await field(page).fill('keep me')
  await page.keyboard.press('Enter')
  const alert = page.getByRole('alert')
  await alert.getByText('The disk is full.').waitFor()
  await alert.getByText('The message is kept below. Change it or send it again.').waitFor()
  assert.equal(await field(page).inputValue(), 'keep me')
  await page.unroute('**/api/messages')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('article').getByText('Read: keep me').waitFor()
})

test('3. a long pasted text stays text', async (t) => {
  const { page } = await openedPage(t, { answer })
  await field(page).focus()
  const text = 'A long line of words. '.repeat(2_000)
  await page.evaluate(`{
    const data = new DataTransfer()
    data.setData('text/plain', ${JSON.stringify(text)})
    const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data })
    const goesOn = document.querySelector('#message').dispatchEvent(event)
    if (goesOn) document.execCommand('insertText', false, ${JSON.stringify(text)})
  }`)
  assert.equal(await field(page).inputValue(), text)
  assert.equal(await attachments(page).count(), 0)
})

test('3. the draft and its files survive a reload', async (t) => {
  const { page } = await openedPage(t, { answer })
  await page.getByLabel('Files to attach').setInputFiles([
    { name: 'tides.txt', mimeType: 'text/plain', buffer: Buffer.from('The tide turns at noon.') },
    { name: 'pixel.png', mimeType: 'image/png', buffer: PIXEL },
  ])
  await attachments(page)
    .getByText(/^\d+ tokens$/)
    .first()
    .waitFor()
  await attachments(page).getByText('1 × 1 pixels').waitFor()
  await field(page).fill('half a thought')
  await page.reload()
  assert.equal(await field(page).inputValue(), 'half a thought')
  await attachments(page).getByText('tides.txt').waitFor()
  await attachments(page).locator('img').waitFor()
})

test('5. a message arrives once, also where its answer was lost and the page was loaded again', async (t) => {
  const { page, gateway } = await openedPage(t, { answer })
  // The gateway gets the message, and the page gets no answer.
  let lost = 0
  await page.route('**/api/messages', async (route) => {
    lost += 1
    await route.fetch()
    await route.abort('connectionreset')
  })
  await field(page).fill('only once')
  await page.keyboard.press('Enter')
  const alert = page.getByRole('alert')
  await alert.getByText('The message is sent again by itself, and arrives once.').waitFor()
  assert.equal(await field(page).inputValue(), 'only once', 'the input is kept')
  await page.reload()
  await alert.getByText('This message may not have arrived.').waitFor()
  await page.unroute('**/api/messages')
  await field(page).press('Enter')
  await page.getByRole('article').getByText('Read: only once').waitFor()
  const { sessions } = await gateway.curl<{ sessions: { turns: number }[] }>('/api/sessions')
  assert.deepEqual(
    sessions.map(({ turns }) => turns),
    [1],
  )
  assert.ok(lost > 0)
})

test('5. a message that cannot be sent now is sent as soon as the gateway is reached again', async (t) => {
  const { page } = await openedPage(t, { answer })
  await field(page).fill('later')
  // The network is lost once the page is there as a whole.
  await strip(page).locator('[data-figure=total]').waitFor()
  await loseNetwork(page)
  await page.keyboard.press('Enter')
  const alert = page.locator('#main').getByRole('alert')
  await alert.getByText('The gateway cannot be reached.').waitFor()
  await alert.getByText('The message is sent again by itself, and arrives once.').waitFor()
  await page.context().setOffline(false)
  await page.getByRole('article').getByText('Read: later').waitFor()
  await alert.waitFor({ state: 'detached' })
})

test('5. that the gateway is away is said once, and the page is as before when it is back', async (t) => {
  const { page, gateway } = await openedPage(t, { answer })
  await gateway.curl('/api/sessions', { title: 'About the tides' })
  await strip(page).locator('[data-figure=total]').waitFor()
  await loseNetwork(page)
  await page.getByLabel('Search sessions').fill('tides')
  await page.getByText('The list is read again by itself.').waitFor()
  const asked = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/context'))
  await field(page).fill('a longer message than before')
  await asked
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  assert.equal(await page.getByText('cannot be reached').count(), 1, 'one place says it')
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.context().setOffline(false)
  await page.getByRole('complementary', { name: 'Sessions' }).getByRole('link', { name: 'About the tides' }).waitFor()
  await strip(page).locator('[data-figure=total]').waitFor()
})

test('the composer fits, and axe finds nothing serious in it, light and dark, on a phone and a desk', async (t) => {
  const { page } = await openedPage(
    t,
    { answer: () => ({ text: 'word '.repeat(400), hangAfter: 100 }) },
    { browser: { viewport: { width: 360, height: 800 } } },
  )
  await field(page).fill('hello')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  await field(page).fill('A message that waits, with a text that is rather long for a narrow window')
  await field(page).press('Enter')
  await page.getByRole('region', { name: 'Messages that wait' }).waitFor()
  await page.getByLabel('Files to attach').setInputFiles([
    { name: 'tides.txt', mimeType: 'text/plain', buffer: Buffer.from('The tide turns.') },
    { name: `${'a-very-long-name-'.repeat(8)}.pdf`, mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') },
    { name: 'pixel.png', mimeType: 'image/png', buffer: PIXEL },
  ])
  await attachments(page).getByRole('alert').waitFor()
  await field(page).fill('/')
  await page.getByRole('listbox', { name: 'Commands' }).waitFor()
  await looksRight(page, 'composer')
  await field(page).fill('')
  await page.getByRole('button', { name: /Choices of this session/ }).click()
  await page.getByLabel('Layout').waitFor()
  await looksRight(page, 'options')
  await page.keyboard.press('Escape')
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByPlaceholder('Type to search').waitFor()
  await looksRight(page, 'palette')
})
