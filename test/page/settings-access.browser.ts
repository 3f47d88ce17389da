import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { blankPage, closeBrowser, type PageOptions, seriousFaults } from './browser.ts'
import { looksRight } from './conversation.ts'

after(closeBrowser)

const WRITTEN = `{
  // what may run
  "global": { "allowedTools": ["list_files", "read_*"] },
  "tools": { "shell": { "enabled": true, "allowedPrefixes": ["git log", "ls; rm"] } }
}
`

/** What people want first; MCP servers would follow the web. */
const GROUPS = ['Files', 'Shell', 'Web', 'What Foreword brings along']

/** The settings of tools, over a home with this policy. */
async function toolSettings(t: TestContext, text = WRITTEN, options: PageOptions = {}) {
  const prepare = async (home: string): Promise<void> => {
    if (text !== '') writeFileSync(join(home, 'tool-access.json'), text)
  }
  const opened = await blankPage(t, {}, { ...options, prepare })
  const { gateway, another } = opened
  const show = async (page: Page) => {
    await page.goto(`${gateway.url}/settings/tools`)
    await page.getByRole('region', { name: 'All tools' }).waitFor()
    return { page, main: page.locator('#main') }
  }
  const file = join(gateway.home, 'tool-access.json')
  const read = () => readFileSync(file, 'utf8')
  return { ...opened, ...(await show(opened.page)), file, read, fresh: async () => show(await another()) }
}

/** Opens the review, and saves what it shows. */
async function saveReviewed(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'Unsaved change' }).getByRole('button', { name: 'Review and save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Review the change' })
  await dialog.getByRole('button', { name: /^Save/ }).click()
  await dialog.waitFor({ state: 'detached' })
}

test('the tools of a policy that stays as it is', async (t) => {
  const { fresh, read } = await toolSettings(t)

  await t.test('every tool is listed with its owner, its access and the rule that decides', async () => {
    const { main } = await fresh()
    const tools = main.getByRole('region', { name: 'All tools' })
    const row = tools.getByRole('listitem').filter({ has: tools.page().getByLabel('Access of list_files') })
    assert.equal(await row.getByLabel('Access of list_files').inputValue(), 'allowed')
    await row.getByText('tool-access.json allows it (global.allowedTools).').waitFor()
    assert.deepEqual(await tools.getByRole('heading').allInnerTexts(), GROUPS)
    await tools.getByRole('link', { name: 'Add an MCP server' }).waitFor()
    await tools.getByLabel('Find a tool').fill('no such tool')
    await tools.getByRole('button', { name: 'Show all tools' }).click()
    await tools.getByLabel('Find a tool').fill('edit_file')
    assert.equal(await tools.getByLabel('Access of edit_file').inputValue(), 'refused')
    assert.equal(await tools.getByRole('listitem').count(), 1)
  })

  await t.test('a pattern shows the tools that it matches, and says that later ones are allowed too', async () => {
    const { page, main } = await fresh()
    const rules = main.getByRole('region', { name: 'Rules' })
    await rules.getByRole('listitem').filter({ hasText: 'read_*' }).getByText('read_file').waitFor()
    await rules.getByLabel('Allow another name or pattern').fill('search_*')
    await rules.getByRole('button', { name: 'Add' }).first().click()
    await rules.getByRole('listitem').filter({ hasText: 'search_*' }).getByText('Matches').waitFor()
    await page.getByRole('button', { name: 'Review and save' }).click()
    await page
      .getByRole('region', { name: 'What becomes allowed' })
      .getByText('any other tool whose name begins with search_, also those that are added later.')
      .waitFor()
  })

  await t.test('a prefix of commands says what it really allows, and one that allows nothing says so', async () => {
    const { main } = await fresh()
    const prefixes = main.getByRole('region', { name: 'Allowed prefixes' })
    await prefixes.getByText('It allows more than it seems to').waitFor()
    await prefixes.getByText('It allows nothing: no shell runs here').waitFor()
  })

  await t.test('a command is tried before and after the change, and nothing runs', async () => {
    const { main } = await fresh()
    const trial = main.getByRole('region', { name: 'Try a call' })
    await trial.getByLabel('Tool').selectOption('shell')
    await trial.getByLabel('Command').fill('git log -1')
    await trial.getByText('Refused').waitFor()
    await trial.getByText('tool-access.json does not allow it (global.allowedTools).').waitFor()
    await main.getByLabel('Access of shell').selectOption('allowed')
    await trial.getByText('After your change').waitFor()
    await trial.getByText('tool-access.json allows it (tools.shell.allowedPrefixes "git log").').waitFor()
  })

  await t.test('a text with a mistake names its line and is not saved', async () => {
    const { page, main } = await fresh()
    const file = main.getByRole('region', { name: 'The file' })
    await file.getByLabel('tool-access.json').fill('{\n  "global": { "mode": "ful" }\n}')
    await file.getByText('line 2: global.mode must be one of off, allowlist, full').waitFor()
    await page.getByRole('button', { name: 'Review and save' }).click()
    assert.ok(
      await page.getByRole('dialog', { name: 'Review the change' }).getByRole('button', { name: 'Save' }).isDisabled(),
    )
    assert.equal(read(), WRITTEN)
  })

  await t.test('a text is asked about once, when the typing pauses', async () => {
    const { page, main } = await fresh()
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/api/tool-access/preview')) asked.push(request.postDataJSON().text)
    })
    const text = main.getByLabel('tool-access.json')
    await text.evaluate(typeLetters, '{"global": {"mode": "ful"}}')
    await main.getByText('global.mode must be one of').waitFor()
    assert.deepEqual(asked.toSorted(), ['{"global": {"mode": "ful"}}'])
  })
})

