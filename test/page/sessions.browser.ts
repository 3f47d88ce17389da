import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { closeBrowser, openedPage, pageOf } from './browser.ts'
import { downloadedText, looksRight, styleOf } from './conversation.ts'
import { isGone } from './idle.ts'
import { writeSessions } from './large-home.ts'

after(closeBrowser)

const answers = { answer: () => ({ text: 'The moon causes tides.' }) }

function sessions(page: Page): Locator {
  return page.getByRole('complementary', { name: 'Sessions' })
}

function row(page: Page, title: string): Locator {
  return sessions(page).getByRole('link', { name: title })
}

async function choose(page: Page, title: string, action: string): Promise<void> {
  await row(page, title).hover()
  await sessions(page)
    .getByRole('button', { name: `Actions for ${title}` })
    .click()
  await page.getByRole('menuitem', { name: action }).click()
}

async function rename(page: Page, title: string, next: string): Promise<void> {
  await choose(page, title, 'Rename …')
  await page.getByRole('textbox', { name: 'Title' }).fill(next)
  await page.keyboard.press('Enter')
  await row(page, next).waitFor()
}

test('1. a session without a title is listed by its first message, and is renamed', async (t) => {
  const { page, gateway } = await openedPage(t, answers)
  await gateway.say('When is the spring tide?')
  await rename(page, 'When is the spring tide?', 'Tides')
  await row(page, 'Tides').click()
  await page.getByRole('heading', { name: 'Tides' }).waitFor()
  await page.reload()
  await row(page, 'Tides').waitFor()
})

test('1. a title that turns the direction of reading turns nothing beside it', async (t) => {
  const { page, gateway } = await openedPage(t, answers)
  const title = 'Report \u202Efdp.exe'
  await gateway.say(title)
  const listed = sessions(page).getByRole('listitem').locator('bdi').filter({ hasText: title })
  await listed.click()
  const heading = page.getByRole('heading', { level: 1 }).locator('bdi').filter({ hasText: title })
  await heading.waitFor()
  for (const shown of [listed, heading]) {
    assert.equal(await styleOf(shown, 'unicodeBidi'), 'isolate')
  }
})

test('1. a pinned session stays on top, and a folder shows its own sessions alone', async (t) => {
  const { page, gateway } = await openedPage(t, answers)
  await gateway.say('First question')
  await gateway.say('Second question')
  await choose(page, 'First question', 'Pin')
  await sessions(page).getByRole('heading', { name: 'Pinned' }).waitFor()
  await sessions(page).getByRole('heading', { name: 'Today' }).waitFor()
  const titles = await sessions(page).getByRole('listitem').getByRole('link').allInnerTexts()
  assert.match(titles[0]!, /First question/)

  await choose(page, 'First question', 'Move to a folder …')
  await page.getByRole('dialog').getByRole('combobox').fill('Reef')
  await page.getByRole('button', { name: 'Save' }).click()
  await sessions(page).getByRole('button', { name: 'Filter' }).click()
  await page.getByLabel('Folder', { exact: true }).selectOption('Reef')
  await isGone(page, gateway, row(page, 'Second question'))
  await row(page, 'First question').waitFor()
})

