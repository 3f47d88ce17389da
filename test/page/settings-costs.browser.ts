import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import type { CostReport } from '../../src/capability.ts'
import { blankPage, closeBrowser, type OpenedPage } from './browser.ts'
import { downloadedText, looksRight } from './conversation.ts'

after(closeBrowser)

const price = { input: 1, cachedInput: 0.1, output: 5 }

/** The page after two sessions: of a model with a price in the configuration, of one in the catalog, and of one without. */
async function spent(t: TestContext): Promise<OpenedPage & { session: string }> {
  const opened = await blankPage(
    t,
    {
      answer: (_request, n) => ({
        ...(n === 1 ? { toolCalls: [{ name: 'read_file', input: { path: 'log.txt' } }] } : { text: 'Seen.' }),
        usage: { promptTokens: 1_000 * n, cachedTokens: 400 * n, cacheWrittenTokens: 0, outputTokens: 10 * n },
      }),
    },
    {
      configuration: {
        models: { 'openai/scripted': { window: 100_000, price }, 'openai/unknown': { free: false } },
      },
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
  await gateway.say('Another subject', { model: 'openai/unknown' })
  return { ...opened, session }
}

/** Shows one grouping of the costs. */
async function group(page: Page, by: string) {
  const main = page.locator('#main')
  await main.getByRole('group', { name: 'By' }).getByText(by, { exact: true }).click()
  const table = main.getByRole('table', { name: `Costs by ${by.toLowerCase()}` })
  await table.waitFor()
  return table
}

test('costs show what is left of each budget, light and dark, on a phone and a desk', async (t) => {
  const { page, gateway } = await blankPage(
    t,
    { answer: () => ({ text: 'Seen.', usage: { promptTokens: 1_000, cachedTokens: 0, outputTokens: 100 } }) },
    {
      browser: { viewport: { width: 360, height: 900 } },
      configuration: {
        models: { 'openai/scripted': { window: 8_000, price } },
        budgets: [
          { limit: { usd: 1 }, per: 'day' },
          { limit: { tokens: 50_000 }, per: 'month' },
          { limit: { usd: 0.5 }, per: 'session' },
        ],
      },
    },
  )
  await gateway.say('Hello', { model: 'openai/scripted' })
  await page.goto(`${gateway.url}/settings/costs`)
  const budgets = page.locator('#main').getByRole('region', { name: 'Budgets' })
  await budgets.getByText('$1.00 of $1.00 left').waitFor()
  await budgets.getByText('$0.0015 spent').waitFor()
  await budgets.getByText('48,900 tokens of 50,000 tokens left').waitFor()
  await budgets.getByRole('listitem').filter({ hasText: 'The session' }).getByText('$0.50').waitFor()
  await looksRight(page, 'budgets')
})

const groups = ['Day', 'Model', 'Layer', 'Skill', 'Tool', 'Agent', 'Channel', 'Token', 'Session']

test('costs of a new home say that there are no calls', async (t) => {
  const { page, gateway } = await blankPage(t, {})
  await page.goto(`${gateway.url}/settings/costs`)
  await page.locator('#main').getByText('No calls in this time.').waitFor()
})

test('a sum of free calls and of one without a price is not known, and no $0', async (t) => {
  const { page, gateway } = await blankPage(
    t,
    { answer: () => ({ text: 'Seen.' }) },
    { configuration: { models: { 'openai/unknown': { free: false } } } },
  )
  await gateway.say('Hello', { model: 'rehearsal' })
  await gateway.say('Hello', { model: 'openai/unknown' })
  await page.goto(`${gateway.url}/settings/costs`)
  const together = page.locator('#main').getByRole('region', { name: 'Together' })
  await together.getByText('not known', { exact: true }).waitFor()
  await together.getByText('Not in it: 1 call without a known price').waitFor()
})

test('the costs of a home with two sessions', async (t) => {
  const { page, gateway, session } = await spent(t)

  await t.test(
    'costs show the money by every grouping of the gateway, what the cache saved, and which calls have no price',
    async () => {
      await page.goto(`${gateway.url}/settings/costs`)
      const main = page.locator('#main')
      const { total } = await gateway.curl<CostReport>('/api/costs')
      assert.deepEqual([total.calls, total.unpriced], [4, 1])
      const together = main.getByRole('region', { name: 'Together' })
      await together.getByText(`$${total.money!.toPrecision(2)}`, { exact: true }).waitFor()
      await together.getByText(`saved $${(total.savedNanoDollars / 1e9).toPrecision(2)}`).waitFor()
      await together.getByText('Not in it: 1 call without a known price').waitFor()

      const seen: Record<string, string | undefined> = {}
      for (const by of groups) {
        const table = await group(page, by)
        const { rows } = await gateway.curl<CostReport>(`/api/costs?by=${by.toLowerCase()}`)
        await table
          .locator('tbody tr')
          .nth(rows.length - 1)
          .waitFor()
        assert.equal(await table.locator('tbody tr').count(), rows.length, by)
        seen[by] = (await table.innerText()).replaceAll(/\s+/g, ' ')
      }
      const money = (1_800 * 1 + 1_200 * 0.1 + 30 * 5) / 1e6
      assert.ok(seen['Model']!.includes(`openai/scripted 2 `) && seen['Model']!.includes(`$${money.toPrecision(2)}`))
      assert.match(seen['Model']!, /openai\/unknown 1 not known/)
      assert.match(seen['Layer']!, /answer \(what the model wrote\)/)
      assert.match(seen['Tool']!, /read_file .*Everything but tools|Everything but tools.* read_file/)
      for (const text of Object.values(seen))
        assert.doesNotMatch(text!, /\$0(?:\.0+)?(?!\.?\d)/, 'what is not known is no $0')

      await main.getByRole('link', { name: 'What does the log say?' }).click()
      await page.getByText('And now?').first().waitFor()
      await page.goto(`${gateway.url}/settings/costs?session=${session}`)
      await main.getByText('Only calls of What does the log say?').waitFor()
      await main.getByRole('region', { name: 'Together' }).getByText('3', { exact: true }).waitFor()
      await main.getByRole('link', { name: 'All sessions' }).click()
      await main.getByRole('region', { name: 'Together' }).getByText('4', { exact: true }).waitFor()
    },
  )

  await t.test('costs are downloaded as a spreadsheet with the same rows and nine decimals', async () => {
    await page.goto(`${gateway.url}/settings/costs`)
    await group(page, 'Model')
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download as CSV' }).press('Enter')
    const file = await download
    assert.equal(file.suggestedFilename(), 'costs-by-model.csv')
    const lines = (await downloadedText(file)).split('\r\n').flatMap((text) => text.split('\n'))
    const { rows, total } = await gateway.curl<CostReport>('/api/costs?by=model')
    assert.equal(lines[0], 'model,title,calls,unpriced,usd,saved_usd,waiting')
    assert.deepEqual(
      lines.slice(1, rows.length + 1).map((line) => line.split(',')[0]),
      rows.map(({ key }) => key),
    )
    assert.equal(lines[rows.length + 1]!.split(',')[4], (total.nanoDollars / 1e9).toFixed(9))
    assert.equal(lines.find((line) => line.startsWith('openai/unknown'))!.split(',')[4], '')
  })

  await t.test('the time of costs is chosen by keyboard, by days, too; a time without calls says so', async () => {
    await page.goto(`${gateway.url}/settings/costs`)
    const main = page.locator('#main')
    const calls = main.getByRole('region', { name: 'Together' }).getByText('4', { exact: true })
    await calls.waitFor()
    await main.getByRole('radio', { name: '30 days' }).focus()
    for (const name of ['90 days', 'This month', 'Last month']) {
      await page.keyboard.press('ArrowRight')
      await main.getByRole('radio', { name, checked: true }).waitFor()
    }
    await main.getByText('No calls in this time.').waitFor()
    for (const name of ['All', 'Other days']) {
      await page.keyboard.press('ArrowRight')
      await main.getByRole('radio', { name, checked: true }).waitFor()
      await calls.waitFor()
    }
    const today = await page.evaluate<string>("new Date().toLocaleDateString('sv')")
    await main.getByLabel('Since').fill(today)
    await main.getByLabel('Until').fill(today)
    await calls.waitFor()
    await main.getByLabel('Until').fill('2020-01-01')
    await main.getByText('No calls in this time.').waitFor()
  })

  await t.test('costs fit, and axe finds nothing serious, light and dark, on a phone and a desk', async () => {
    await page.goto(`${gateway.url}/settings/costs`)
    for (const by of ['Day', 'Model', 'Layer', 'Session']) {
      await group(page, by)
      await looksRight(page, `costs-${by.toLowerCase()}`)
    }
  })
})
