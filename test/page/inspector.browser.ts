import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Manifest } from '../../src/context.ts'
import type { CallRecord } from '../../src/session.ts'
import { closeBrowser, openedPage, seriousFaults } from './browser.ts'

after(closeBrowser)

const prepare = async (home: string): Promise<void> => {
  mkdirSync(join(home, 'workspace'), { recursive: true })
  writeFileSync(join(home, 'workspace', 'AGENTS.md'), '# Rules\n\nBe brief, and name the tide.\n')
}

test('the bar follows what one types, to scale, and says what is free', async (t) => {
  const { page, gateway } = await openedPage(t, {}, { prepare })
  const strip = page.getByRole('region', { name: 'Context of the next call' })
  await strip.getByRole('img').waitFor()
  const before = await widths(strip)
  await page.getByLabel('Message', { exact: true }).fill('word '.repeat(500))
  const preview = await gateway.curl<{ manifest: Manifest }>('/api/context', { input: 'word '.repeat(500) })
  const { used, budget } = preview.manifest
  await strip.getByText(`${used.toLocaleString('en')} of`).waitFor()

  const now = await widths(strip)
  assert.ok(now.length > before.length, 'the message has a segment of its own')
  const tokens = now.reduce((sum, each) => sum + each.tokens, 0)
  assert.equal(tokens, budget.window)
  const whole = now.reduce((sum, each) => sum + each.width, 0)
  for (const { tokens: own, width } of now) {
    assert.ok(Math.abs(width / whole - own / tokens) < 0.01, `${own} tokens are ${width} of ${whole} px`)
  }
})

test('every segment of a call opens to the exact text, its origin and its other forms', async (t) => {
  const { page, gateway } = await openedPage(t, { answer: () => ({ text: 'High water.' }) }, { prepare })
  const { session, calls } = await gateway.say('When is high water?')
  const call = calls[0]!
  const { request } = await gateway.curl<{ request: { system: string; tools: readonly object[] } }>(
    `/api/calls/${call}/request`,
  )
  await page.goto(`${gateway.url}/sessions/${session}/calls/${call}`)
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  const system = inspector.getByRole('region', { name: 'System', exact: true })
  await system.getByText('Instructions', { exact: true }).click()
  const text = system.getByRole('region', { name: 'Exact text of Instructions' })
  assert.equal(await text.textContent(), '# Rules\n\nBe brief, and name the tide.')
  await system.getByText('workspace/AGENTS.md').waitFor()

  const texts = await openedTexts(system)
  assert.equal(texts.join('\n\n'), request.system)
  const tools = await openedTexts(inspector.getByRole('region', { name: 'Tools', exact: true }))
  assert.deepEqual(
    tools.map((json) => JSON.parse(json) as object),
    request.tools,
  )
  assert.deepEqual(await seriousFaults(page), [])
  if (process.env['SCREENSHOTS']) await page.screenshot({ path: `${process.env['SCREENSHOTS']}/inspector.png` })
})

test('what was left out says why, with the numbers', async (t) => {
  const answer = () => ({ text: 'An answer of some length. '.repeat(60) })
  const models = { 'ollama/scripted': { window: 3_000 } }
  const { page, gateway } = await openedPage(t, { answer }, { configuration: { models, context: { reserve: 500 } } })
  const first = await gateway.say('The first question.')
  for (let turn = 2; turn <= 7; turn++) await gateway.say(`Question ${turn}.`, { session: first.session })
  await page.goto(`${gateway.url}/sessions/${first.session}`)
  const left = page.getByRole('region', { name: 'Left out' })
  await left
    .getByText(
      /^Turns? [\d to]+ left out: [\d,]+ tokens wanted, .*(?:[\d,]+ were free after the cut to half of the room|[\d,]+ of [\d,]+ are free now)\.$/,
    )
    .first()
    .waitFor()
})

test('every number that the inspector shows is that of the account and of the provider', async (t) => {
  const usage = { promptTokens: 400, cachedTokens: 100, outputTokens: 7 }
  const { page, gateway } = await openedPage(t, { answer: () => ({ text: 'Yes.', usage }) }, { prepare })
  const { session } = await gateway.say('One?')
  await gateway.say('Two?', { session })
  await gateway.say('Three?', { session })
  const { calls } = await gateway.curl<{ calls: readonly { id: string }[] }>(`/api/sessions/${session}/calls`)
  assert.equal(calls.length, 3)
  for (const { id } of calls) {
    const { manifest, outcome } = await gateway.curl<CallRecord>(`/api/calls/${id}`)
    await page.goto(`${gateway.url}/sessions/${session}/calls/${id}`)
    const inspector = page.getByRole('complementary', { name: 'Inspector' })
    const { used, budget, slots, entries } = manifest
    await inspector
      .getByText(`${used.toLocaleString('en')} of ${budget.available.toLocaleString('en')} tokens`)
      .waitFor()
    const shown = await widths(inspector)
    assert.equal(
      shown.reduce((sum, { tokens }) => sum + tokens, 0),
      budget.window,
    )
    assert.deepEqual(
      shown.slice(0, entries.filter(({ tokens }) => tokens > 0).length).map(({ tokens }) => tokens),
      entries.filter(({ tokens }) => tokens > 0).map(({ tokens }) => tokens),
    )
    assert.equal(
      Object.values(slots).reduce((sum, tokens) => sum + tokens, 0),
      used,
    )
    const { promptTokens, cachedTokens } = outcome!.usage!
    await inspector.getByText(`${promptTokens} read`).waitFor()
    if (cachedTokens !== undefined) await inspector.getByText(`${cachedTokens} of them from the cache`).waitFor()
  }
})

test('on a narrow screen the inspector opens over the conversation, from the strip and from a call', async (t) => {
  const { page, gateway } = await openedPage(
    t,
    { answer: () => ({ text: 'Yes.' }) },
    { prepare, browser: { viewport: { width: 360, height: 740 } } },
  )
  const { session, calls } = await gateway.say('One?')
  await page.goto(`${gateway.url}/sessions/${session}`)
  await page.getByRole('button', { name: 'What the model will read' }).click()
  const dialog = page.getByRole('dialog', { name: 'Inspector' })
  await dialog.getByText('System prompt', { exact: true }).waitFor()
  assert.deepEqual(await seriousFaults(page), [])
  if (process.env['SCREENSHOTS']) await page.screenshot({ path: `${process.env['SCREENSHOTS']}/inspector-360.png` })
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page
    .getByRole('article')
    .getByRole('link', { name: /tokens$/ })
    .click()
  await dialog.getByText('Forecast', { exact: true }).waitFor()
  assert.ok(page.url().endsWith(`/calls/${calls[0]}`))
})

async function widths(place: Page | Locator): Promise<readonly { readonly tokens: number; readonly width: number }[]> {
  return place
    .locator('[role=img]')
    .first()
    .locator('span')
    .evaluateAll((spans) =>
      spans.map((span) => ({
        tokens: Number(span.getAttribute('data-tokens')),
        width: span.getBoundingClientRect().width,
      })),
    )
}

/** Opens every row of a section and reads the exact texts, once each row has one: a text is drawn after its row is open. */
async function openedTexts(section: Locator): Promise<readonly string[]> {
  const closed = section.locator(':scope > details:not([open]) > summary')
  while ((await closed.count()) > 0) await closed.first().click()
  const texts = section.getByRole('region', { name: /^Exact text of/ })
  const rows = await section.locator(':scope > details').count()
  await texts.nth(rows - 1).waitFor()
  return texts.allTextContents()
}
