import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { blankPage, closeBrowser, openedPage, seriousFaults } from './browser.ts'
import { looksRight, waitUntil, send, turnEnded } from './conversation.ts'

after(closeBrowser)

const answer = ({ newest }: { readonly newest: string }) => ({ text: `Read: ${newest}` })

const field = (page: Page) => page.getByLabel('Message', { exact: true })
const waitForText = (page: Page, text: string) =>
  waitUntil(page, `document.querySelector("#message")?.value === ${JSON.stringify(text)}`)
const options = (page: Page) => page.getByRole('button', { name: /Choices of this session/ })
const chooseModel = async (page: Page, name: RegExp): Promise<void> => {
  await page.getByRole('button', { name: /^Model: / }).click()
  await page.getByRole('list', { name: 'Models' }).getByRole('button', { name }).first().click()
}

test('6. model, agent, project, subject and layout are chosen before the first message and after it', async (t) => {
  const { page, gateway } = await blankPage(t, {
    answer,
    models: [{ name: 'scripted' }, { name: 'another' }],
  })
  await gateway.curl('/api/agents', { name: 'Poet', prompt: 'Answer in verse.', mode: 'append' })
  await gateway.curl('/api/projects', { name: 'Atlas', instructions: 'Maps only.' })
  await gateway.curl('/api/subjects', { id: 'reef', brief: 'The reef.' })
  await page.goto(gateway.url)
  await options(page).click()
  await page.getByLabel('Agent', { exact: true }).selectOption({ label: 'Poet' })
  await page.getByLabel('Project', { exact: true }).selectOption({ label: 'Atlas' })
  await page.getByLabel('Subject', { exact: true }).selectOption('reef')
  await page.getByLabel('Layout', { exact: true }).selectOption('chai')
  await page.keyboard.press('Escape')
  await chooseModel(page, /^another/)
  await page.getByRole('button', { name: 'Model: ollama/another' }).waitFor()
  await page.getByText('reef · chai · Poet · Atlas').waitFor()

  await page.reload()
  await page.getByRole('button', { name: 'Model: ollama/another' }).waitFor()
  await page.getByText('reef · chai · Poet · Atlas').waitFor()
  await field(page).fill('hello')
  await page.keyboard.press('Enter')
  await page.getByRole('article').getByText('Read: hello').waitFor()
  await page.locator('header').getByText('agent Poet').waitFor()
  const id = page.url().split('/').at(-1)!
  const session = await gateway.curl<Record<string, string>>(`/api/sessions/${id}`)
  assert.deepEqual([session['model'], session['layout'], session['subject']], ['ollama/another', 'chai', 'reef'])
  const { calls } = await gateway.curl<{ calls: { layout: string; model: string }[] }>(`/api/sessions/${id}/calls`)
  assert.deepEqual([calls[0]!.layout, calls[0]!.model], ['chai', 'ollama/another'])

  await options(page).click()
  await page.getByLabel('Agent', { exact: true }).selectOption('')
  await page.keyboard.press('Escape')
  await chooseModel(page, /^The usual model/)
  await page.getByRole('button', { name: 'Model: ollama/scripted' }).waitFor()
  const changed = await gateway.curl<Record<string, string>>(`/api/sessions/${id}`)
  assert.deepEqual([changed['model'], changed['agent'], changed['layout']], [undefined, undefined, 'chai'])
})

test('the list of models has them by provider, and last what cannot be used and why; it is searched, a favourite comes first, and what is typed or pasted anywhere goes to the message', async (t) => {
  const models = [{ name: 'scripted' }, { name: 'another' }, { name: 'third' }]
  const prepare = async (home: string): Promise<void> => {
    const path = join(home, 'config.json')
    const config = JSON.parse(readFileSync(path, 'utf8')) as { readonly providers: object }
    const keyless = { kind: 'openai', apiKeyEnv: 'KEY_THAT_IS_NOT_SET' }
    writeFileSync(path, JSON.stringify({ ...config, providers: { keyless, ...config.providers } }))
  }
  const { page } = await openedPage(t, { answer, models }, { prepare })
  await page.getByRole('button', { name: /^Model: / }).click()
  const list = page.getByRole('list', { name: 'Models' })
  await list
    .getByRole('list', { name: 'ollama' })
    .getByRole('button', { name: /^third .*tokens/ })
    .waitFor()
  const last = list.getByRole('list').last()
  assert.equal(await last.getAttribute('aria-label'), 'Cannot be used')
  await last.getByText('KEY_THAT_IS_NOT_SET').waitFor()
  await looksRight(page, 'models')
  await list.getByRole('button', { name: 'Favourite: ollama/third' }).click()
  await list.getByRole('listitem').first().getByText('ollama/third').waitFor()
  assert.deepEqual(await seriousFaults(page), [])
  await page.getByLabel('Search models').fill('ano')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Model: ollama/another' }).waitFor()
  await page.getByRole('link', { name: 'New conversation' }).focus()
  await page.keyboard.type('high water?')
  await waitForText(page, 'high water?')
  for (const key of ['a', 'x']) await page.keyboard.press(`ControlOrMeta+${key}`)
  await waitForText(page, '')
  await page.getByRole('link', { name: 'New conversation' }).focus()
  await page.keyboard.press('ControlOrMeta+v')
  await waitForText(page, 'high water?')
  await page.reload()
  await page.getByRole('button', { name: /^Model: / }).click()
  await list.getByRole('listitem').nth(1).getByText('ollama/third').waitFor()
})

