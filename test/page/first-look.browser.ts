import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Locator } from 'playwright-core'
import type { Preview } from '../../src/capability.ts'
import { closeBrowser, openedPage } from './browser.ts'
import { lastTurn, looksRight, send, turnEnded } from './conversation.ts'

after(closeBrowser)

/** What is seen of an element: all of it, in the window. */
async function isInSight(locator: Locator): Promise<boolean> {
  const [box, size] = [await locator.boundingBox(), locator.page().viewportSize()!]
  return box !== null && box.y >= 0 && box.y + box.height <= size.height && box.x + box.width <= size.width
}

test('beside the inspector a conversation has 720 px of a window of 1280, and the inspector says once what it is', async (t) => {
  const { page, gateway } = await openedPage(t, { answer: () => ({ text: 'Yes.' }) })
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  const sentence = inspector.getByText('Everything that the model reads with your next message')
  await sentence.waitFor()
  const { width } = (await page.locator('#main').boundingBox())!
  assert.ok(width >= 720, `${width} px`)
  await send(page, 'One?')
  await turnEnded(page)
  await looksRight(page, 'first-look')
  await page.goto(gateway.url)
  await inspector.getByRole('tablist').waitFor()
  assert.equal(await sentence.count(), 0)
})

const LONG = Array.from({ length: 80 }, (_, line) => `Line ${line} of the log, which is long.`).join('\n')

test('on a phone a question opens with what would be done and where, and its buttons are in sight', async (t) => {
  const edit = { name: 'edit_file', input: { path: 'log.txt', old_text: 'calm', new_text: LONG } }
  const { page } = await openedPage(
    t,
    { answer: (_, n) => (n === 1 ? { toolCalls: [edit] } : { text: 'Done.' }) },
    {
      browser: { viewport: { width: 360, height: 640 } },
      prepare: async (home) => {
        mkdirSync(join(home, 'workspace'))
        writeFileSync(join(home, 'workspace', 'log.txt'), 'calm\n')
        const tools = { edit_file: { approval: 'ask' } }
        writeFileSync(join(home, 'tool-access.json'), JSON.stringify({ global: { mode: 'full' }, tools }))
      },
    },
  )
  await send(page, 'Change the log')
  const asked = lastTurn(page).getByRole('group', { name: 'Approval of edit_file' })
  await asked.getByRole('button', { name: 'Approve once' }).waitFor()
  await page.locator('html[data-idle=true]').waitFor()
  for (const part of [
    asked.getByRole('heading', { name: 'May edit_file run?' }),
    asked.getByText(/log\.txt/).first(),
    asked.getByRole('button', { name: 'Approve once' }),
    asked.getByRole('button', { name: /^Deny/ }),
  ]) {
    assert.ok(await isInSight(part), String(await part.textContent()))
  }
  await looksRight(page, 'approval-phone')
})

test('a hit of a search is read without the marks of Markdown, and its words are marked', async (t) => {
  const text =
    '## Tides\n\n- The **spring** tide is `higher` than [the *neap* tide](https://example.org/neap).\n\n| when | height |\n| --- | --- |\n| noon | 3 m |\n'
  const { page, gateway } = await openedPage(t, { answer: () => ({ text }) })
  await gateway.say('When?')
  const sessions = page.getByRole('complementary', { name: 'Sessions' })
  await sessions.getByLabel('Search sessions').fill('spring')
  const hit = sessions.locator('a:has(mark)').first()
  await hit.waitFor()
  assert.equal(await hit.locator('mark').first().textContent(), 'spring')
  const words = (await hit.textContent())!
  assert.match(words, /The spring tide is higher than the neap tide\./)
  assert.doesNotMatch(words, /[*`#|[\]]/)
  await looksRight(page, 'search-hits')
})

test('a finished conversation has no sign in the list', async (t) => {
  const { page, gateway } = await openedPage(t, { answer: () => ({ text: 'Yes.' }) })
  const { session } = await gateway.say('Finished?')
  const link = page.getByRole('complementary', { name: 'Sessions' }).locator(`a[href="/sessions/${session}"]`)
  await link.waitFor()
  assert.equal(await link.textContent(), 'Finished?')
  assert.equal(await link.locator('svg').count(), 0)
})

test('a call that its tool cannot do says so, and does not lead to the rules', async (t) => {
  const edit = { name: 'edit_file', input: { path: 'log.txt', old_text: 'storm', new_text: 'calm' } }
  const unruled = [edit, { name: 'edit_file', input: { path: 7 } }, { name: 'no_such_tool', input: {} }]
  const { page } = await openedPage(
    t,
    { answer: (_, n) => (n === 1 ? { toolCalls: unruled } : { text: 'Then not.' }) },
    {
      prepare: async (home) => {
        mkdirSync(join(home, 'workspace'))
        writeFileSync(join(home, 'workspace', 'log.txt'), 'clear\n')
        writeFileSync(join(home, 'tool-access.json'), JSON.stringify({ global: { mode: 'full' } }))
      },
    },
  )
  await send(page, 'Change the log')
  await lastTurn(page).getByText('Then not.').waitFor()
  const cards = lastTurn(page).getByRole('region', { name: /^Call of / })
  assert.equal(await cards.count(), 3)
  await cards.first().getByRole('status').getByText('failed').waitFor()
  assert.equal(await lastTurn(page).getByRole('link', { name: 'Tools and access' }).count(), 0)
})

test('on a phone what a turn of several calls cost is read whole', async (t) => {
  const usage = { promptTokens: 9_000, cachedTokens: 6_000, outputTokens: 100 }
  const model = 'openai/scripted-with-a-rather-long-name-for-a-phone'
  const { page } = await openedPage(
    t,
    {
      models: [{ name: model.slice(7) }],
      answer: (_, n) =>
        n < 4 ? { toolCalls: [{ name: 'list_files', input: {} }], usage } : { text: 'Four calls.', usage },
    },
    {
      browser: { viewport: { width: 360, height: 800 } },
      configuration: {
        model,
        models: { [model]: { window: 100_000, price: { input: 10, cachedInput: 1, output: 50 } } },
      },
    },
  )
  await send(page, 'How many?')
  await lastTurn(page).and(page.locator('[aria-busy=false]')).getByText('Four calls.').waitFor()
  const money = lastTurn(page)
    .locator('summary')
    .getByText(/\$0\.16/)
  await money.waitFor()
  const [own, line] = [(await money.boundingBox())!, (await money.locator('..').boundingBox())!]
  assert.ok(own.x + own.width <= line.x + line.width + 1, 'it is not cut')
  await looksRight(page, 'several-calls')
})

test('where nothing is known of a cache, the next call says that it is not known, after however many calls', async (t) => {
  const usage = { promptTokens: 400, outputTokens: 3 }
  const { page, gateway } = await openedPage(
    t,
    { answer: () => ({ text: 'Yes.', usage }) },
    { configuration: { model: 'openai/scripted' } },
  )
  const { session } = await gateway.say('One?')
  for (const text of ['Two?', 'Three?']) await gateway.say(text, { session })
  const { figures } = await gateway.curl<Preview>('/api/context', { session })
  assert.deepEqual([figures.cached, figures.written, figures.fresh], [undefined, undefined, undefined])
  await page.goto(`${gateway.url}/sessions/${session}`)
  const line = page.getByRole('region', { name: 'Context of the next call' })
  await line.getByText('cache not known').waitFor()
  const sum = page.getByRole('complementary', { name: 'Inspector' }).getByRole('region', { name: 'Cost of the call' })
  await sum.getByRole('row', { name: 'From the cache not known' }).waitFor()
})
