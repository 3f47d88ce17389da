import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { blankPage, closeBrowser } from './browser.ts'
import { idle } from './idle.ts'

after(closeBrowser)

/** A page of the settings whose gateway answers as one without a capability does, or as one with a failure. */
async function settings(
  t: TestContext,
  id: string,
  answers: Readonly<Record<string, { readonly status?: number; readonly json: unknown }>>,
  browser: BrowserContextOptions = {},
) {
  const { page, gateway } = await blankPage(t, { answer: () => ({ text: 'Good morning.' }) }, { browser })
  for (const [path, answer] of Object.entries(answers)) await page.route(`**${path}`, (route) => route.fulfill(answer))
  await page.goto(`${gateway.url}/settings/${id}`)
  await idle(page, gateway)
  return page.locator('#main')
}

const message = 'There is no endpoint /api/budgets. GET /api/openapi.json lists the endpoints.'

test('where budgets are left out, the page of costs is without them', async (t) => {
  const absent = { status: 404, json: { error: { code: 'not-found', message } } }
  const main = await settings(t, 'costs', { '/api/budgets': absent })
  await main.getByText('No calls in this time.').waitFor()
  assert.equal(await main.getByRole('alert').count(), 0)
})

test('where costs are left out, the people of a gateway are shown with what they store', async (t) => {
  const usage = { storeBytes: 4096, files: 2, fileBytes: 3000, updated: '2026-01-31T12:00:00.000Z' }
  const people = [{ name: 'ann', role: 'member', made: usage.updated, signsIn: false, usage }]
  const main = await settings(t, 'people', { '/api/people': { json: { people } } })
  await main.getByText(/^2 files, [\d.]+\sk?B · last active/i).waitFor()
})

test('why an archive failed is read in the language of the page', async (t) => {
  const failed = {
    message: 'The log of the gateway has each of them. A full disk is the usual cause.',
    hint: 'Free some space, or move the home to another disk and set FOREWORD_HOME.',
  }
  const main = await settings(t, 'backup', { '/api/backups': { json: { failed, made: [] } } }, { locale: 'de-DE' })
  await main.getByText('Meist ist die Festplatte voll.').waitFor()
  await main.getByText('Schaffe Platz, oder verschiebe das Home').waitFor()
})
