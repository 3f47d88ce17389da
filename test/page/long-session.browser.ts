import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { blankPage, closeBrowser, openedPage } from './browser.ts'
import { writeLongSession } from './large-home.ts'

after(closeBrowser)

/** Collects the tasks of the page that keep it from drawing, ms. */
const observeLongTasks = `
  globalThis.longTasks = []
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((entry) => entry.duration)))
    .observe({ type: 'longtask', buffered: true })
`

test('a session of 5,000 messages opens at its end and can be read to its beginning', async (t) => {
  const { page, gateway } = await blankPage(
    t,
    { answer: () => ({ text: 'One more.' }) },
    { prepare: (home) => writeLongSession(home, 'session_long', 2_500) },
  )
  await page.addInitScript(observeLongTasks)
  await page.goto(`${gateway.url}/sessions/session_long`)
  await page.getByText('Answer 2500.').waitFor()
  const drawn = await page.getByRole('article').count()
  assert.ok(drawn < 60, `${drawn} turns are in the page, only those near the window should be`)

  const log = page.getByRole('log', { name: 'Conversation' })
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const beginning = page.getByText('Question 1', { exact: true })
  while (!(await beginning.isVisible())) {
    await log.evaluate((element) => element.scrollTo({ top: 0 }))
    await twoFrames(page)
  }
  assert.ok(asked.filter((url) => url.includes('/entries?after=')).length > 10, 'it was read page by page')
  const longest = Math.max(0, ...(await page.evaluate<readonly number[]>('longTasks')))
  t.diagnostic(`the longest task took ${Math.round(longest)} ms`)
})

test('earlier turns are put in front of those that are read without moving them', async (t) => {
  const { page, gateway } = await blankPage(
    t,
    { answer: () => ({ text: 'One more.' }) },
    { prepare: (home) => writeLongSession(home, 'session_long', 500) },
  )
  await page.goto(`${gateway.url}/sessions/session_long`)
  await page.getByText('Answer 500.').waitFor()
  const log = page.getByRole('log', { name: 'Conversation' })
  let answer = (): void => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  await page.route(/\/entries\?after=/, async (route) => {
    await held
    await route.continue()
  })
  const asked = page.waitForRequest(/\/entries\?after=/)
  await log.evaluate((element) => element.scrollTo({ top: 1_000 }))
  await asked
  const top = await log.boundingBox()
  // What was just drawn is measured first.
  const before = await settled(page, () => readable(log, top!.y))
  const question = page.getByText(before.text, { exact: true })
  const heightBefore = await log.evaluate((element) => element.scrollHeight)

  answer()
  while ((await log.evaluate((element) => element.scrollHeight)) < heightBefore + 5_000) await twoFrames(page)
  const moved = await settled(page, async () => (await question.boundingBox())!.y)
  assert.ok(Math.abs(moved - before.y) < 2, `it moved from ${before.y} to ${moved}`)
})

test('a reader who leaves the end while it is still being drawn is not pulled back', async (t) => {
  const { page, gateway } = await blankPage(
    t,
    { answer: () => ({ text: 'One more.' }) },
    { prepare: (home) => writeLongSession(home, 'session_long', 500) },
  )
  await page.addInitScript(`
    addEventListener('scroll', function leave({ target }) {
      if (target.role !== 'log' || target.scrollTop === 0) return
      removeEventListener('scroll', leave, true)
      target.scrollTop -= 900
      globalThis.left = target.scrollTop
    }, true)
  `)
  await page.goto(`${gateway.url}/sessions/session_long`)
  const log = page.getByRole('log', { name: 'Conversation' })
  await page.getByRole('button', { name: 'To the newest' }).waitFor()
  const distance = () => log.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight)
  assert.ok((await settled(page, distance)) > 500, 'the reader is where they went')
  await page.getByRole('button', { name: 'To the newest' }).click()
  await page.getByText('Answer 500.').waitFor()
  assert.ok((await settled(page, distance)) < 2, 'the end is followed again')
})

test('a message that was sent is on the screen, however far the reader was from the end', async (t) => {
  const { page, gateway } = await blankPage(
    t,
    { answer: () => ({ text: 'One more.' }) },
    { prepare: (home) => writeLongSession(home, 'session_long', 100) },
  )
  await page.goto(`${gateway.url}/sessions/session_long`)
  await page.getByText('Answer 100.').waitFor()
  const log = page.getByRole('log', { name: 'Conversation' })
  await log.evaluate((element) => element.scrollTo({ top: 2_000 }))
  await page.getByRole('button', { name: 'To the newest' }).waitFor()
  await page.getByLabel('Message', { exact: true }).fill('And now?')
  await page.keyboard.press('Enter')
  await page.getByText('One more.').waitFor()
  await page.getByRole('button', { name: 'To the newest' }).waitFor({ state: 'detached' })
})

test('a conversation of long messages stays at its end, while the field for the message grows and shrinks', async (t) => {
  const { page } = await openedPage(t, { answer: ({ newest }) => ({ text: `Read ${newest.slice(0, 7)}.` }) })
  const log = page.getByRole('log', { name: 'Conversation' })
  const distance = () => log.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight)
  for (let number = 0; number < 12; number += 1) {
    const name = `Part ${String(number).padStart(2, '0')}`
    await page
      .getByLabel('Message', { exact: true })
      .fill(`${name} ${'about the tide at Brest, and how it turns '.repeat(90)}`)
    await page.keyboard.press('Enter')
    await page.getByText(`Read ${name}.`).waitFor({ state: 'attached' })
    assert.ok((await settled(page, distance)) < 2, name)
  }
})

/** The first question that is wholly on the screen, and where. */
async function readable(log: Locator, top: number): Promise<{ readonly text: string; readonly y: number }> {
  for (const question of await log.getByText(/^Question \d+$/).all()) {
    const box = await question.boundingBox().catch(() => null)
    if (box && box.y > top + 20) return { text: await question.innerText(), y: box.y }
  }
  return { text: '', y: Number.NaN }
}

/** A reading once it stays the same for some frames. */
async function settled<Reading>(page: Page, read: () => Promise<Reading>): Promise<Reading> {
  for (let last = await read(), same = 0; ;) {
    await twoFrames(page)
    const now = await read()
    same = JSON.stringify(now) === JSON.stringify(last) ? same + 1 : 0
    last = now
    if (same === 5) return now
  }
}

async function twoFrames(page: Page): Promise<void> {
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
}
