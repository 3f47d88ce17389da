import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { closeBrowser, openedPage } from './browser.ts'
import { looksRight, send, turnEnded, waitUntil } from './conversation.ts'

after(closeBrowser)

const field = (page: Page) => page.getByLabel('Message', { exact: true })
const answerOf = (page: Page, model: string) => page.getByRole('region', { name: `Answer of ollama/${model}` })

/** Two models that answer after both were asked. */
function provider() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const asked = new Set<string>()
  return {
    models: [{ name: 'scripted' }, { name: 'other' }],
    answer: async ({ model, newest }: { readonly model: string; readonly newest: string }) => {
      asked.add(model)
      if (asked.size === 2) resolve()
      if (newest === 'Which?') await promise
      return { text: `${model} read: ${newest}` }
    },
  }
}

async function askBoth(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: /^Model: / }).click()
  await page.getByRole('button', { name: 'Ask ollama/other as well' }).click()
  await page.getByRole('button', { name: 'Do not ask ollama/other' }).waitFor()
  await field(page).fill(text)
}

test('two models answer one message side by side, each with its call, and the conversation goes on with the chosen one', async (t) => {
  const { page, gateway, another } = await openedPage(t, provider())
  await askBoth(page, 'Which?')
  const strip = page.getByRole('region', { name: 'Context of the next call' })
  for (const model of ['scripted', 'other']) await strip.getByText(new RegExp(`${model}: .* of the window`)).waitFor()
  await looksRight(page, 'two-models-asked')
  await page.setViewportSize({ width: 360, height: 740 })
  for (const chip of [
    page.getByRole('button', { name: /^Model: / }),
    page.getByRole('button', { name: /^Do not ask / }),
  ]) {
    const words = chip.locator('.truncate')
    assert.ok(
      await words.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth),
      'both names are whole',
    )
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.keyboard.press('Enter')
  await answerOf(page, 'scripted').getByText('scripted read: Which?').waitFor()
  await answerOf(page, 'other').getByText('other read: Which?').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Do not ask ollama/other' }).count(), 0, 'for one message')
  for (const model of ['scripted', 'other']) {
    await answerOf(page, model)
      .getByRole('link', { name: new RegExp(`${model} · .* tokens`) })
      .waitFor()
  }
  await looksRight(page, 'two-models')
  // Both in one look: the inspector takes its room beside them a moment after the window has its width again.
  await waitUntil(
    page,
    `(([left, right]) => right.x >= left.right && right.y === left.y)(
      [...document.querySelectorAll('section[aria-label^="Answer of"]')].map((each) => each.getBoundingClientRect()))`,
  )

  const session = page.url().split('/').at(-1)!
  const { calls } = await gateway.curl<{ calls: { id: string; model: string }[] }>(`/api/sessions/${session}/calls`)
  await answerOf(page, 'other')
    .getByRole('link', { name: /other · / })
    .click()
  const { id } = calls.find(({ model }) => model === 'ollama/other')!
  await waitUntil(page, `location.pathname === '/sessions/${session}/calls/${id}'`)

  const tab = await another()
  await tab.goto(`${gateway.url}/sessions/${session}`)
  await answerOf(tab, 'scripted').getByText('The conversation goes on with this answer.').waitFor()
  await answerOf(page, 'other').getByRole('button', { name: 'Continue with this answer' }).click()
  for (const each of [page, tab]) {
    await answerOf(each, 'other').getByText('The conversation goes on with this answer.').waitFor()
    await answerOf(each, 'scripted').getByRole('button', { name: 'Continue with this answer' }).waitFor()
  }
  await page.getByRole('button', { name: 'Model: ollama/other' }).waitFor()
  await send(page, 'Why?')
  await page.getByText('other read: Why?').waitFor()
  assert.equal(await answerOf(page, 'scripted').count(), 0)
  await page.getByText('2 of 2').waitFor()
  await page.getByRole('button', { name: 'Previous version' }).click()
  await answerOf(page, 'scripted').getByText('The conversation goes on with this answer.').waitFor()
  const replay = await gateway.curl<{ calls: number; identical: number }>(`/api/sessions/${session}/replay`)
  assert.deepEqual([replay.calls, replay.identical], [3, 3])
})

