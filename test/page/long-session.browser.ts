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
  console.log(await page.evaluate('performance.now()'), await page.evaluate('longTasks'))
  const drawn = await page.getByRole('article').count()
  assert.ok(drawn < 60, `${drawn} turns are in the page, only those near the window should be`)

  const log = page.getByRole('log', { name: 'Conversation' })
  await log.focus()
  await page.keyboard.press('Home')
  await page.getByText('Question 1', { exact: true }).waitFor()
})
