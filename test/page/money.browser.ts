import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { CallPrice, CostReport } from '../../src/capability.ts'
import { dollars } from '../../web/src/parts/numbers.ts'
import { blankPage, closeBrowser, openedPage, seriousFaults } from './browser.ts'
import { fitsWidth, lastTurn, looksRight, send, styleOf, turnEnded, waitUntil } from './conversation.ts'

after(closeBrowser)

const price = { input: 10, cachedInput: 1, output: 50 }
const usage = { promptTokens: 9_000, cachedTokens: 6_000, outputTokens: 100 }

/** A page whose first turn has two calls, of a model with this price; without one it is not known. */
async function asked(t: TestContext, options: { readonly browser?: BrowserContextOptions; readonly priced?: boolean }) {
  const { browser = {}, priced = true } = options
  const opened = await openedPage(
    t,
    {
      answer: (_request, n) =>
        n === 1
          ? { toolCalls: [{ name: 'read_file', input: { path: 'log.txt' } }], usage }
          : { text: 'The tide is high.', usage },
    },
    {
      browser,
      configuration: {
        model: 'openai/scripted',
        models: { 'openai/scripted': { window: 100_000, ...(priced ? { price } : { free: false }) } },
      },
      prepare: async (home) => {
        await mkdir(join(home, 'workspace'))
        await writeFile(join(home, 'workspace', 'log.txt'), 'calm')
        await writeFile(join(home, 'tool-access.json'), JSON.stringify({ global: { mode: 'full' } }))
      },
    },
  )
  await send(opened.page, 'How high is the water?')
  await lastTurn(opened.page).and(opened.page.locator('[aria-busy=false]')).getByText('The tide is high.').waitFor()
  return opened
}

/** Opens the first of the calls of the newest turn in the inspector. */
async function openFirstCall(page: Page): Promise<void> {
  await lastTurn(page).locator('summary').getByText('2 calls').click()
  await lastTurn(page)
    .getByRole('link', { name: / tokens/ })
    .first()
    .click()
}

/** What one of the calls costs: 3,000 fresh, 6,000 from the cache, 100 answered. */
const each = 0.03 + 0.006 + 0.005
const saved = 0.054

test('a conversation says what it cost so far and what the cache saved, and leads to what that was spent on', async (t) => {
  const { page, gateway } = await asked(t, {})
  const header = page.locator('header').getByRole('link', { name: /^Cost so far/ })
  const words = (calls: number): string =>
    `Cost so far: $${(each * calls).toFixed(3)}, the cache saved $${(saved * calls).toFixed(2)}`
  await header.and(page.getByText(words(2))).waitFor()
  await send(page, 'And now?')
  await header.and(page.getByText(words(3).replace('$0.123', '$0.12'))).waitFor()
  const { session } = /sessions\/(?<session>[^/]+)/.exec(page.url())!.groups as { readonly session: string }
  const { total } = await gateway.curl<CostReport>(`/api/costs?session=${session}`)
  assert.deepEqual([total.nanoDollars, total.savedNanoDollars], [Math.round(3 * each * 1e9), 3 * saved * 1e9])
  await header.press('Enter')
  const main = page.locator('#main')
  await main.getByText('Only calls of How high is the water?').waitFor()
  await main.getByRole('table', { name: 'Costs by layer' }).waitFor()
})

test('a turn has one line below its answer, with model, calls and cost, which opens to each call', async (t) => {
  const { page } = await asked(t, {})
  const turn = lastTurn(page)
  const line = turn.locator('summary').getByText(/^scripted · [0-9]{2}:[0-9]{2} · \$0\.082 · 2 calls$/)
  await line.waitFor()
  const calls = turn.getByRole('link', { name: /tokens · \$0\.041$/ })
  assert.equal(await calls.count(), 0)
  await line.click()
  await calls.nth(1).waitFor()
  await turn.getByText('The cache saved $0.11.').waitFor()
  await send(page, 'And now?')
  const next = page.getByRole('article').filter({ hasText: 'And now?' })
  await next.getByRole('link', { name: /^scripted · .* tokens · \$0\.041$/ }).waitFor()
})

