import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import type { ScriptedProviderOptions } from '../../src/testing.ts'
import { closeBrowser, type OpenedPage, openedPage } from './browser.ts'
import { inEachScheme, lastTurn, looksRight, picture, send, styleOf } from './conversation.ts'

after(closeBrowser)

const policy = {
  global: {
    mode: 'allowlist',
    allowedTools: [
      'list_files',
      'read_file',
      'search_files',
      'edit_file',
      'shell',
      'read_context',
      'propose_notes_update',
    ],
  },
  tools: {
    edit_file: { approval: 'ask' },
    search_files: { afterUntrusted: 'ask' },
    shell: { enabled: true, mode: 'allowlist', allowedPrefixes: ['sleep'], afterUntrusted: 'allow' },
  },
}

/** A page of a home with a workspace, a subject, and a policy under which `edit_file` asks. */
function opened(
  t: TestContext,
  answer: NonNullable<ScriptedProviderOptions['answer']>,
  browser: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const write = (home: string, path: string, text: string): void => {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  const prepare = async (home: string): Promise<void> => {
    write(home, 'tool-access.json', JSON.stringify(policy))
    write(home, 'workspace/log.txt', 'calm\nclear\n')
    write(home, 'subjects/tide/notes.md', '- The water is cold.\n')
  }
  return openedPage(t, { answer }, { prepare, browser, configuration: { subjects: { default: 'tide' } } })
}

const edit = { name: 'edit_file', input: { path: 'log.txt', old_text: 'calm', new_text: 'stormy' } }

/** Reads, then asks for the change as often as given, then says what it read last. */
function readsAndEdits(times = 1): NonNullable<ScriptedProviderOptions['answer']> {
  return ({ body }, n) => {
    if (n === 1) return { toolCalls: [{ name: 'read_file', input: { path: 'log.txt' } }] }
    if (n <= times + 1) return { toolCalls: [edit] }
    const messages = body['messages'] as readonly { readonly role: string; readonly content: string }[]
    return { text: `It said: ${messages.at(-1)!.content}` }
  }
}

test('2. a call that asks shows exactly what it would do and what was read before, on a phone and a desk', async (t) => {
  const { page, gateway } = await opened(t, readsAndEdits(), { viewport: { width: 360, height: 900 } })
  await send(page, 'Change the log')
  const asked = lastTurn(page).getByRole('group', { name: 'Approval of edit_file' })
  await asked.waitFor()
  const texts = asked.getByRole('list', { name: 'Texts of others that were read' })
  await texts.getByText('file log.txt', { exact: true }).waitFor()
  await texts.getByText('file subjects/tide', { exact: true }).waitFor()
  // However little room there is, nobody decides without having seen it.
  await page.setViewportSize({ width: 360, height: 640 })
  await asked.getByRole('button', { name: 'Approve once' }).scrollIntoViewIfNeeded()
  const seen = await page.evaluate<number>(`new Promise((resolve) =>
    new IntersectionObserver(([{ intersectionRatio }]) => resolve(intersectionRatio))
      .observe(document.querySelector('[aria-label="Texts of others that were read"] li:last-child')))`)
  assert.equal(seen, 1)
  await page.setViewportSize({ width: 360, height: 900 })
  const difference = asked.getByLabel('Difference')
  const inkOf = (text: string) => styleOf(difference.getByText(text, { exact: true }), 'color')
  await inEachScheme(page, async (colorScheme) => {
    const inks = [await inkOf('-calm'), await inkOf('+stormy'), await inkOf(' clear')]
    assert.equal(new Set(inks).size, 3, `${inks.join(', ')}, ${colorScheme}`)
  })
  await asked.getByText('Exactly what was asked for').click()
  await asked.getByText('"log.txt"', { exact: true }).waitFor()
  await asked.getByText('What the model had read in this turn before (1)').click()
  await asked.getByText('read_file log.txt').click()
  await asked
    .getByText(/calm\s+.*clear/s)
    .last()
    .waitFor()
  await looksRight(page, 'approval')

  // By keyboard alone.
  await asked.focus()
  await page.keyboard.press('y')
  await lastTurn(page).getByText('Approved once on the page.').waitFor()
  await lastTurn(page)
    .getByText(/^It said: /)
    .waitFor()
  assert.equal(readFileSync(join(gateway.home, 'workspace/log.txt'), 'utf8'), 'stormy\nclear\n')
})

test('2. a question about a program names its file; digests are behind it', async (t) => {
  const tools = { shell: { enabled: true, mode: 'allowlist', allowedPrefixes: ['sleep'], approval: 'ask' } }
  const { page } = await openedPage(
    t,
    { answer: (_, n) => (n === 1 ? { toolCalls: [{ name: 'shell', input: { cmd: 'sleep 0' } }] } : { text: 'Done.' }) },
    {
      prepare: async (home) => {
        mkdirSync(join(home, 'workspace'))
        writeFileSync(join(home, 'tool-access.json'), JSON.stringify({ global: { allowedTools: ['shell'] }, tools }))
      },
    },
  )
  await send(page, 'Sleep')
  const asked = lastTurn(page).getByRole('group', { name: 'Approval of shell' })
  await asked.getByText(/^\/.*\/sleep$/).waitFor()
  const digest = asked.getByText(/^\/.*\/sleep sha256:[\da-f]{64}$/)
  assert.equal(await digest.count(), 0)
  await asked.getByText('Exactly what was asked for').click()
  await digest.waitFor()
})

test('2. a denial reaches the model with its reason', async (t) => {
  const { page, gateway } = await opened(t, readsAndEdits())
  await send(page, 'Change the log')
  const asked = lastTurn(page).getByRole('group', { name: 'Approval of edit_file' })
  await asked.focus()
  await page.keyboard.press('n')
  await page.keyboard.type('not today')
  await page.keyboard.press('Enter')
  await lastTurn(page).getByText('Denied on the page. The model reads: not today').waitFor()
  await lastTurn(page)
    .getByText(/It said: .*not today/)
    .waitFor()
  assert.equal(readFileSync(join(gateway.home, 'workspace/log.txt'), 'utf8'), 'calm\nclear\n')
})

test('2. an approval for the session is not asked for again', async (t) => {
  const { page, gateway } = await opened(t, readsAndEdits())
  await send(page, 'Change the log')
  await lastTurn(page).getByRole('button', { name: 'For this session' }).waitFor()
  // The focus is in the message field, where a letter alone is a letter.
  await page.keyboard.press('s')
  await page.keyboard.press('Alt+s')
  assert.equal(await page.getByLabel('Message', { exact: true }).inputValue(), 's')
  await lastTurn(page).getByText('Approved for this session on the page.').waitFor()
  await lastTurn(page)
    .getByText(/^It said: /)
    .waitFor()
  const { records } = await gateway.curl<{ records: readonly object[] }>('/api/audit?decision=approved')
  assert.equal(records.length, 1)
})

test('2. the key t approves a tool for the session, where only foreign text made it ask', async (t) => {
  const search = (pattern: string) => ({ toolCalls: [{ name: 'search_files', input: { pattern } }] })
  const { page, gateway } = await opened(t, (_, n) => (n < 3 ? search(['calm', 'clear'][n - 1]!) : { text: 'Found.' }))
  await send(page, 'Look into the log')
  const asked = lastTurn(page).getByRole('group', { name: 'Approval of search_files' })
  await asked.getByRole('button', { name: 'This tool in this session' }).waitFor()
  await looksRight(page, 'approval-tool')
  await asked.focus()
  await page.keyboard.press('t')
  await lastTurn(page).getByText('This tool approved for this session on the page.').waitFor()
  await lastTurn(page).getByText('Found.').waitFor()
  const { records } = await gateway.curl<{ records: readonly object[] }>('/api/audit?decision=approved')
  assert.equal(records.length, 1)
})

test('2. the window of the session lists the tools that are approved for it, and one that is taken back asks again', async (t) => {
  const patterns = ['calm', 'clear', 'cal', '', 'cle', 'lea']
  const { page, gateway } = await opened(t, (_, n) => {
    const pattern = patterns[n - 1]
    return pattern ? { toolCalls: [{ name: 'search_files', input: { pattern } }] } : { text: 'Found.' }
  })
  const question = { name: 'Approval of search_files' } as const
  const choices = page.getByRole('button', { name: /^Choices of this session/ })
  const granted = page.getByRole('list', { name: 'Tools approved for this session' })
  await send(page, 'Look into the log')
  // Before a decision there is nothing to take back.
  const asked = lastTurn(page).getByRole('group', question)
  await asked.waitFor()
  const answered = page.waitForResponse(/\/api\/sessions\/[^/]+\/approvals$/)
  await choices.click()
  assert.deepEqual(await (await answered).json(), { granted: [] })
  assert.equal(await granted.count(), 0)
  await page.keyboard.press('Escape')
  await asked.getByRole('button', { name: 'This tool in this session' }).click()
  // The other calls of the turn do not ask.
  await lastTurn(page).getByText('Found.').waitFor()

  await choices.click()
  await granted.getByText('search_files', { exact: true }).waitFor()
  await looksRight(page, 'approvals-of-session')
  await granted.getByRole('button', { name: 'Take back search_files' }).click()
  await granted.waitFor({ state: 'detached' })
  const { records } = await gateway.curl<{ records: readonly object[] }>('/api/audit?decision=denied')
  assert.equal(records.length, 1)
  // The focus stays in the window, so Escape closes it.
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await send(page, 'Look again')
  await lastTurn(page).getByRole('group', question).waitFor()
})

test('2. a decision in the terminal, or in another tab, shows at once everywhere', async (t) => {
  const { page, another, gateway } = await opened(t, readsAndEdits())
  await send(page, 'Change the log')
  const question = { name: 'Approval of edit_file' } as const
  await lastTurn(page).getByRole('group', question).waitFor()
  const other = await another()
  await other.goto(page.url())
  await lastTurn(other).getByRole('group', question).waitFor()

  assert.equal((await gateway.foreword('approve', 'last', '--yes')).code, 0)
  for (const each of [page, other]) {
    await lastTurn(each).getByText('Approved once in the terminal.').waitFor()
    assert.equal(await lastTurn(each).getByRole('group', question).count(), 0)
    await lastTurn(each)
      .getByText(/^It said: /)
      .waitFor()
  }
})

test('2. a decision that came too late says so, and nothing is lost', async (t) => {
  const { page, gateway } = await opened(t, readsAndEdits())
  // This page does not hear of the decision.
  await page.route(/\/api\/approvals\//, async (route) => {
    await gateway.foreword('approve', 'last', '--deny')
    await route.continue()
  })
  await send(page, 'Change the log')
  await lastTurn(page).getByRole('button', { name: 'Approve once' }).click()
  await lastTurn(page).getByText('Denied in the terminal.').waitFor()
  assert.equal(readFileSync(join(gateway.home, 'workspace/log.txt'), 'utf8'), 'calm\nclear\n')
})