test('nothing becomes allowed before it was shown: the review names it, and the file is as it shows', async (t) => {
  const { page, main, read, gateway } = await toolSettings(t)
  await main.getByLabel('Access of edit_file').selectOption('ask')
  await main.getByRole('region', { name: 'Unsaved change' }).getByText('It lets through one thing').waitFor()
  assert.equal(read(), WRITTEN)
  await page.getByRole('button', { name: 'Review and save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Review the change' })
  const widened = dialog.getByRole('region', { name: 'What becomes allowed' })
  await widened.getByText('A model may call edit_file, after you approve each.').waitFor()
  await dialog.getByLabel('Difference').getByText('"edit_file"').first().waitFor()
  await dialog.getByRole('button', { name: 'Save and allow this' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.match(read(), /\/\/ what may run/)
  const { tools } = await gateway.curl<{
    readonly tools: readonly { readonly name: string; readonly access: string }[]
  }>('/api/tools')
  assert.equal(tools.find(({ name }) => name === 'edit_file')?.access, 'ask')
  const { records } = await gateway.curl<{
    readonly records: readonly { readonly kind: string; readonly tool?: string; readonly decision?: string }[]
  }>('/api/audit?tool=edit_file')
  assert.deepEqual(
    records.map(({ kind, decision }) => [kind, decision]),
    [['change', 'asked']],
  )
})

test('what happens after texts of others is chosen for each tool, and the review names what becomes allowed', async (t) => {
  const { page, main, read } = await toolSettings(t)
  const choice = main.getByLabel('shell after texts of others')
  await main.getByLabel('Access of shell').selectOption('allowed')
  await saveReviewed(page)
  await main
    .getByRole('listitem')
    .filter({ has: page.getByLabel('Access of shell') })
    .getByText('Run one program in the workspace.')
    .click()
  const chosen = (title: string) => choice.locator('option:checked', { hasText: title }).waitFor({ state: 'attached' })
  await chosen('asks (the tool decides)')
  await choice.selectOption('refuse')
  await saveReviewed(page)
  assert.match(read(), /"afterUntrusted": "refuse"/)
  await chosen('is refused')
  await choice.selectOption('allow')
  await page.getByRole('button', { name: 'Review and save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Review the change' })
  await dialog
    .getByRole('region', { name: 'What becomes allowed' })
    .getByText('A model may call shell when it has read texts of others.')
    .waitFor()
  await dialog.getByText('After texts of others: is refused now, runs then.').waitFor()
  await dialog.getByRole('button', { name: 'Save and allow this' }).click()
  await dialog.waitFor({ state: 'detached' })
  await choice.selectOption('')
  await saveReviewed(page)
  assert.doesNotMatch(read(), /afterUntrusted/)
  assert.deepEqual(await seriousFaults(page), [])
})

test('a preset says what it allows and what it does not stop, and is switched on and off after a review', async (t) => {
  const { page, main, read } = await toolSettings(t)
  const presets = main.getByRole('region', { name: 'Presets' })
  const row = presets.getByRole('listitem').filter({ has: page.getByLabel('git-read') })
  await row.getByText('What it does not stop: It shows everything').waitFor()
  await row.getByText(/commands$/).click()
  await row.getByText('git status, git log').waitFor()
  const box = (checked: boolean) => row.getByRole('checkbox', { name: 'git-read', checked })
  await main.getByLabel('Access of shell').selectOption('allowed')
  await box(false).click()
  await box(true).waitFor()
  await page.getByRole('button', { name: 'Review and save' }).click()
  await page
    .getByRole('region', { name: 'What becomes allowed' })
    .getByText('A model may run the commands of the preset git-read.')
    .waitFor()
  await page.keyboard.press('Escape')
  await saveReviewed(page)
  assert.match(read(), /"presets": \["git-read"\]/)
  const trial = main.getByRole('region', { name: 'Try a call' })
  await trial.getByLabel('Tool').selectOption('shell')
  await trial.getByLabel('Command').fill('git status -s')
  await trial.getByText('tool-access.json allows it (tools.shell.presets "git-read").').waitFor()
  await box(true).click()
  await box(false).waitFor()
  await saveReviewed(page)
  assert.doesNotMatch(read(), /git-read/)
})

test('what is typed while the policy is being saved stays, as a change that is not saved', async (t) => {
  const { page, main, read } = await toolSettings(t)
  const held = Promise.withResolvers<void>()
  await page.route('**/api/tool-access', async (route) => {
    if (route.request().method() === 'PUT') await held.promise
    await route.continue()
  })
  const text = main.getByLabel('tool-access.json')
  await text.fill('{"global": {"mode": "off"}}')
  await page.getByRole('button', { name: 'Review and save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Review the change' })
  const sent = page.waitForRequest((request) => request.method() === 'PUT')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await sent
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await text.fill('{"global": {"mode": "full"}}')
  held.resolve()
  await page.getByText('Saved. It takes effect').waitFor()
  assert.equal(read(), '{"global": {"mode": "off"}}')
  assert.equal(await text.inputValue(), '{"global": {"mode": "full"}}')
  await page.getByRole('region', { name: 'Unsaved change' }).getByText('It lets through').waitFor()
})

test('an earlier content is put back from the page', async (t) => {
  const { page, main, read } = await toolSettings(t)
  await main.getByLabel('Access of list_files').selectOption('refused')
  await saveReviewed(page)
  assert.notEqual(read(), WRITTEN)
  const earlier = main.getByRole('region', { name: 'Earlier contents' }).getByRole('listitem')
  await earlier.locator('summary').click()
  await earlier.getByLabel('Difference').waitFor()
  await earlier.getByRole('button', { name: 'Put back' }).click()
  await saveReviewed(page)
  assert.equal(read(), WRITTEN)
})

test('a file that somebody else has changed meanwhile is not overwritten: the difference to theirs is shown', async (t) => {
  const { page, main, file, read } = await toolSettings(t)
  await main.getByLabel('Access of edit_file').selectOption('ask')
  await page.getByRole('button', { name: 'Review and save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Review the change' })
  await dialog.getByRole('region', { name: 'What becomes allowed' }).waitFor()
  writeFileSync(file, '{"global": {"mode": "off"}}\n')
  await dialog.getByRole('button', { name: /^Save/ }).click()
  await dialog.getByText('has changed since you read it').waitFor()
  await dialog.getByLabel('Difference').getByText('-{"global": {"mode": "off"}}').waitFor()
  assert.equal(read(), '{"global": {"mode": "off"}}\n')
})

test('a file that something else made wider waits, with its difference, until the owner accepts it', async (t) => {
  // Where nothing runs without a sandbox, it would count at once.
  const { page, main, file, gateway } = await toolSettings(t, '{"sandbox": {"enabled": false}}\n')
  writeFileSync(file, '{"sandbox": {"enabled": false}, "global": {"allowedTools": ["list_files"]}}\n')
  await page.reload()
  const waiting = main.getByRole('region', { name: 'Changes that wait' })
  await waiting.getByText('A model may call list_files.').waitFor()
  await waiting.getByLabel('Difference').getByText('"global": {"allowedTools": ["list_files"]}}').waitFor()
  const tools = main.getByRole('region', { name: 'All tools' })
  assert.equal(await tools.getByLabel('Access of list_files').inputValue(), 'refused')
  const note = main.getByText('This is the file. Parts of it wait until you accept them')
  await note.waitFor()
  const { inForce } = await gateway.curl<{ readonly inForce?: { readonly mode: string } }>('/api/tool-access')
  assert.equal(inForce?.mode, 'allowlist')
  await waiting.getByRole('button', { name: 'Accept tool-access.json' }).click()
  await note.waitFor({ state: 'detached' })
  await waiting.waitFor({ state: 'detached' })
  await tools.getByRole('listitem').getByText('tool-access.json allows it').waitFor()
  assert.equal(await tools.getByLabel('Access of list_files').inputValue(), 'allowed')
})

test('a change that is not saved survives other pages, and can be discarded', async (t) => {
  const { page, main, read } = await toolSettings(t)
  await main.getByLabel('Access of edit_file').selectOption('ask')
  await page.getByRole('region', { name: 'Unsaved change' }).waitFor()
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Status' }).click()
  await main.getByText('Version', { exact: true }).waitFor()
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Tools and access' }).click()
  await page.getByRole('region', { name: 'Unsaved change' }).getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('region', { name: 'Unsaved change' }).waitFor({ state: 'detached' })
  assert.equal(read(), WRITTEN)
})

test('a home without a policy gets one with the first rule', async (t) => {
  const { page, main, file } = await toolSettings(t, '')
  assert.ok(!existsSync(file))
  await main.getByLabel('Access of list_files').selectOption('allowed')
  await saveReviewed(page)
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { global: { allowedTools: ['list_files'] } })
})

test('the page of tools is accessible and no wider than the window, light and dark, on a phone and a desk', async (t) => {
  const { page, main } = await toolSettings(t, WRITTEN, {
    browser: { viewport: { width: 360, height: 800 } },
  })
  await main.getByLabel('Access of edit_file').selectOption('ask')
  await page.getByRole('region', { name: 'Unsaved change' }).getByText('one thing').waitFor()
  await looksRight(page, 'access')
  await page.getByRole('button', { name: 'Review and save' }).click()
  await page.getByRole('region', { name: 'What becomes allowed' }).waitFor()
  await looksRight(page, 'access-review')
})

/** What a script in the browser has. */
interface InBrowser {
  readonly HTMLTextAreaElement: { readonly prototype: object }
  readonly Event: new (type: string, options: object) => Event
}

/** In the browser: puts a text into a field letter by letter, without a pause. */
function typeLetters(field: unknown, text: string): void {
  const window = globalThis as unknown as InBrowser
  const { set } = Object.getOwnPropertyDescriptor(window.HTMLTextAreaElement.prototype, 'value')!
  for (let length = 1; length <= text.length; length += 1) {
    set!.call(field, text.slice(0, length))
    ;(field as EventTarget).dispatchEvent(new window.Event('input', { bubbles: true }))
  }
}