test('6. commands are completed while they are typed, run without a message, and an unknown one is kept', async (t) => {
  const { page, gateway } = await openedPage(t, { answer })
  await field(page).fill('hello')
  await page.keyboard.press('Enter')
  await page.getByRole('article').getByText('Read: hello').waitFor()
  const id = page.url().split('/').at(-1)!

  await field(page).pressSequentially('/la')
  const list = page.getByRole('listbox', { name: 'Commands' })
  await list.getByRole('option', { name: '/layout [ID]' }).waitFor()
  await page.keyboard.press('Tab')
  assert.equal(await field(page).inputValue(), '/layout ')
  await field(page).pressSequentially('cha')
  await list.getByRole('option', { name: '/layout chai' }).waitFor()
  await page.keyboard.press('Enter')
  assert.equal(await field(page).inputValue(), '/layout chai')
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Result of /layout chai' }).getByText('Set the layout').waitFor()
  assert.equal((await gateway.curl<{ layout: string }>(`/api/sessions/${id}`)).layout, 'chai')
  assert.equal(await field(page).inputValue(), '')

  await field(page).pressSequentially('/')
  await list.waitFor()
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  await field(page).fill('/contxt')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('There is no command /contxt.').waitFor()
  assert.equal(await field(page).inputValue(), '/contxt')
  await field(page).fill('')
  await page.getByRole('alert').waitFor({ state: 'detached' })

  await field(page).fill('/undo')
  await page.keyboard.press('Enter')
  await page.getByText('Undone: no later call reads this turn.').waitFor()
  assert.equal((await gateway.curl<{ turns: number }>(`/api/sessions/${id}`)).turns, 1, 'no command is a message')
  await field(page).fill('/new again')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'New conversation' }).waitFor()
  await waitForText(page, 'again')
})

test('6. a line that the model itself acts on is a message', async (t) => {
  const { page } = await openedPage(t, { answer }, { configuration: { model: 'rehearsal' } })
  await page.getByText('rehearsal').first().waitFor()
  await field(page).fill('/say Good morning.')
  await page.keyboard.press('Enter')
  await page.getByRole('article').getByText('Good morning.', { exact: true }).waitFor()
})

test('6. the palette finds sessions, pages, commands and colours, by keyboard alone', async (t) => {
  const { page, gateway } = await openedPage(t, { answer })
  await gateway.curl('/api/sessions', { title: 'About the tides' })
  const find = async (text: string): Promise<void> => {
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByPlaceholder('Type to search').waitFor()
    await page.keyboard.type(text)
    await page.getByRole('option', { name: text }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await find('About the tides')
  await page.getByRole('heading', { name: 'About the tides' }).waitFor()
  // One without a title is called as its conversation begins, as in the list of sessions.
  await page.goto(gateway.url)
  await send(page, 'How high is the tide at Brest?')
  await turnEnded(page)
  await page.goto(gateway.url)
  await find('How high is the tide')
  await page.getByRole('article').getByText('Read: How high').waitFor()
  await find('Colours: Dark')
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')
  await find('Settings: Appearance')
  await page.getByLabel('Light').check()
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'light')
  await find('/context')
  await waitForText(page, '/context')

  await page.keyboard.press('ControlOrMeta+k')
  const marked = page.getByRole('option', { selected: true })
  await marked.getByText('New conversation').waitFor()
  await page.keyboard.press('ArrowUp')
  await marked.getByText('About the tides').waitFor()
  await page.keyboard.press('ArrowDown')
  await marked.getByText('New conversation').waitFor()
  assert.deepEqual(await seriousFaults(page), [])
  await page.keyboard.type('nothing like this')
  await page.getByText('Nothing has that name.').waitFor()
})

test('6. a key that is pressed before the gateway has answered is not lost', async (t) => {
  const { page, gateway } = await blankPage(t, { answer })
  const held = Promise.withResolvers<void>()
  await page.route('**/api/status', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto(gateway.url)
  await page.keyboard.press('ControlOrMeta+k')
  held.resolve()
  await page.getByPlaceholder('Type to search').waitFor()
})

test('6. every key is listed, and the focus goes where the keys say', async (t) => {
  const { page } = await openedPage(t, { answer })
  await field(page).waitFor()
  await page.getByRole('heading', { name: 'New conversation' }).click()
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keys and commands' })
  await dialog.getByText('/model [ID]').waitFor()
  for (const what of ['Open or close what the model reads', 'Deny the call that waits for you']) {
    await dialog.getByText(what).waitFor()
  }
  assert.deepEqual(await seriousFaults(page), [])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.keyboard.press('/')
  assert.equal(await page.evaluate('document.activeElement.id'), 'message')
  await page.keyboard.type('what?')
  assert.equal(await field(page).inputValue(), 'what?', 'no key of the page acts while one types')
})

test('6. the colours follow the system until one is chosen, and the choice survives a reload', async (t) => {
  const { page } = await openedPage(t, { answer }, { browser: { colorScheme: 'dark', reducedMotion: 'reduce' } })
  const theme = () => page.evaluate('document.documentElement.dataset.theme')
  await field(page).waitFor()
  assert.equal(await theme(), 'dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await page.locator('html[data-theme=light]').waitFor()
  await page.goto(new URL('/settings/appearance', page.url()).href)
  await page.getByLabel('Dark').check()
  await page.reload()
  await page.getByLabel('Dark').waitFor()
  assert.equal(await theme(), 'dark')
})

test('6. nobody waits for a movement: with reduced motion nothing is animated', async (t) => {
  const { page } = await openedPage(t, { answer }, { browser: { reducedMotion: 'reduce' } })
  await field(page).fill('hello')
  await page.keyboard.press('Enter')
  await page.getByRole('article').getByText('Read: hello').waitFor()
  const moving = await page.evaluate(
    `document.getAnimations().filter(({ effect }) => effect.getTiming().duration > 10).length`,
  )
  assert.equal(moving, 0)
})