test('2. a refused call leads to the page where it can be allowed', async (t) => {
  const { page } = await openedPage(t, {
    answer: (_, n) => (n === 1 ? { toolCalls: [{ name: 'list_files', input: {} }] } : { text: 'Then not.' }),
  })
  await send(page, 'What is there?')
  const refused = lastTurn(page).getByRole('region', { name: 'Call of list_files' })
  await refused.getByRole('link', { name: 'Tools and access' }).click()
  await page.getByRole('heading', { name: 'Tools and access' }).waitFor()
})

test('2. a call that runs shows for how long, and then its result; one that is refused says why', async (t) => {
  const { page } = await opened(t, (_, n) => {
    if (n === 1) return { toolCalls: [{ name: 'shell', input: { cmd: 'sleep 3' } }] }
    if (n === 2) return { toolCalls: [{ name: 'read_file', input: { path: '../config.json' } }] }
    return { text: 'Over.' }
  })
  await send(page, 'Wait a moment')
  const call = lastTurn(page).getByRole('region', { name: 'Call of shell' })
  await call.getByText('running').waitFor()
  await call.getByText(/^running \d+ s$/).waitFor()
  await call.getByText('sleep 3', { exact: true }).waitFor()
  await call.getByText(/^done.*\b(?:[3-9]|\d\d)\.\d s · about \d+ tokens$/).waitFor()
  await lastTurn(page).getByText('Over.').waitFor()
  const refused = lastTurn(page).getByRole('region', { name: 'Call of read_file' })
  await refused
    .getByText(/refused|failed/)
    .first()
    .waitFor()
  await picture(page, 'tool-calls')
  await refused.locator('summary').click()
  await refused.getByText('Input as JSON').click()
  await refused.getByLabel('Input').getByText('../config.json').waitFor()
  await refused.getByLabel('Result').waitFor()
})

