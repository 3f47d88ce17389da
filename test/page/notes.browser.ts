import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import type { SessionNotes } from '../../src/capability.ts'
import { blankPage, closeBrowser } from './browser.ts'
import { looksRight } from './conversation.ts'
import { isGone } from './idle.ts'

after(closeBrowser)

/** The inspector of a session that was cut, with its newest note open. `note`: what the model writes when it is asked for one. */
async function noted(t: TestContext, note: string, browser: BrowserContextOptions = {}) {
  const opened = await blankPage(
    t,
    {
      answer: ({ newest }) => ({
        text: newest.includes('Write the note') ? note : 'The tide comes in twice a day. '.repeat(36),
      }),
    },
    {
      browser,
      configuration: {
        context: { notes: 'index', reserve: 600, margin: 0 },
        models: { 'ollama/scripted': { window: 4_000 } },
      },
    },
  )
  const { page, gateway } = opened
  const { session } = await gateway.say('How high is the water at the quay?')
  for (let turn = 0; turn < 12; turn += 1) await gateway.say(`And at harbour ${1000 + turn}?`, { session })
  const path = `/api/sessions/${session}/notes`
  const notes = () => gateway.curl<SessionNotes>(path)
  await page.goto(`${gateway.url}/sessions/${session}`)
  if ((browser.viewport?.width ?? 1280) < 1280)
    await page.getByRole('button', { name: /What the model will read/ }).click()
  const rows = page.locator('summary').filter({ hasText: /^Note \d/ })
  const { length } = (await notes()).notes
  const row = rows.nth(length - 1)
  await row.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Write again' }).waitFor()
  return { ...opened, session, notes, rows, row }
}

test('a note opens to the turns that it covers', async (t) => {
  const { page, notes } = await noted(t, 'They agreed on feet.')
  const { turns } = (await notes()).notes.at(-1)!
  await page.getByText('An index, without words of a model.').waitFor()
  await page.getByText(`What it covers: ${turns} turns`).click()
  const text = page.getByRole('region', { name: 'Turns that the note covers' })
  await text.waitFor()
  const covered = [...(await text.innerText()).matchAll(/^Turn \d+\nuser:\nAnd at harbour \d+\?/gm)]
  assert.equal(covered.length, turns)
})

test('a note is written again by the keyboard, and the next call reads the new words', async (t) => {
  const { page, notes } = await noted(t, 'They agreed on feet.')
  const answered = page.waitForResponse((response) => {
    return response.url().endsWith('/notes') && response.request().method() === 'POST'
  })
  await page.getByRole('button', { name: 'Write again' }).press('Enter')
  const { tokens } = (await (await answered).json()) as { readonly tokens: number }
  await page
    .getByRole('status')
    .getByText(`The note was written again, ${tokens} tokens. It is in the next call.`)
    .waitFor()
  assert.match((await notes()).notes.at(-1)!.text, /They agreed on feet\./)
  await page.getByText('The model wrote words of it.').waitFor()
  await page
    .getByRole('region', { name: /^Exact text of Note/ })
    .getByText('They agreed on feet.')
    .waitFor()
})

test('an answer that is no note leaves the note as it was, and says why', async (t) => {
  const { page, notes } = await noted(t, '')
  const before = await notes()
  await page.getByRole('button', { name: 'Write again' }).click()
  await page
    .getByRole('alert')
    .getByText(/The model’s answer is no note|The model's answer is no note/)
    .waitFor()
  assert.deepEqual((await notes()).notes, before.notes)
  await page.getByRole('button', { name: 'Write again', disabled: false }).waitFor()
})

test('a note that is not sent for want of room says so, with its text', async (t) => {
  const { page, gateway, session } = await noted(t, 'They agreed on feet.')
  const { calls } = await gateway.say('high '.repeat(2_950), { session })
  await page.goto(`${gateway.url}/sessions/${session}/calls/${calls[0]!}`)
  const row = page.locator('summary').filter({ hasText: /Note 1 left out: .*it is kept/ })
  await row.first().click()
  const text = page.getByRole('region', { name: 'Text of the note that was not sent' })
  await text.waitFor()
  assert.match(await text.innerText(), /harbour/)
})

test('notes are left out after a question, and the next call has none', async (t) => {
  const { page, gateway, notes, rows } = await noted(t, 'They agreed on feet.')
  const { length } = (await notes()).notes
  await page.getByRole('button', { name: 'Forget' }).click()
  await page.getByRole('button', { name: 'Forget', expanded: true }).click()
  assert.equal((await notes()).notes.length, length)
  await page.getByRole('button', { name: 'Forget' }).click()
  await page.getByRole('button', { name: /^Leave (?:the note|all \d+ notes) out$/ }).click()
  await page
    .getByRole('status')
    .getByText(/left out from the next call on\.$/)
    .waitFor()
  assert.deepEqual((await notes()).notes, [])
  await isGone(page, gateway, rows)
})

test('what can be done with a note fits, and axe finds nothing serious, light and dark, on a phone and a desk', async (t) => {
  const { page } = await noted(t, 'They agreed on feet.')
  await page.getByText(/^What it covers: /).click()
  await page.getByRole('region', { name: 'Turns that the note covers' }).waitFor()
  await page.getByRole('button', { name: 'Forget' }).click()
  await page.getByRole('button', { name: /^Leave/ }).scrollIntoViewIfNeeded()
  await looksRight(page, 'note')
})