test('an answer can always be copied; the rest is shown under the pointer and with the focus, and unfolds on a screen that is touched', async (t) => {
  const { page, another } = await asked(t, {})
  const button = `[...document.querySelectorAll('[aria-label="Regenerate the answer"]')].at(-1)`
  const drawn = (shown: Page, opacity: number) =>
    waitUntil(shown, `getComputedStyle(${button}.parentElement).opacity === '${opacity}'`)
  await page.mouse.move(0, 0)
  await drawn(page, 0)
  await lastTurn(page).hover()
  await drawn(page, 1)
  await page.mouse.move(0, 0)
  await drawn(page, 0)
  await lastTurn(page).getByLabel('Copy the answer').focus()
  await drawn(page, 1)
  assert.equal(await styleOf(lastTurn(page).getByLabel('Copy the answer').locator('..'), 'opacity'), '1')
  const phone = await another({ hasTouch: true, isMobile: true, viewport: { width: 360, height: 800 } })
  await phone.goto(page.url())
  await turnEnded(phone)
  const again = lastTurn(phone).getByLabel('Regenerate the answer')
  await again.waitFor({ state: 'hidden' })
  await lastTurn(phone).getByLabel('More to do with this turn').click()
  await again.waitFor()
  await fitsWidth(phone)
})

test('the inspector divides the cost of a call, says what the cache saved, and has the share of each piece', async (t) => {
  const { page, gateway } = await asked(t, {})
  await openFirstCall(page)
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  const costs = inspector.getByRole('region', { name: 'Cost of the call' })
  await costs.getByText('How this is counted').click()
  await costs.getByText('The cache saved $0.054.').waitFor()
  assert.deepEqual(await costs.getByRole('row').allInnerTexts(), [
    'From the cache\t6,000\t$0.0060',
    'New\t3,000\t$0.030',
    'Prompt\t9,000\t$0.036',
    'Answer\t100\t$0.0050',
    'Cost\t\t$0.041',
  ])
  const call = page.url().split('/').at(-1)!
  const { paid, entries } = await gateway.curl<{ paid: CallPrice; entries: readonly { tokens: number }[] }>(
    `/api/calls/${call}/manifest`,
  )
  await inspector.getByText(/^\w+, \w+ and \d+ more$/).click()
  const shown = await inspector.locator('summary').getByText(/^\$/).allInnerTexts()
  const sent = paid.entries.filter((_, index) => entries[index]!.tokens > 0)
  assert.deepEqual(shown, sent.map(dollars))
  assert.equal(Math.round((sent.reduce((sum, share) => sum + share, 0) + paid.parts.output) * 1e9), paid.money * 1e9)
  assert.deepEqual(await seriousFaults(page), [])
})

test('before a call the line has the price of the prompt, and the inspector that of the longest answer', async (t) => {
  const { page } = await asked(t, {})
  const strip = page.getByRole('region', { name: 'Context of the next call' })
  await strip.getByText(/^about \$0\.0\d+$/).waitFor()
  await page.getByText('An answer of up to 8,192 tokens adds at most $0.41.').waitFor()
})

test('where no price is known, no figure of money is shown, and the header says so', async (t) => {
  const { page } = await asked(t, { priced: false })
  await page.locator('header').getByRole('link', { name: 'Price not known' }).waitFor()
  await openFirstCall(page)
  assert.doesNotMatch(await page.getByRole('log').innerText(), /\$/)
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await inspector.getByRole('row', { name: 'Cost not known' }).waitFor()
})

test('a model that runs on the own machine costs nothing, and the header says nothing of it', async (t) => {
  const { page, gateway } = await blankPage(t, { answer: () => ({ text: 'The tide is high.', usage }) }, {})
  const { session, calls } = await gateway.say('How high is the water?')
  await Promise.all([
    page.waitForResponse((response) => response.url().includes('/api/costs?')),
    page.goto(`${gateway.url}/sessions/${session}/calls/${calls[0]!}`),
  ])
  await page.getByRole('complementary', { name: 'Inspector' }).getByRole('row', { name: 'Cost free' }).waitFor()
  assert.equal(await page.locator('header').getByRole('link').count(), 0)
})

test('a new conversation has no cost', async (t) => {
  const { page } = await openedPage(t, {})
  await page.getByLabel('Message', { exact: true }).waitFor()
  assert.equal(await page.locator('header').getByRole('link').count(), 0)
})

test('the cost of a conversation fits, and axe finds nothing serious, light and dark, on a phone and a desk', async (t) => {
  const { page } = await asked(t, {})
  await page.locator('header').getByRole('link', { name: /^Cost/ }).waitFor()
  await lastTurn(page).locator('summary').getByText('2 calls').waitFor()
  await looksRight(page, 'session-cost')
  await openFirstCall(page)
  await page.getByText('How this is counted').click()
  await page
    .getByRole('complementary', { name: 'Inspector' })
    .getByText(/The cache saved/)
    .waitFor()
  await looksRight(page, 'call-cost')
})