test('2. many calls that are done are one line, which opens; one that failed or waits stays before the reader', async (t) => {
  const read = (path: string) => ({ name: 'read_file', input: { path } })
  const { page } = await opened(t, (_, n) => {
    if (n === 1) return { text: 'I look.', toolCalls: [...Array<string>(5).fill('log.txt'), 'gone.txt'].map(read) }
    if (n === 2) return { toolCalls: [{ name: 'list_files', input: {} }, edit] }
    return { text: 'It is changed.' }
  })
  await send(page, 'Read everything')
  const turn = lastTurn(page)
  const line = turn.getByRole('button', { name: '6 tool calls read_file 5, list_files 1' })
  await line.waitFor()
  const cards = turn.getByRole('region', { name: /^Call of / })
  await turn.getByRole('group', { name: 'Approval of edit_file' }).waitFor()
  assert.equal(await cards.count(), 2, 'the one that failed, and the one that waits')
  await cards.first().getByText('failed').waitFor()
  await looksRight(page, 'calls-folded')

  // What the reader has opened stays open while more is done.
  await line.focus()
  await page.keyboard.press('Enter')
  assert.equal(await cards.count(), 8)
  await cards.nth(1).locator('summary').click()
  await turn.getByRole('button', { name: 'Approve once' }).click()
  await turn.getByText('It is changed.').waitFor()
  await turn.getByRole('button', { name: '7 tool calls read_file 5, list_files 1, edit_file 1' }).waitFor()
  assert.equal(await cards.count(), 8)
  await looksRight(page, 'calls-unfolded')

  await page.reload()
  await turn.getByText('It is changed.').waitFor()
  assert.equal(await cards.count(), 1)
})

