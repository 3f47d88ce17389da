import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Manifest } from '../../src/context.ts'
import type { Preview } from '../../src/capability.ts'
import type { RealGateway } from '../end-to-end/gateway.ts'
import { blankPage, closeBrowser } from './browser.ts'
import { fitsWidth, picture } from './conversation.ts'
import { writeLongSession } from './large-home.ts'

after(closeBrowser)

const SESSION = 'session_long'

/** A long session whose newest call says that it read a turn of this id. The conversation is open, with the inspector. */
async function callThatNames(page: Page, gateway: RealGateway, turn: string): Promise<string[]> {
  const { calls } = await gateway.say('And now?', { session: SESSION })
  await page.route(`**/api/calls/${calls[0]!}/manifest`, async (route) => {
    const manifest = (await (await route.fetch()).json()) as Manifest
    const last = manifest.entries.findLastIndex(({ slot, layer }) => slot === 'history' && layer === 'turn')
    const entries = manifest.entries.with(last, { ...manifest.entries[last]!, id: turn })
    await route.fulfill({ json: { ...manifest, entries } })
  })
  const read: string[] = []
  await page.goto(`${gateway.url}/sessions/${SESSION}/calls/${calls[0]!}`)
  await page.getByRole('article').getByText('And now?').waitFor()
  page.on('request', (request) => request.url().includes('/entries?after=') && read.push(request.url()))
  const history = page.getByRole('complementary', { name: 'Inspector' }).getByRole('region', { name: 'Conversation' })
  await history.locator('summary').last().click()
  return read
}

const thousandTurns = { prepare: (home: string) => writeLongSession(home, SESSION, 1_000) }

test('9: a turn that the session does not have is said to be gone, and nothing is read in search of it', async (t) => {
  const { page, gateway } = await blankPage(t, { answer: () => ({ text: 'One more.' }) }, thousandTurns)
  const read = await callThatNames(page, gateway, 'turn_gone')
  await page.getByRole('button', { name: 'Show in the conversation' }).last().click()
  await page.getByText('This turn was not found. The session does not have it any more.').waitFor()
  // The list itself may read a page while it is drawn for the first time; the session has ten.
  assert.ok(read.length <= 1, `${read.length} pages were read`)
})

test('9: a turn that is far above is read and shown, while an answer arrives', async (t) => {
  let calls = 0
  const answer = () => (++calls === 1 ? { text: 'One more.' } : { text: 'word '.repeat(300), pieceDelayMs: 20 })
  const { page, gateway } = await blankPage(t, { answer }, thousandTurns)
  const read = await callThatNames(page, gateway, 'turn_12')
  await page.getByLabel('Message', { exact: true }).fill('Go on')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  await page.getByText('word word').first().waitFor()
  await page.getByRole('button', { name: 'Show in the conversation' }).last().click()
  await page.getByRole('article').and(page.locator(':focus')).getByText('Question 12', { exact: true }).waitFor()
  assert.ok(read.length > 5, `${read.length} pages were read`)
})

const name = `${'tides-and-lights-of-the-harbour-'.repeat(4)}plan.md`

test('8: names of files are shown instead of their ids, and the lines of cost fit 360 px with the longest names', async (t) => {
  const model = `openai/${'a-model-with-a-long-name-'.repeat(5)}`
  const usage = { promptTokens: 400, cachedTokens: 100, outputTokens: 7 }
  const { page, gateway } = await blankPage(
    t,
    { answer: () => ({ text: 'Yes.', usage }) },
    { browser: { viewport: { width: 360, height: 740 } }, configuration: { models: { [model]: { window: 8_000 } } } },
  )
  const form = new FormData()
  form.append('file', new Blob(['High water is at nine.']), name)
  const headers = { authorization: `Bearer ${gateway.token}` }
  const answer = await fetch(`${gateway.url}/api/files`, { method: 'POST', headers, body: form })
  const { files } = (await answer.json()) as { readonly files: readonly { readonly id: string }[] }
  await gateway.idle()
  const { id: session } = await gateway.curl<{ readonly id: string }>('/api/sessions', { model })
  await gateway.curl(`/api/sessions/${session}/messages`, { text: 'When?', attachments: [files[0]!.id] })
  await page.route('**/api/context', async (route) => {
    const preview = (await (await route.fetch()).json()) as Preview
    const firstChange = { id: files[0]!.id, slot: 'history', cause: 'changed' }
    const manifest = { ...preview.manifest, reuse: { tokens: 100, firstChange } }
    await route.fulfill({ json: { ...preview, manifest } })
  })
  await page.goto(`${gateway.url}/sessions/${session}`)
  const bar = page.getByRole('article').getByRole('link', { name: /tokens/ })
  const strip = page.getByRole('region', { name: 'Context of the next call' })
  const { height } = (await strip.getByRole('button').boundingBox())!
  assert.ok(height < 24, `the line has ${height} px`)
  await bar.waitFor()
  await fitsWidth(page)
  await picture(page, 'strip-360')
  await bar.click()
  const dialog = page.getByRole('dialog', { name: 'What the model reads' })
  await dialog.getByText(`Attachment: ${name}`).first().waitFor()
  await dialog.getByRole('img', { name: `Attachment: ${name}: ` }).waitFor()
  await dialog.getByText('How this is counted').click()
  assert.ok(!(await dialog.innerText()).includes(files[0]!.id))
  await fitsWidth(page)
  assert.equal(await clipped(dialog), 0)
  await picture(page, 'cost-360')
})

/** How many names and values of the lines of cost are wider than their place. */
async function clipped(place: Locator): Promise<number> {
  const lines = place.locator('dl').first().locator('dt, dd')
  return lines.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length)
}
