import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { closeBrowser, openedPage, seriousFaults } from './browser.ts'
import { fitsWidth, lastTurn, picture, send, turnEnded } from './conversation.ts'

after(closeBrowser)

const field = (page: Page) => page.getByLabel('Message', { exact: true })
const sidebar = (page: Page) => page.getByRole('complementary', { name: 'Sessions' })

/** Moves the focus by Tab alone until it is on this. Every place on the way has to show that it has the focus. */
async function tabTo(page: Page, wanted: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await wanted.waitFor()
  for (let steps = 0; steps < 120; steps += 1) {
    await page.keyboard.press(key)
    const hidden = await page.evaluate<string>(`(() => {
      const at = document.activeElement
      if (at === document.body) return ''
      const seen = [at, at.parentElement].some((each) => getComputedStyle(each).outlineStyle !== 'none')
      return seen ? '' : at.outerHTML.slice(0, 200)
    })()`)
    assert.equal(hidden, '', 'the focus can be seen')
    if (await isActive(wanted)) return
  }
  assert.fail(`the focus does not come to ${wanted.toString()}`)
}

async function isActive(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => element.matches(':focus'))
}

/** Waits until this has the focus. */
async function focused(page: Page, locator: Locator, what: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await locator.count()) > 0 && (await isActive(locator.first()))) return
    await page.evaluate('new Promise(requestAnimationFrame)')
  }
  const at = await page.evaluate<string>('document.activeElement.outerHTML.slice(0, 200)')
  assert.fail(`${what}: the focus is on ${at}`)
}