test('1. a search finds titles, and words that were said', async (t) => {
  const { page, gateway } = await openedPage(t, answers)
  const { session } = await gateway.say('What does the moon do?')
  await gateway.say('Something else entirely')
  await sessions(page).getByLabel('Search sessions').fill('DOES what')
  await isGone(page, gateway, row(page, 'Something else'))
  await row(page, 'What does the moon do?').first().waitFor()
  await sessions(page).getByLabel('Search sessions').fill('causes')
  await sessions(page).getByRole('heading', { name: 'In conversations' }).waitFor()
  const titles = sessions(page).getByRole('link', {
    name: /^(?:What does the moon do\?|Something else entirely) \d+ \w+$/,
  })
  await titles.first().waitFor()
  const addresses = await titles.evaluateAll((links) => links.map((link) => link.getAttribute('href')))
  assert.equal(new Set(addresses).size, addresses.length, 'hits of one conversation are together')
  await sessions(page).locator('mark', { hasText: 'causes' }).first().click()
  await page.waitForURL(/\/sessions\//)
  assert.ok(page.url().includes('/sessions/session_'), session)
})

test('1. a hit of a search opens the conversation at its message, with the words marked', async (t) => {
  const { page, gateway } = await openedPage(t, {
    answer: ({ newest }) => ({
      text: newest === 'Which causes?' ? 'It is the causes that count.' : 'Yes.',
    }),
  })
  const { session } = await gateway.say('Which causes?')
  for (let turn = 0; turn < 8; turn += 1) await gateway.say(`And ${turn}? ${'So it goes. '.repeat(60)}`, { session })
  await page.goto(`${gateway.url}/sessions/${session}`)
  await page.getByText('And 7?').first().waitFor()
  await sessions(page).getByLabel('Search sessions').fill('causes')
  await sessions(page).getByRole('link', { name: 'It is the causes' }).click()
  const shown = page.getByRole('article', { name: 'Turn' }).and(page.locator(':focus'))
  const said = shown.getByText('It is the causes that count.')
  await said.waitFor()
  const marked = await page.evaluate<readonly string[]>("[...CSS.highlights.get('found-words')].map(String)")
  assert.deepEqual(marked, ['causes', 'causes'])
  const box = (await said.boundingBox())!
  const { height } = page.viewportSize()!
  assert.ok(box.y > 0 && box.y + box.height < height, `the answer is at ${box.y}`)
  await looksRight(page, 'search-opened')
})

test('1. two browsers see the rename and the states of each other at once', async (t) => {
  let release = (): void => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const answer = async ({ newest }: { readonly newest: string }) => {
    if (newest === 'Wait') await held
    return { text: `Answer to ${newest}` }
  }
  const { page, another, gateway } = await openedPage(t, { answer })
  const other = await another()
  await other.goto(gateway.url)
  await page.getByLabel('Message', { exact: true }).fill('Wait')
  await page.keyboard.press('Enter')
  await row(other, 'Works: Wait').waitFor()
  release()
  await row(other, 'Wait').waitFor()
  await rename(other, 'Wait', 'Waited')
  await row(page, 'Waited').waitFor()
  await page.getByRole('heading', { name: 'Waited' }).waitFor()
})

test('1. the list tells at a glance what works, waits for a person, is done and has failed', async (t) => {
  const answer = ({ newest }: { readonly newest: string }) => {
    if (newest === 'Fail') return { status: 400, body: { error: 'No.' } }
    if (newest !== 'Ask') return { text: 'Yes.' }
    return { toolCalls: [{ name: 'shell', input: { cmd: 'echo hello' } }] }
  }
  const access = {
    global: { mode: 'full' },
    tools: { shell: { enabled: true, approval: 'ask', allowedPrefixes: ['echo'] } },
  }
  const prepare = (home: string) => writeFile(join(home, 'tool-access.json'), JSON.stringify(access))
  const { page, gateway } = await openedPage(t, { answer }, { prepare })
  await gateway.say('Fail').catch(() => {})
  await row(page, 'Failed: Fail').waitFor()
  const { session } = await gateway.curl<{ readonly session: string }>('/api/messages', { text: 'Ask' })
  await row(page, 'Waits for you: Ask').waitFor()
  await sessions(page).getByRole('button', { name: 'Filter' }).click()
  await page.getByLabel('State').selectOption('Waits for you')
  await isGone(page, gateway, row(page, 'Failed: Fail'))
  const waiting = await gateway.curl<{ readonly sessions: readonly { readonly id: string }[] }>(
    '/api/sessions?state=waits',
  )
  assert.deepEqual(
    waiting.sessions.map(({ id }) => id),
    [session],
  )
})

test('1. two tabs share one stream of changes', async (t) => {
  const { page, gateway } = await openedPage(t, answers)
  const tab = await page.context().newPage()
  await tab.goto(gateway.url)
  await gateway.say('Hello tabs')
  await row(page, 'Hello tabs').waitFor()
  await row(tab, 'Hello tabs').waitFor()
  const streams = async (each: Page) =>
    each.evaluate<number>(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/session-changes')).length`,
    )
  assert.ok((await streams(page)) + (await streams(tab)) <= 1)
  await page.close()
  await gateway.say('Hello again')
  await row(tab, 'Hello again').waitFor()
})

test('1. a deletion is undone, and a page that is closed in time has deleted nothing', async (t) => {
  const { page, gateway, another } = await openedPage(t, answers)
  const { session } = await gateway.say('Keep me')
  await choose(page, 'Keep me', 'Delete')
  await isGone(page, gateway, row(page, 'Keep me'))
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await row(page, 'Keep me').waitFor()

  const closed = await another()
  await closed.goto(gateway.url)
  await choose(closed, 'Keep me', 'Delete')
  await isGone(closed, gateway, row(closed, 'Keep me'))
  await closed.close()
  await gateway.curl(`/api/sessions/${session}`)

  await page.clock.install()
  await choose(page, 'Keep me', 'Delete')
  await row(page, 'Keep me').waitFor({ state: 'detached' })
  const deleted = page.waitForResponse((response) => response.request().method() === 'DELETE')
  await page.clock.fastForward(10_000)
  assert.equal((await deleted).status(), 204)
  await assert.rejects(gateway.curl(`/api/sessions/${session}`), /not-found/)
})

test('1. a session is exported to a file and imported from it, a second time as a copy', async (t) => {
  const { page, gateway } = await openedPage(t, answers)
  const { session } = await gateway.say('Carry me over')
  const download = page.waitForEvent('download')
  await choose(page, 'Carry me over', 'Export')
  const buffer = Buffer.from(await downloadedText(await download))
  assert.match(buffer.toString(), /"foreword":"session"/)
  await page
    .getByLabel('File with an exported session')
    .setInputFiles({ name: 'session.jsonl', mimeType: 'application/jsonl', buffer })
  await page.getByRole('button', { name: 'Import a copy' }).click()
  await page.waitForURL(/\/sessions\/session_/)
  assert.ok(!page.url().endsWith(session))
  await page.getByRole('article').getByText('The moon causes tides.').waitFor()
})

test('1. a conversation is saved as one page that anybody can read, and nothing in it runs or is loaded', async (t) => {
  const lines = Array.from({ length: 3_000 }, (_, index) => `line ${index}`)
  const text = [
    'The **moon** causes `tides` & more.',
    '| Time | Height |\n|---|---:|\n| 06:40 | 3.2 m |',
    `\`\`\`ts\n${lines.join('\n')}\n\`\`\``,
    '<details><summary>More</summary>\n\nFolded.\n\n</details>',
    '<script>document.title = "ran"</script><img src="https://elsewhere.test/a.png" onerror="alert(1)">',
    '[a trap](javascript:alert(1)) ![a picture](https://elsewhere.test/b.png "t")',
  ]
  const answer = ({ newest }: { readonly newest: string }) =>
    newest === 'And then?' ? { status: 400, body: { error: 'No.' } } : { text: text.join('\n\n') }
  const { page, gateway } = await openedPage(t, { answer })
  const title = 'What does the moon do & why?'
  const { session } = await gateway.say(title)
  await gateway.say('And then?', { session })
  const download = page.waitForEvent('download')
  await choose(page, title, 'Save as a page')
  const file = await download
  assert.equal(file.suggestedFilename(), 'What-does-the-moon-do-why.html')
  const { page: saved, problems } = await pageOf(t, await downloadedText(file))
  await saved.getByRole('heading', { name: title }).waitFor()
  await saved.getByRole('cell', { name: '3.2 m' }).waitFor()
  await saved.getByText('refused the request').waitFor()
  assert.equal(await saved.locator('pre code').innerText(), lines.join('\n'))
  assert.equal(await saved.locator('script, img, iframe, [onerror], a[href^="javascript"]').count(), 0)
  assert.equal(
    await saved.getByRole('link', { name: 'a picture' }).getAttribute('href'),
    'https://elsewhere.test/b.png',
  )
  await saved.getByText('More', { exact: true }).click()
  await saved.getByText('Folded.').waitFor()
  assert.equal(await saved.title(), title)
  await looksRight(saved, 'saved-conversation')
  assert.deepEqual(problems, [])
})

test('1. a session that is about to be deleted is imported again under its id', async (t) => {
  const { page, gateway } = await openedPage(t, answers)
  const { session } = await gateway.say('Bring me back')
  const download = page.waitForEvent('download')
  await choose(page, 'Bring me back', 'Export')
  const buffer = Buffer.from(await downloadedText(await download))
  await choose(page, 'Bring me back', 'Delete')
  await isGone(page, gateway, row(page, 'Bring me back'))
  await page
    .getByLabel('File with an exported session')
    .setInputFiles({ name: 'session.jsonl', mimeType: 'application/jsonl', buffer })
  await page.waitForURL(new RegExp(`/sessions/${session}$`))
  await row(page, 'Bring me back').waitFor()
  await isGone(page, gateway, page.getByRole('status').getByRole('button', { name: 'Undo' }))
})

test('1. while sessions are looked for, those that were listed stay', async (t) => {
  const { page, gateway } = await openedPage(t, answers)
  for (const text of ['High water', 'Low water', 'Fog']) await gateway.say(text)
  await row(page, 'Fog').waitFor()
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(/[?&]q=/, async (route) => {
    await promise
    await route.continue()
  })
  const asked = page.waitForRequest(/[?&]q=water/)
  await sessions(page).getByLabel('Search sessions').fill('water')
  await asked
  const heading = (name: string) => sessions(page).getByRole('heading', { name, exact: true })
  for (const title of ['High water', 'Low water', 'Fog']) assert.ok(await row(page, title).isVisible())
  assert.ok(await heading('Today').isVisible())
  resolve()
  await heading('Found').waitFor()
  await row(page, 'Fog').waitFor({ state: 'detached' })
  assert.ok(await row(page, 'High water').first().isVisible())
})

test('1. 5,000 sessions: the last is reached by scrolling, any is found by words', async (t) => {
  const { page } = await openedPage(t, answers, { prepare: (home) => writeSessions(home, 5_000) })
  await row(page, 'Conversation 5000').waitFor()
  const list = sessions(page).getByRole('list').locator('..')
  assert.ok((await sessions(page).getByRole('listitem').count()) < 80, 'only rows near the window are in the page')
  await page.evaluate(`
    globalThis.longTasks = []
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((entry) => entry.duration)))
      .observe({ type: 'longtask' })
  `)
  const offsets: (string | null)[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/api/sessions' && searchParams.get('pinned') === 'false') offsets.push(searchParams.get('offset'))
  })
  for (let steps = 0; steps < 800 && !(await atEnd(list)); steps++) {
    // The list hears of scrolling at any moment, also between the arrival of a page and its rendering.
    await list.evaluate(async (element) => {
      element.scrollTo({ top: element.scrollHeight })
      for (const end = performance.now() + 50; performance.now() < end;) {
        element.dispatchEvent(new Event('scroll'))
        await new Promise((resolve) => setTimeout(resolve))
      }
    })
  }
  assert.deepEqual(offsets, [...new Set(offsets)], 'no page is asked for twice')
  assert.ok(await atEnd(list), 'the oldest session is in the list')
  const longest = Math.max(0, ...(await page.evaluate<readonly number[]>('longTasks')))
  t.diagnostic(`the longest task took ${Math.round(longest)} ms`)

  await sessions(page).getByLabel('Search sessions').fill('conversation 2345')
  await row(page, 'Conversation 2345').first().waitFor()
})

async function atEnd(list: Locator): Promise<boolean> {
  const texts = await list.getByRole('link').allInnerTexts()
  return texts.some((text) => text.trim().endsWith('Conversation 1'))
}

test('1. the list of sessions fits, and axe finds nothing serious in it, light and dark, on a phone and a desk', async (t) => {
  const { page, gateway } = await openedPage(t, answers, { browser: { viewport: { width: 360, height: 800 } } })
  await gateway.say('A first conversation with a long title that does not fit into the list')
  await gateway.say('Second')
  await gateway.say('Third')
  await page.getByRole('button', { name: 'Show the sessions' }).click()
  await row(page, 'Third').waitFor()
  await choose(page, 'Second', 'Pin')
  await sessions(page).getByRole('heading', { name: 'Pinned' }).waitFor()
  await row(page, 'Second').hover()
  await looksRight(page, 'sessions')
  await choose(page, 'Second', 'Rename …')
  await page.getByRole('textbox', { name: 'Title' }).waitFor()
  await looksRight(page, 'rename')
})