test('2. a call that is being read stays when it would be folded', async (t) => {
  const { page } = await opened(t, (_, n) => {
    if (n > 2) return { text: 'Both are read.' }
    if (n === 2) return { toolCalls: [{ name: 'list_files', input: {} }, edit] }
    const read = { name: 'read_file', input: { path: 'log.txt' } }
    return { toolCalls: [read, read] }
  })
  await send(page, 'Read it twice')
  const turn = lastTurn(page)
  const asked = turn.getByRole('group', { name: 'Approval of edit_file' })
  await asked.waitFor()
  // Three are done, and folded.
  assert.equal(await turn.getByRole('region', { name: /^Call of / }).count(), 1)
  await turn.getByRole('region', { name: 'Call of edit_file' }).locator('summary').first().click()
  await asked.getByRole('button', { name: 'Approve once' }).click()
  await turn.getByText('Both are read.').waitFor()
  await turn.getByRole('button', { name: /^4 tool calls/, expanded: true }).waitFor()
  await turn.getByText('Approved once on the page.').waitFor()
})

test('2. a proposal is decided in place, by keyboard, and a decision in the terminal shows', async (t) => {
  const { page, gateway } = await opened(t, (_, n) => {
    const proposal = (content: string) => ({
      toolCalls: [{ name: 'propose_notes_update', input: { image_id: 'tide', content } }],
    })
    if (n === 1) return proposal('- High water at noon.')
    if (n === 3) return proposal('- Low water at six.')
    return { text: 'Proposed.' }
  })
  const notes = (): string => readFileSync(join(gateway.home, 'subjects/tide/notes.md'), 'utf8')
  await send(page, 'Propose')
  const asked = lastTurn(page).getByRole('group', { name: 'Proposal for the notes of tide' })
  await asked.getByText('+- High water at noon.').waitFor()
  await picture(page, 'proposal')
  await asked.focus()
  await page.keyboard.press('y')
  await lastTurn(page).getByText('Written into the file (web).').waitFor()
  assert.match(notes(), /High water at noon/)
  await lastTurn(page).getByRole('button', { name: 'Undo' }).click()
  await lastTurn(page).getByText('Undone (web).').waitFor()
  assert.doesNotMatch(notes(), /High water at noon/)

  await send(page, 'Propose more')
  await lastTurn(page).getByText('+- Low water at six.', { exact: true }).waitFor()
  const { proposals } = await gateway.curl<{ proposals: readonly { id: string }[] }>('/api/proposals?state=waiting')
  assert.equal((await gateway.foreword('subjects', 'decline', proposals[0]!.id, '--yes')).code, 0)
  await lastTurn(page).getByText('Declined (cli).').waitFor()
})