test('6. everything is done by keyboard, the focus is always seen, and is never lost', async (t) => {
  let calls = 0
  const { page, gateway } = await openedPage(
    t,
    {
      models: [{ name: 'scripted' }, { name: 'another' }],
      answer: ({ newest }) => {
        calls += 1
        if (newest === 'Change the log') {
          return {
            toolCalls: [{ name: 'edit_file', input: { path: 'log.txt', old_text: 'calm', new_text: 'stormy' } }],
          }
        }
        if (newest === 'Go on and on') return { text: 'word '.repeat(300), pieceDelayMs: 100 }
        return { text: `Answer ${calls}` }
      },
    },
    {
      prepare: async (home) => {
        const policy = {
          global: { mode: 'allowlist', allowedTools: ['edit_file'] },
          tools: { edit_file: { approval: 'ask' } },
        }
        writeFileSync(join(home, 'tool-access.json'), JSON.stringify(policy))
        mkdirSync(join(home, 'workspace'), { recursive: true })
        writeFileSync(join(home, 'workspace', 'log.txt'), 'calm\n')
      },
    },
  )
  await gateway.curl('/api/sessions', { title: 'About the reef' })
  await focused(page, field(page), 'a new conversation')

  // Another model.
  const choices = page.getByRole('button', { name: /^Model: / })
  await tabTo(page, choices)
  await page.keyboard.press('Enter')
  await focused(page, page.getByLabel('Search models'), 'in the list of models')
  await page.keyboard.type('another')
  await page.keyboard.press('Enter')
  await focused(page, field(page), 'after the choices')
  await choices.getByText('ollama/another').waitFor()

  // A file and a message.
  await tabTo(page, page.getByRole('button', { name: 'Attach files' }))
  const chooser = page.waitForEvent('filechooser')
  // The browser is told first that the test chooses.
  await page.evaluate('new Promise(requestAnimationFrame)')
  await page.keyboard.press('Enter')
  await (
    await chooser
  ).setFiles([{ name: 'tides.txt', mimeType: 'text/plain', buffer: Buffer.from('The tide turns at noon.') }])
  await page
    .getByRole('list', { name: 'Attachments' })
    .getByText(/^\d+ tokens$/)
    .waitFor()
  await focused(page, field(page), 'after a file was chosen')
  await page.keyboard.type('High tide')
  await page.keyboard.press('Enter')
  await page.getByRole('article').getByText('Answer 1').waitFor()
  await focused(page, field(page), 'after a message')

  // Stop.
  await page.keyboard.type('Go on and on')
  await page.keyboard.press('Enter')
  await page.getByText('word word').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Stopped before the end.').waitFor()
  await focused(page, field(page), 'after Stop')

  // A decision.
  await page.keyboard.type('Change the log')
  await page.keyboard.press('Enter')
  const question = page.getByRole('group', { name: 'Approval of edit_file' })
  await tabTo(page, question.getByRole('button', { name: /Approve|Allow|once/i }).first(), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await question.waitFor({ state: 'detached' })
  await focused(page, field(page), 'after a decision')
  await turnEnded(page)

  // Branches.
  await tabTo(page, lastTurn(page).getByRole('button', { name: 'Regenerate the answer' }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByText('2 of 2').waitFor()
  await turnEnded(page)
  const previous = page.getByRole('button', { name: 'Previous version' })
  await tabTo(page, previous, 'Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByText('1 of 2').waitFor()
  await focused(page, page.getByRole('button', { name: 'Next version' }), 'after the other version')

  // The inspector of a call.
  await tabTo(page, lastTurn(page).locator('summary', { hasText: '2 calls' }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await tabTo(
    page,
    lastTurn(page)
      .getByRole('link', { name: /tokens/ })
      .first(),
  )
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/calls\//)
  const tab = page.getByRole('complementary', { name: 'Inspector' }).getByRole('tab', { name: 'This call' })
  await tabTo(page, tab)
  await page.goBack()
  await page.waitForURL(/\/sessions\/[^/]+$/)

  // Rename, and take a deletion back.
  await page.getByRole('heading', { level: 1 }).click()
  const actions = sidebar(page).getByRole('button', { name: 'Actions for High tide' })
  await tabTo(page, actions, 'Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
  await page.keyboard.press('Enter')
  const title = page.getByRole('dialog').getByLabel('Title')
  await focused(page, title, 'the dialog')
  await page.keyboard.type('Tides')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Tides' }).waitFor()
  const renamed = sidebar(page).getByRole('button', { name: 'Actions for Tides' })
  await focused(page, renamed, 'after the dialog')
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.getByText('Tides will be deleted.').waitFor()
  await focused(page, sidebar(page).getByRole('link', { name: 'About the reef' }), 'after a deletion')
  await tabTo(page, page.getByRole('button', { name: 'Undo' }))
  await page.keyboard.press('Enter')
  await sidebar(page).getByRole('link', { name: 'Tides' }).waitFor()

  // Settings, and back.
  await tabTo(page, sidebar(page).getByRole('link', { name: 'Settings' }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Settings' }).waitFor()
  await tabTo(page, page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Appearance' }))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Appearance' }).waitFor()
  await page.goBack()
  await page.goBack()
  await field(page).waitFor()
})

test('6. a screen reader finds landmarks and headings, and hears paragraphs instead of words', async (t) => {
  const { page } = await openedPage(t, {
    answer: () => ({ text: ['The first ', 'paragraph.', '\n\n', 'The second', ' one.'], hangAfter: 4 }),
  })
  await send(page, 'Hello')
  const ear = await page.context().newCDPSession(page)
  // What a polite region says that ends so.
  const heard = async (end: string): Promise<string> => {
    for (;;) {
      const { nodes } = await ear.send('Accessibility.getFullAXTree')
      const said = nodes.find(({ name }) => String(name?.value).endsWith(end))
      let around = said
      while (around && !around.properties?.some(({ name, value }) => name === 'live' && value.value === 'polite')) {
        around = nodes.find(({ nodeId }) => nodeId === around?.parentId)
      }
      if (around) return String(said?.name?.value)
    }
  }
  assert.equal(
    await heard('paragraph.'),
    'The first paragraph.',
    'a paragraph that is whole, and nothing of the next one',
  )
  await page.getByRole('button', { name: 'Stop' }).click()
  assert.match(await heard('End of the answer.'), /^The second\s*End of the answer\.$/)
  assert.equal(await page.getByText('End of the answer.').count(), 0, 'what is told is no second text of the page')
  assert.equal(await page.getByRole('log').getAttribute('aria-live'), 'off')

  await page.getByRole('main').waitFor()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  await page.getByRole('search').waitFor()
  const levels = await page
    .getByRole('heading')
    .evaluateAll((headings) => headings.map(({ tagName }) => Number(tagName.slice(1))))
  assert.equal(levels.filter((level) => level === 1).length, 1)
  for (const [index, level] of levels.entries()) {
    const before = levels.slice(0, index).at(-1) ?? level
    assert.ok(level <= before + 1, `a heading of level ${level} follows one of ${before}`)
  }
  assert.deepEqual(await seriousFaults(page), [])
})

test('6. at 200 % a window of 1280 × 800 shows the conversation beside whatever waits and is attached', async (t) => {
  const { page } = await openedPage(
    t,
    { answer: () => ({ text: 'word '.repeat(300), pieceDelayMs: 100 }) },
    { browser: { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 } },
  )
  await send(page, 'Hello')
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  for (const text of ['two', 'three', 'four']) await send(page, text)
  await page.getByLabel('Files to attach').setInputFiles(
    Array.from({ length: 8 }, (_, index) => ({
      name: `tides-${index}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from(`The tide turns at ${index}.`),
    })),
  )
  await field(page).fill(Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n'))
  await page.getByRole('list', { name: 'Attachments' }).getByText('tides-7.txt').waitFor()
  await fitsWidth(page)
  const log = await page.getByRole('log').boundingBox()
  assert.ok(log!.height >= 40, `the conversation has ${log!.height} px`)
  await field(page).press('End')
  await page.locator('button[aria-label=Send]:enabled').scrollIntoViewIfNeeded()
  await picture(page, 'zoomed')
})

test('6. a pasted text of 200 kB is written on, sent and shown', async (t) => {
  const models = [{ name: 'scripted', contextLength: 1_000_000, parameters: 'num_ctx 200000' }]
  const { page } = await openedPage(t, { answer: () => ({ text: 'A long one.' }), models })
  await field(page).focus()
  await page.evaluate(
    `document.execCommand('insertText', false, ${JSON.stringify('A line of words. '.repeat(12_000))})`,
  )
  await page.evaluate(`{
    globalThis.longest = 0
    let before = performance.now()
    const beat = () => {
      const now = performance.now()
      longest = Math.max(longest, now - before)
      before = now
      setTimeout(beat, 0)
    }
    beat()
  }`)
  await page.keyboard.type(' And the end.')
  const longest = await page.evaluate<number>('longest')
  t.diagnostic(`the longest time without an answer was ${Math.round(longest)} ms`)
  await page.keyboard.press('Enter')
  await page.getByText('A long one.').waitFor()
  await page
    .getByRole('article')
    .getByText(/more characters$/)
    .waitFor()
  await fitsWidth(page)
})
