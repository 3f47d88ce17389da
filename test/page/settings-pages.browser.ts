import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { blankPage, closeBrowser } from './browser.ts'
import { fitsWidth, looksRight, visit } from './conversation.ts'
import { idle, isGone } from './idle.ts'

after(closeBrowser)

const pages =
  'status models prompt agents projects subjects skills tools mcp-servers token backup costs audit doctor appearance'.split(
    ' ',
  )

test('every page of the settings says what it is for, without marks of code, and fits a phone', async (t) => {
  const { page, gateway } = await blankPage(
    t,
    { answer: () => ({ text: 'A good answer.' }) },
    { browser: { viewport: { width: 360, height: 740 } } },
  )
  await page.goto(`${gateway.url}/settings`)
  for (const id of pages) {
    await visit(page, `/settings/${id}`)
    const sentence = page.locator('#main p.text-soft').first()
    await sentence.waitFor()
    assert.match(await sentence.innerText(), /^[A-Z][^]*\.$/, id)
    await idle(page, gateway)
    for (const text of await page.locator('#main p').allInnerTexts()) assert.doesNotMatch(text, /`/, id)
    await fitsWidth(page)
  }
})

test('status, models and appearance fit, and axe finds nothing serious, light and dark, on a phone and a desk', async (t) => {
  const { page, gateway } = await blankPage(t, {}, { browser: { viewport: { width: 360, height: 740 } } })
  const seen = { status: 'Home', models: 'Attach a provider', appearance: 'Colours' }
  await page.goto(`${gateway.url}/settings`)
  for (const [id, text] of Object.entries(seen)) {
    await visit(page, `/settings/${id}`)
    await page.locator('#main').getByText(text, { exact: true }).waitFor()
    await looksRight(page, id)
  }
})

for (const [kind, body] of [
  ['agent', { name: 'Poet', prompt: 'Answer in verse.' }],
  ['project', { name: 'Harbour', instructions: 'Be brief.' }],
] as const) {
  test(`removed ${kind}s are spoken of only where there are some`, async (t) => {
    const { page, gateway } = await blankPage(t, {})
    const main = page.locator('#main')
    const read = page.waitForResponse((response) => response.url().endsWith(`/api/${kind}s?removed=true`))
    await page.goto(`${gateway.url}/settings/${kind}s`)
    await (await read).finished()
    await main.getByText(`There is no ${kind} yet.`).waitFor()
    assert.equal(await main.getByText(`Removed ${kind}s`).count(), 0)
    const { id } = await gateway.curl<{ readonly id: string }>(`/api/${kind}s`, body)
    await page.goto(`${gateway.url}/settings/${kind}s?id=${id}`)
    await main.getByRole('button', { name: `Remove this ${kind}` }).click()
    await main.getByText(`Removed ${kind}s`).click()
    await main.getByRole('button', { name: `Put ${body.name} back` }).click()
    await main.getByRole('link', { name: new RegExp(`^${body.name}`) }).waitFor()
    await isGone(page, gateway, main.getByText(`Removed ${kind}s`))
  })
}

test('the models in the place of another are written one on a line, kept in the configuration, and seen folded', async (t) => {
  const { page, gateway } = await blankPage(t, {})
  await page.goto(`${gateway.url}/settings/models`)
  const row = page.locator('#main li').filter({ hasText: 'In use' })
  await row.getByRole('button', { name: 'Add a fallback of ' }).click()
  await row.getByRole('textbox').fill('anthropic/one\nresponses/two')
  await row.getByRole('button', { name: 'Save' }).click()
  await row.getByText('Fallback: anthropic/one, responses/two').waitFor()
  const { models } = await gateway.curl<{ models: readonly { fallback?: readonly string[] }[] }>('/api/models')
  assert.deepEqual(
    models.flatMap(({ fallback = [] }) => fallback),
    ['anthropic/one', 'responses/two'],
  )
  await looksRight(page, 'fallback')
})

test('a part of the page whose code does not come leaves a note, and the rest of the page stays', async (t) => {
  const { page, gateway } = await blankPage(t, {})
  await page.route('**/assets/agents-page-*.js', (route) => route.abort())
  await page.goto(`${gateway.url}/settings/models`)
  const links = page.getByRole('navigation', { name: 'Settings' })
  await links.getByRole('link', { name: 'Agents' }).click()
  const note = page.getByRole('alert').filter({ hasText: 'This part of the page could not be loaded.' })
  await note.waitFor()
  await looksRight(page, 'part-not-loaded')
  await links.getByRole('link', { name: 'Projects' }).click()
  await page.getByText('There is no project yet.').waitFor()
  await page.unroute('**/assets/agents-page-*.js')
  await links.getByRole('link', { name: 'Agents' }).click()
  await note.waitFor()
  await page.reload()
  await page.getByText('There is no agent yet.').waitFor()
})
