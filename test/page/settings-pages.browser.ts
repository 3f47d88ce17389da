import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser, openedPage } from './browser.ts'
import { fitsWidth } from './conversation.ts'

after(closeBrowser)

const pages =
  'status models prompt agents projects subjects skills tools mcp-servers token backup usage audit doctor appearance'.split(
    ' ',
  )

test('every page of the settings says what it is for, without marks of code, and fits a phone', async (t) => {
  const { page } = await openedPage(
    t,
    { answer: () => ({ text: 'A good answer.' }) },
    { browser: { viewport: { width: 360, height: 740 } } },
  )
  const { origin } = new URL(page.url())
  for (const id of pages) {
    await page.goto(`${origin}/settings/${id}`)
    const sentence = page.locator('#main p.text-soft').first()
    await sentence.waitFor()
    assert.match(await sentence.innerText(), /^[A-Z][^]*\.$/, id)
    for (const text of await page.locator('#main p').allInnerTexts()) assert.doesNotMatch(text, /`/, id)
    await fitsWidth(page)
  }
})
