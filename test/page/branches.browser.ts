import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { closeBrowser, openedPage } from './browser.ts'
import { looksRight } from './conversation.ts'
import { isGone } from './idle.ts'

after(closeBrowser)

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.keyboard.press('Enter')
  await page.getByRole('article').filter({ hasText: text }).getByLabel('Copy the answer').waitFor()
}

/** The messages of the person on the screen, in order. */
async function shown(page: Page): Promise<readonly string[]> {
  return page.getByRole('article').evaluateAll((turns) => turns.map((turn) => turn.firstElementChild!.textContent))
}

interface Sessions {
  readonly sessions: readonly { readonly id: string }[]
}

test('4. edit and resend makes a branch, and the old one can be browsed', async (t) => {
  const { page, gateway } = await openedPage(t, { answer: ({ newest }) => ({ text: `You wrote: ${newest}` }) })
  for (const text of ['first', 'second', 'third']) await say(page, text)
  await page.getByRole('article').nth(1).getByLabel('Edit and send again').click()
  const field = page.getByLabel('Edit the message')
  assert.equal(await field.inputValue(), 'second')
  await field.fill('another')
  await field.press('Enter')
  await page.getByText('You wrote: another').waitFor()
  assert.deepEqual(await shown(page), ['first', 'another'])
  await page.getByText('2 of 2').waitFor()

  await page.getByLabel('Previous version').click()
  await page.getByText('You wrote: third').waitFor()
  assert.deepEqual(await shown(page), ['first', 'second', 'third'])
  await page.reload()
  await page.getByText('You wrote: third').waitFor()
  assert.deepEqual(await shown(page), ['first', 'second', 'third'])
  await page.getByLabel('Next version').click()
  await page.getByText('You wrote: another').waitFor()
  await say(page, 'fourth')
  assert.deepEqual(await shown(page), ['first', 'another', 'fourth'])

  const [session] = (await gateway.curl<Sessions>('/api/sessions')).sessions
  const { branches } = await gateway.curl<{ branches: readonly { words: string; turns: number; current: boolean }[] }>(
    `/api/sessions/${session!.id}/branches`,
  )
  assert.deepEqual(
    branches.map(({ words, turns, current }) => [words, turns, current]),
    [
      ['fourth', 3, true],
      ['second', 3, false],
    ],
  )
  const replay = await gateway.curl<{ calls: number; identical: number }>(`/api/sessions/${session!.id}/replay`)
  assert.deepEqual([replay.calls, replay.identical], [5, 5])
})

test('4. an answer is regenerated beside the first one', async (t) => {
  let answers = 0
  const { page } = await openedPage(t, { answer: () => ({ text: `Answer ${(answers += 1)}` }) })
  await say(page, 'hello')
  for (const number of [2, 3]) {
    await page.getByLabel('Regenerate the answer').click()
    await page.getByText(`Answer ${number}`).waitFor()
    await page.getByText(`${number} of ${number}`).waitFor()
    await page.getByLabel('Regenerate the answer').waitFor()
  }
  assert.deepEqual(await shown(page), ['hello'])
  await page.getByLabel('Previous version').click()
  await page.getByText('Answer 2').waitFor()
  await page.getByText('2 of 3').waitFor()
})

test('4. a conversation is forked from its first message, and what followed is a click away', async (t) => {
  const { page, gateway } = await openedPage(t, { answer: ({ newest }) => ({ text: `You wrote: ${newest}` }) })
  for (const text of ['first', 'second']) await say(page, text)
  await page.getByRole('article').first().getByLabel('Go on from here in a branch').click()
  await isGone(page, gateway, page.getByRole('article').getByText('You wrote: second'))
  await page.getByRole('button', { name: 'Show what followed' }).click()
  await page.getByText('You wrote: second').waitFor()
  await page.getByRole('article').first().getByLabel('Go on from here in a branch').click()
  await page.getByText('What followed is kept').waitFor()
  await say(page, 'elsewhere')
  assert.deepEqual(await shown(page), ['first', 'elsewhere'])
  await page.getByText('2 of 2').waitFor()
})

test('4. a turn that runs is stopped, keeps its words and can be sent again', async (t) => {
  let stopped = false
  const { page } = await openedPage(t, {
    answer: () => (stopped ? { text: 'Complete.' } : { text: 'word '.repeat(200), pieceDelayMs: 100 }),
  })
  await page.getByLabel('Message', { exact: true }).fill('tell me')
  await page.keyboard.press('Enter')
  await page.getByText('word word').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Stopped before the end.').waitFor()
  stopped = true
  await page.getByLabel('Regenerate the answer').click()
  await page.getByText('Complete.').waitFor()
})

test('4. branches are readable and accessible, light and dark, on a phone and a desk', async (t) => {
  const answer = () => ({ text: 'An answer with some words in it, so that there is a line or two to be read.' })
  const { page } = await openedPage(t, { answer }, { browser: { viewport: { width: 360, height: 800 } } })
  for (const text of ['first', 'second']) await say(page, text)
  await page.getByRole('article').nth(1).getByLabel('Regenerate the answer').click()
  await page.getByText('2 of 2').waitFor()
  await page.getByRole('article').nth(1).getByLabel('Go on from here in a branch').waitFor()
  await page.getByRole('article').nth(1).getByLabel('Edit and send again').click()
  await page.getByRole('article').first().getByLabel('Copy the answer').focus()
  await looksRight(page, 'edit')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('article').first().getByLabel('Go on from here in a branch').click()
  await page.getByText('What followed is kept').waitFor()
  await looksRight(page, 'fork')
})
