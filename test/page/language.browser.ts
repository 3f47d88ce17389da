import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { blankPage, closeBrowser } from './browser.ts'
import { fitsWidth, looksRight, send, visit } from './conversation.ts'
import { idle } from './idle.ts'
import { ENGLISH_WORDS, heardTexts, seenTexts } from './seen-texts.ts'

after(closeBrowser)

const german = JSON.parse(readFileSync(new URL('../../web/languages/de.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, unknown>
>
/** Texts of the page that are another in German. A few are words of both. */
const english = new Set(Object.keys(german).filter((text) => german[text] !== text))

const configuration = {
  model: 'anthropic/scripted',
  models: {
    'anthropic/scripted': { window: 20_000, price: { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 } },
  },
}

/** Pages of the settings that consist of the page's own texts. */
const pages =
  'models agents projects subjects templates mcp-servers schedules audit costs status appearance token backup'.split(
    ' ',
  )

/** What a person sees or hears of the page that is English. Code and what people have written may be. */
async function englishTexts(page: Page): Promise<readonly string[]> {
  const texts = [...(await seenTexts(page)), ...(await heardTexts(page))]
  return [...new Set(texts)].filter((text) => english.has(text) || ENGLISH_WORDS.test(text))
}

test('a person chooses German: the whole page is in it at once, with its numbers, and stays so', async (t) => {
  const { page, gateway } = await blankPage(t, { answer: () => ({ text: 'Eine gute Antwort.' }) }, { configuration })
  await page.goto(`${gateway.url}/settings/appearance`)
  assert.equal(await page.locator('html').getAttribute('lang'), 'en')
  const loaded = `performance.getEntriesByType('resource').filter(({ name }) => /\\/de-[^/]+\\.js$/.test(name)).length`
  assert.equal(await page.evaluate(loaded), 0)
  await page.getByLabel('Language').selectOption({ label: 'Deutsch' })
  await page.getByRole('heading', { name: 'Darstellung' }).waitFor()
  assert.equal(await page.locator('html').getAttribute('lang'), 'de')
  // The texts of the page, and the sentences of the gateway.
  assert.equal(await page.evaluate(loaded), 2)

  await page.goto(gateway.url)
  await page.getByPlaceholder('Frag, was du willst').waitFor()
  await idle(page, gateway)
  assert.deepEqual(await englishTexts(page), [])
  await page.locator('#message').fill('Wie hoch steht das Wasser?')
  await page.keyboard.press('Enter')
  await page.getByText('Eine gute Antwort.').waitFor()
  await idle(page, gateway)
  assert.match(
    await page.getByRole('region', { name: 'Kontext des nächsten Aufrufs' }).innerText(),
    /% des Fensters · etwa 0,0\d+\s\$ · /,
  )
  await page.getByText(/ von 20\.000 Token/).waitFor()
  assert.deepEqual(await englishTexts(page), [])
  for (const tab of ['Änderungen', 'Variante', 'Dieser Aufruf']) {
    await page.getByRole('tab', { name: tab }).click()
    await idle(page, gateway)
    assert.deepEqual(await englishTexts(page), [], tab)
  }
  await looksRight(page, 'german-chat')
  for (const id of pages) {
    await visit(page, `/settings/${id}`)
    await idle(page, gateway)
    assert.deepEqual(await englishTexts(page), [], id)
  }
})

test('where the browser asks for German nobody sees English first, and every page of the settings fits a phone', async (t) => {
  const { page, gateway } = await blankPage(
    t,
    {},
    { browser: { locale: 'de-AT', viewport: { width: 360, height: 740 } } },
  )
  await page.addInitScript(`globalThis.drawn = []
    new MutationObserver(() => globalThis.drawn.push(document.querySelector('#root')?.innerText ?? '')).observe(document, { childList: true, subtree: true })`)
  await page.goto(`${gateway.url}/settings/appearance`)
  await page.getByLabel('Sprache').waitFor()
  const drawn = await page.evaluate<readonly string[]>('globalThis.drawn')
  assert.deepEqual(
    drawn.filter((text) => ENGLISH_WORDS.test(text)),
    [],
  )
  assert.equal(await page.getByLabel('Sprache').inputValue(), 'system')
  for (const id of [...pages, 'prompt', 'skills', 'tools', 'doctor']) {
    await visit(page, `/settings/${id}`)
    await idle(page, gateway)
    await fitsWidth(page)
  }
  await visit(page, '/settings/appearance')
  await looksRight(page, 'german-appearance')
  await page.getByLabel('Sprache').selectOption('English')
  await page.getByRole('heading', { name: 'Appearance' }).waitFor()
  await page.goto(gateway.url)
  await send(page, 'Hello')
  await page.getByRole('article').waitFor()
})
