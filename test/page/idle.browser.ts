import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { closeBrowser, openedPage } from './browser.ts'
import { lastTurn, send } from './conversation.ts'
import { idle } from './idle.ts'

after(closeBrowser)

test('a page that is idle shows the whole answer, with its code in colours, and the context of the next call', async (t) => {
  const answer = '```ts\nconst tide = 1\n```\n\nThat is all of it.'
  const { page, gateway } = await openedPage(t, { answer: () => ({ text: answer, pieceDelayMs: 5 }) })
  await idle(page, gateway)
  assert.equal(await page.locator('[aria-label="Context of the next call"]').count(), 1)
  await send(page, 'Show it')
  assert.equal(await page.locator('html').getAttribute('data-idle'), 'false')
  await idle(page, gateway)
  assert.match(await lastTurn(page).innerText(), /That is all of it\./)
  assert.ok((await lastTurn(page).locator('figure code span[style]').count()) > 1, 'it has colours')
})

test('a page is idle while a call waits for a person, and not while its turn goes on', async (t) => {
  const policy = {
    global: { mode: 'allowlist', allowedTools: ['write_file'] },
    tools: { write_file: { approval: 'ask' } },
  }
  const write = { name: 'write_file', input: { path: 'note.md', content: 'Hello' } }
  const { page, gateway } = await openedPage(
    t,
    { answer: (_, n) => (n === 1 ? { toolCalls: [write] } : { text: 'Written.' }) },
    { prepare: async (home) => writeFileSync(join(home, 'tool-access.json'), JSON.stringify(policy)) },
  )
  await send(page, 'Write it')
  await idle(page, gateway)
  const turn = lastTurn(page)
  assert.match(await turn.innerText(), /waits for you/)
  await turn.getByRole('button', { name: 'Approve once' }).click()
  await idle(page, gateway)
  assert.match(await turn.innerText(), /Written\./)
})
