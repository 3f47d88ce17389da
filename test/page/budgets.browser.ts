import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { closeBrowser, openedPage } from './browser.ts'
import { lastTurn, looksRight, send } from './conversation.ts'

after(closeBrowser)

/** A page whose every call could pass the budget of the day. */
async function heldPage(t: TestContext, browser: BrowserContextOptions = {}) {
  const opened = await openedPage(
    t,
    { answer: () => ({ text: 'The tide is high.', usage: { promptTokens: 900, outputTokens: 5 } }) },
    {
      browser,
      configuration: {
        budgets: [{ limit: { usd: 0.01 }, per: 'day' }],
        models: { 'ollama/scripted': { window: 16_384, price: { input: 10, output: 50 } } },
      },
    },
  )
  await send(opened.page, 'How high is the water?')
  const held = lastTurn(opened.page).getByRole('group', { name: 'Approval of a call over budget' })
  await held.waitFor()
  return { ...opened, held }
}

test('a call that could pass a budget says what it may cost, and leaves once it is allowed, on a phone and a desk', async (t) => {
  const { page, held, gateway } = await heldPage(t, { viewport: { width: 360, height: 900 } })
  await held.getByText(/may cost/).waitFor()
  assert.equal(gateway.provider.requests.filter(({ path }) => path === '/api/chat').length, 0)
  await looksRight(page, 'held-call')
  await held.getByRole('button', { name: 'Allow this call' }).click()
  await lastTurn(page).getByText('The tide is high.').waitFor()
  assert.equal(await held.count(), 0)
})

test('a call over budget that is refused is not made, and the turn says why it ended', async (t) => {
  const { page, held, gateway } = await heldPage(t)
  await held.getByRole('button', { name: 'Refuse' }).click()
  await held.locator('button[type=submit]').click()
  await held.waitFor({ state: 'detached' })
  await lastTurn(page).getByText('The call was not made').waitFor()
  assert.equal(gateway.provider.requests.filter(({ path }) => path === '/api/chat').length, 0)
})

test('a limit that is raised for the day lets the next calls leave, too', async (t) => {
  const { page, held } = await heldPage(t)
  await held.getByRole('button', { name: 'Raise the limit' }).click()
  await lastTurn(page).getByText('The tide is high.').waitFor()
})
