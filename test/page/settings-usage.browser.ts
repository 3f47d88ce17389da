import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { UsageReport } from '../../src/capability.ts'
import { blankPage, closeBrowser, type OpenedPage } from './browser.ts'
import { looksRight } from './conversation.ts'

after(closeBrowser)

const price = { input: 1, cachedInput: 0.1, output: 5 }

/** The page after two sessions: of a model with a price in the configuration, of one in the catalog, and of one on this machine, which costs nothing. */
async function used(t: TestContext, browser: BrowserContextOptions = {}): Promise<OpenedPage> {
  const opened = await blankPage(
    t,
    {
      answer: (_request, n) => ({
        ...(n === 1 ? { toolCalls: [{ name: 'read_file', input: { path: 'log.txt' } }] } : { text: 'Seen.' }),
        usage: { promptTokens: 1_000 * n, cachedTokens: 400 * n, cacheWrittenTokens: 0, outputTokens: 10 * n },
      }),
    },
    {
      browser,
      configuration: { models: { 'openai/scripted': { window: 100_000, price } } },
      prepare: async (home) => {
        await mkdir(join(home, 'workspace'))
        await writeFile(join(home, 'workspace', 'log.txt'), 'calm')
        await writeFile(join(home, 'tool-access.json'), JSON.stringify({ global: { mode: 'full' } }))
      },
    },
  )
  const { gateway } = opened
  const { session } = await gateway.say('What does the log say?', { model: 'openai/scripted' })
  await gateway.say('And now?', { session, model: 'anthropic/claude-sonnet-4-6' })
  await gateway.say('Another subject', { model: 'ollama/scripted' })
  return opened
}

/** At the address that usage had while it was a page of its own. */
async function openUsage(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/settings/usage`)
  await page.locator('#main').getByRole('table', { name: 'Usage by day' }).waitFor()
}

test('usage shows the tokens of the gateway by day, model, layer, tool and session', async (t) => {
  const { page, gateway } = await used(t)
  await openUsage(page, gateway.url)
  const main = page.locator('#main')
  const { total } = await gateway.curl<UsageReport>('/api/usage?by=day')
  assert.deepEqual([total.calls, total.prompt, total.unpriced, total.unreported], [4, 10_000, 0, 0])
  const together = main.getByRole('region', { name: 'Together' })
  await together.getByText('10,000').waitFor()
  const zone = await page.evaluate<string>('Intl.DateTimeFormat().resolvedOptions().timeZone')
  await main.getByText(`Days begin at midnight, ${zone}.`).waitFor()

  await main.getByText('Model', { exact: true }).click()
  const models = main.getByRole('table', { name: 'Usage by model' })
  // Two calls: 3,000 tokens of prompts, 1,200 of them cached, 30 of answers.
  const cells = models.getByRole('row', { name: 'openai/scripted' }).getByRole('cell')
  await cells.first().waitFor()
  assert.deepEqual((await cells.allInnerTexts()).slice(0, 3), ['2', '1,800', '1,200'])

  // The same calls as money; what runs on this machine costs nothing.
  await main.getByRole('group', { name: 'Show' }).getByText('Money', { exact: true }).click()
  const costs = main.getByRole('table', { name: 'Costs by model' })
  await costs.getByRole('row', { name: 'ollama/scripted' }).getByText('$0', { exact: true }).waitFor()
  await main.getByRole('group', { name: 'Show' }).getByText('Tokens', { exact: true }).click()

  await main.getByText('Layer', { exact: true }).click()
  const layers = main.getByRole('table', { name: 'Usage by layer' })
  await layers.getByText('history (earlier turns)').waitFor()

  await main.getByText('Tool', { exact: true }).click()
  const tool = main.getByRole('table', { name: 'Usage by tool' }).getByRole('row').filter({ hasText: 'read_file' })
  await tool.waitFor()

  await main.getByText('Session', { exact: true }).click()
  const sessions = main.getByRole('table', { name: 'Usage by session' })
  await sessions.getByRole('link', { name: 'What does the log say?' }).click()
  await page.getByText('And now?').first().waitFor()
})

test('usage is chosen by keyboard, and a time without calls says so', async (t) => {
  const { page, gateway } = await blankPage(t, {})
  await page.goto(`${gateway.url}/settings/usage`)
  const main = page.locator('#main')
  await main.getByText('No calls in this time.').waitFor()
  const time = main.getByRole('group', { name: 'Time' })
  await time.getByRole('radio', { name: '7 days' }).focus()
  for (const name of ['30 days', '90 days']) {
    await page.keyboard.press('ArrowRight')
    await time.getByRole('radio', { name, checked: true }).waitFor()
  }
})

test('usage fits, and axe finds nothing serious, light and dark, on a phone and a desk', async (t) => {
  const { page, gateway } = await used(t)
  await openUsage(page, gateway.url)
  for (const by of ['Day', 'Model', 'Layer', 'Tool', 'Session']) {
    await page.locator('#main').getByText(by, { exact: true }).first().click()
    await page
      .locator('#main')
      .getByRole('table', { name: `Usage by ${by.toLowerCase()}` })
      .waitFor()
    await looksRight(page, `usage-${by.toLowerCase()}`)
  }
})