test('one of two answers is stopped by itself, and Stop stops both', async (t) => {
  const held = {
    models: [{ name: 'scripted' }, { name: 'other' }],
    answer: () => ({ text: ['Not', ' yet'], hangAfter: 1 }),
  }
  const { page } = await openedPage(t, held)
  await askBoth(page, 'Which?')
  await page.keyboard.press('Enter')
  await answerOf(page, 'other').getByRole('button', { name: 'Stop this answer' }).click()
  await answerOf(page, 'other').getByRole('button', { name: 'Copy the answer' }).waitFor()
  await answerOf(page, 'scripted').getByRole('button', { name: 'Stop this answer' }).waitFor()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await answerOf(page, 'scripted').getByRole('button', { name: 'Copy the answer' }).waitFor()
  await askBoth(page, 'Again?')
  await page.keyboard.press('Enter')
  await answerOf(page, 'other').getByRole('button', { name: 'Stop this answer' }).waitFor()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  for (const model of ['scripted', 'other']) {
    await answerOf(page, model).getByRole('button', { name: 'Copy the answer' }).waitFor()
  }
})

test('Stop ends the answers also where the gateway has not yet said that it took the message', async (t) => {
  const { promise: late, resolve: arrive } = Promise.withResolvers<void>()
  const answer = ({ newest }: { readonly newest: string }) =>
    newest === 'Hello' ? { text: 'Yes.' } : { text: ['Not', ' yet'], hangAfter: 1 }
  const { page } = await openedPage(t, { models: [{ name: 'scripted' }, { name: 'other' }], answer })
  await send(page, 'Hello')
  await turnEnded(page)
  await page.route('**/api/messages', async (route) => {
    const response = await route.fetch()
    await late
    await route.fulfill({ response })
  })
  await askBoth(page, 'Which?')
  await page.keyboard.press('Enter')
  for (const model of ['scripted', 'other']) {
    await answerOf(page, model).getByRole('button', { name: 'Stop this answer' }).waitFor()
  }
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  for (const model of ['scripted', 'other']) {
    await answerOf(page, model).getByRole('button', { name: 'Copy the answer' }).waitFor()
  }
  arrive()
  await waitUntil(page, `document.querySelector('#message').value === ''`)
  assert.equal(await page.getByText('It is not known whether the message arrived.').count(), 0)
})

test('a model has the name that the catalogue knows and badges of what it can do, wherever it is shown', async (t) => {
  const { page, gateway } = await openedPage(t, {
    models: [{ name: 'claude-sonnet-4-6' }, { name: 'scripted' }],
    answer: () => ({ text: 'Yes.' }),
  })
  await page.getByRole('button', { name: /^Model: / }).click()
  await page.getByRole('searchbox', { name: 'Search models' }).fill('sonnet 4.6')
  const row = page.locator('[data-model]').filter({ hasText: 'Claude Sonnet 4.6' })
  await row.getByText('$3.00 in, $15.00 out · 200K tokens · images · tools · reasoning', { exact: true }).waitFor()
  await looksRight(page, 'model-picker')
  await row.click()
  await page.getByRole('button', { name: 'Model: Claude Sonnet 4.6' }).waitFor()
  await send(page, 'Ready?')
  await page.getByRole('link', { name: /^Claude Sonnet 4\.6 · / }).waitFor()
  await page.goto(`${gateway.url}/settings/models`)
  const listed = page.locator('#main').getByRole('listitem').filter({ hasText: 'Claude Sonnet 4.6' })
  for (const words of ['anthropic/claude-sonnet-4-6', '200,000 tokens', 'images', 'tools', 'reasoning'])
    await listed.getByText(words, { exact: true }).waitFor()
  await page.locator('#main').getByRole('listitem').filter({ hasText: 'ollama/scripted' }).first().waitFor()
  await looksRight(page, 'models-page')
})
