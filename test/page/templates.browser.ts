import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { blankPage, closeBrowser, openedPage } from './browser.ts'
import { looksRight, waitUntil } from './conversation.ts'

after(closeBrowser)

const answer = ({ newest }: { readonly newest: string }) => ({ text: `Read: ${newest}` })
const REVIEW = 'Review {{what}} for {{reader:a beginner}}.\nBe {{tone:formal|friendly}}, {{tone}}! {{what}}'

const field = (page: Page) => page.getByLabel('Message', { exact: true })
const fields = (page: Page) => page.getByRole('form', { name: 'Fields of review' })

test('a template is inserted by its name, and its fields are filled in with Tab and Enter', async (t) => {
  const { page, gateway } = await openedPage(t, { answer })
  await gateway.curl('/api/templates', { name: 'review', text: REVIEW })
  await field(page).pressSequentially('/Rev')
  const list = page.getByRole('listbox', { name: 'Commands' })
  await list.getByRole('option', { name: '/review' }).waitFor()
  await page.keyboard.press('Enter')
  await fields(page).waitFor()
  await looksRight(page, 'template-fields')
  await page.keyboard.type('the plan')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('of today')
  await page.keyboard.press('Tab')
  assert.equal(await fields(page).getByLabel('reader').inputValue(), 'a beginner')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const text = 'Review the plan\nof today for a beginner.\nBe friendly, friendly! the plan\nof today'
  await waitUntil(
    page,
    `document.activeElement.id === 'message' && document.activeElement.value === ${JSON.stringify(text)}`,
  )
  await page.keyboard.press('Enter')
  await page.getByRole('article').getByText('Read: Review the plan').waitFor()
})

test('a whole line calls a template too: words behind the name fill its first field, and Escape changes nothing', async (t) => {
  const { page, gateway } = await openedPage(t, { answer })
  await gateway.curl('/api/templates', { name: 'review', text: REVIEW })
  await gateway.curl('/api/templates', { name: 'grüße', text: 'Greet everybody.' })
  await field(page).fill('/review my code')
  await page.keyboard.press('Enter')
  assert.equal(await fields(page).getByLabel('what').inputValue(), 'my code')
  await page.keyboard.press('Escape')
  await fields(page).waitFor({ state: 'detached' })
  await waitUntil(page, `document.activeElement.id === 'message' && document.activeElement.value === '/review my code'`)
  await page.keyboard.press('Enter')
  await fields(page).getByRole('textbox', { name: 'what' }).fill('')
  await fields(page).getByRole('button', { name: 'Insert' }).click()
  const gap = 'Review {{what}} for a beginner.\nBe formal, formal! {{what}}'
  await waitUntil(page, `document.getElementById('message').value === ${JSON.stringify(gap)}`)
  await field(page).fill('/grüße all')
  await page.keyboard.press('Enter')
  await waitUntil(page, `document.getElementById('message').value === 'Greet everybody.\\n\\nall'`)
})

test('the message in the field is saved as a template, is in the list at once, and goes below what is written', async (t) => {
  const { page, gateway } = await openedPage(t, { answer })
  const open = () => page.getByRole('button', { name: 'Templates' }).click()
  await open()
  const window = page.getByRole('dialog', { name: 'Templates' })
  await window.getByText('There is none yet.').waitFor()
  await page.keyboard.press('Escape')
  await field(page).fill('List what is open.')
  await open()
  await window.getByLabel('Save this message as').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('what is open')
  await page.keyboard.press('Enter')
  await window.getByText(/must be one word/).waitFor()
  await window.getByLabel('Save this message as').fill('open')
  await looksRight(page, 'template-picker')
  await window.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. Type /open to insert it.').waitFor()
  await open()
  await window.getByRole('button', { name: 'open List what is open.' }).click()
  await waitUntil(page, `document.getElementById('message').value === 'List what is open.\\n\\nList what is open.'`)
  const { templates } = await gateway.curl<{ templates: { value: object }[] }>('/api/templates')
  assert.deepEqual(
    templates.map(({ value }) => value),
    [{ name: 'open', text: 'List what is open.' }],
  )
})

test('templates are made, renamed, removed and put back in the settings', async (t) => {
  const { page, gateway } = await blankPage(t, {})
  await page.goto(`${gateway.url}/settings/templates`)
  const main = page.locator('#main')
  await main.getByText('There is no template yet.').waitFor()
  await main.getByRole('link', { name: 'New template' }).click()
  await main.getByLabel('Name').fill('review')
  await main.getByLabel('Message').fill(REVIEW)
  await main.getByText('Fields: what, reader, tone.').waitFor()
  await looksRight(page, 'template-settings')
  await main.getByRole('button', { name: 'Create the template' }).click()
  await main.getByRole('heading', { name: 'review' }).waitFor()
  assert.equal(await main.getByRole('region', { name: 'Files' }).count(), 0, 'a template has no files')
  await main.getByLabel('Name').fill('check')
  await main.getByRole('button', { name: 'Save' }).click()
  await main.getByRole('heading', { name: 'check' }).waitFor()
  await main.getByRole('button', { name: 'Remove this template' }).click()
  await main.getByText('There is no template yet.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await main.getByRole('link', { name: /^check Review .* · version 4$/ }).waitFor()
})

test('a message that was sent is saved as a template from its turn', async (t) => {
  const { page, gateway } = await openedPage(t, { answer })
  await field(page).fill('Plan the berths of {{day:tomorrow}}.')
  await page.keyboard.press('Enter')
  const turn = page.getByRole('article').filter({ hasText: 'Read: Plan the berths' })
  await turn.getByRole('button', { name: 'Save the message as a template' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save the message' })
  await waitUntil(page, `document.activeElement.closest('[role=dialog] form') !== null`)
  await page.keyboard.type('berths')
  await page.keyboard.press('Enter')
  await page.getByText('Saved. Type /berths to insert it.').waitFor()
  await dialog.waitFor({ state: 'detached' })
  const { templates } = await gateway.curl<{ templates: readonly { value: unknown }[] }>('/api/templates')
  assert.deepEqual(
    templates.map(({ value }) => value),
    [{ name: 'berths', text: 'Plan the berths of {{day:tomorrow}}.' }],
  )
})
