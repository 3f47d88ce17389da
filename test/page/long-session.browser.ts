import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser, openedPage } from './browser.ts'
import { writeLongSession } from './large-home.ts'

after(closeBrowser)

/** Collects the tasks of the page that keep it from drawing, ms. */
const observeLongTasks = `
  globalThis.longTasks = []
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((entry) => entry.duration)))
    .observe({ type: 'longtask', buffered: true })
`

test('a session of 5,000 messages opens at its end and can be read to its beginning', async (t) => {
  const { page, gateway } = await openedPage(
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
  for (let address = ''; !address.includes('after=0&');) {
    const earlier = page.waitForResponse(/\/entries\?after=/)
    await log.evaluate((element) => element.scrollTo({ top: 0 }))
    address = (await earlier).url()
  }
  await log.evaluate((element) => element.scrollTo({ top: 0 }))
  await page.getByText('Question 1', { exact: true }).waitFor()
  const longest = Math.max(0, ...(await page.evaluate<readonly number[]>('longTasks')))
  t.diagnostic(`the longest task took ${Math.round(longest)} ms`)
})

test('earlier turns are put in front of those that are read without moving them', async (t) => {
  const { page, gateway } = await openedPage(
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
  const read = log.getByText(/^Question \d+$/).nth(2)
  const question = page.getByText(await read.innerText(), { exact: true })
  // What was just drawn is measured first.
  const topOf = async (): Promise<number> => (await question.boundingBox())!.y
  let before = await topOf()
  for (let last = Number.NaN; last !== before; before = await topOf()) {
    last = before
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  }
  const heightBefore = await log.evaluate((element) => element.scrollHeight)

  answer()
  await log.evaluate(async (element, least) => {
    while (element.scrollHeight < least || element.scrollTop < 5_000)
      await new Promise((resolve) => setTimeout(resolve, 16))
  }, heightBefore + 5_000)
  const moved = await topOf()
  assert.ok(Math.abs(moved - before) < 2, `it moved from ${before} to ${moved}`)
})
