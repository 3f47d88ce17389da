import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import { blankPage, closeBrowser, type PageOptions } from './browser.ts'
import { looksRight } from './conversation.ts'

after(closeBrowser)

async function scheduleSettings(t: TestContext, options: PageOptions = {}) {
  const opened = await blankPage(t, { answer: () => ({ text: 'Nothing new.' }) }, options)
  await opened.page.goto(`${opened.gateway.url}/settings/schedules`)
  const main = opened.page.locator('#main')
  await main.getByText('There is no schedule yet.').waitFor()
  const add = async (when: string, text: string): Promise<void> => {
    await main.locator('summary', { hasText: 'New schedule' }).click()
    const form = main.getByRole('form', { name: 'New schedule' })
    await form.getByLabel('When').fill(when)
    await form.getByLabel('Message').fill(text)
    await form.getByLabel('Budget of a run').fill('20000')
    await form.getByLabel('In', { exact: true }).selectOption('Tokens')
    await form.getByRole('button', { name: 'Add the schedule' }).click()
  }
  return { ...opened, main, add }
}

test('a schedule is added, run, paused, resumed and removed on the page', async (t) => {
  const { page, main, add, gateway } = await scheduleSettings(t)
  await add('every weekday at 8', 'Look at the news.')
  const row = main.getByRole('listitem', { name: 'Look at the news.' })
  await row.getByText('20,000 tokens a run').waitFor()
  assert.equal(await row.locator('time').count(), 3)

  await row.getByRole('button', { name: 'Run now' }).click()
  await row.locator('summary', { hasText: 'Last run' }).click()
  const runs = main.getByRole('list', { name: 'Runs of Look at the news.' })
  await runs.getByText('by hand').waitFor()
  await runs.getByText('completed').waitFor()
  await row.locator('summary', { hasText: /^Last run: .*, completed$/ }).waitFor()
  await runs.getByRole('link').click()
  await page.locator('#main').getByText('Nothing new.').waitFor()

  await page.goto(`${gateway.url}/settings/schedules`)
  await row.getByRole('button', { name: 'Pause' }).click()
  await row.getByText('paused').waitFor()
  await row.getByRole('button', { name: 'Resume' }).click()
  await row.getByText('Next:').waitFor()
  await row.getByRole('button', { name: 'Remove Look at the news.', exact: true }).click()
  await row.getByRole('button', { name: 'Remove Look at the news. now' }).click()
  await main.getByText('There is no schedule yet.').waitFor()
})

test('a schedule is edited in place: it keeps its runs, and what was typed stays where it is refused', async (t) => {
  const { main, add } = await scheduleSettings(t)
  await add('every weekday at 8', 'Look at the news.')
  const row = main.getByRole('listitem', { name: 'Look at the news.' })
  await row.getByRole('button', { name: 'Run now' }).click()
  await row.locator('summary', { hasText: 'Last run' }).waitFor()
  await row.getByRole('button', { name: 'Edit Look at the news.' }).click()
  const form = main.getByRole('form', { name: 'Edit Look at the news.' })
  assert.equal(await form.getByLabel('Budget of a run').inputValue(), '20000')
  await form.getByLabel('Name').fill('News')
  await form.getByLabel('When').fill('soon')
  await form.getByRole('button', { name: 'Save the schedule' }).click()
  await form.getByRole('alert').getByText('Cannot read the time "soon"').waitFor()
  assert.equal(await form.getByLabel('Name').inputValue(), 'News')
  await form.getByLabel('When').fill('every day at 9')
  await form.getByRole('button', { name: 'Save the schedule' }).click()
  const changed = main.getByRole('listitem', { name: 'News', exact: true })
  await changed.getByText('every day at 9').waitFor()
  await changed.getByText('20,000 tokens a run').waitFor()
  await changed.locator('summary', { hasText: 'Last run' }).waitFor()
})

test('a time that is not understood is refused with examples, and nothing of the form is lost', async (t) => {
  const { main, add } = await scheduleSettings(t)
  await add('soon', 'Look at the news.')
  await main.getByRole('alert').getByText('Cannot read the time "soon"').waitFor()
  assert.equal(await main.getByLabel('Message').inputValue(), 'Look at the news.')
})

test('the page of schedules is accessible and no wider than the window, light and dark, on a phone and a desk', async (t) => {
  const { page, main, add } = await scheduleSettings(t, {
    browser: { viewport: { width: 360, height: 900 } },
  })
  await add('30 8 * * 1-5', `${'long'.repeat(60)} words`)
  await main.getByRole('list', { name: 'Schedules' }).waitFor()
  await main.getByRole('button', { name: /^Edit / }).click()
  await looksRight(page, 'schedules')
})
