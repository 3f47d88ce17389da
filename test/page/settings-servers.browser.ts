import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { openMcpHome } from '../mcp/mcp-home.ts'
import { blankPage, closeBrowser, type PageOptions } from './browser.ts'
import { looksRight } from './conversation.ts'

after(closeBrowser)

const LOOK = { name: 'look', description: 'Looks at something.', inputSchema: { type: 'object' } }

/** The settings of MCP servers, over a home with these. */
async function serverSettings(
  t: TestContext,
  servers: Readonly<Record<string, object>> = {},
  options: PageOptions = {},
) {
  const opened = await blankPage(t, {}, { ...options, configuration: { mcp: { servers } } })
  const { page, gateway } = opened
  await page.goto(`${gateway.url}/settings/mcp-servers`)
  await page.locator('#main').getByRole('heading', { name: 'Earlier servers' }).waitFor()
  const config = () => readFileSync(join(gateway.home, 'config.json'), 'utf8')
  return { ...opened, main: page.locator('#main'), config }
}

function scripted(t: TestContext) {
  const home = openMcpHome()
  t.after(() => home.close())
  return home
}

test('a server shows that it runs, its tools with the tokens of their definitions, and what it wrote', async (t) => {
  const { configured } = scripted(t).scripted('good', { tools: [LOOK], says: 'ready to look' })
  const { main } = await serverSettings(t, { good: configured })
  const card = main.getByRole('article', { name: 'good' })
  await card.getByText('Running').waitFor()
  await card.getByText(/One tool, \d+ tokens of definitions/).click()
  await card.getByText('good__look').waitFor()
  await card.getByText(/Accepted definition [\da-f]{64}/).waitFor()
  await card.getByText('What it has last written').click()
  await card.getByText('ready to look').waitFor()
})

test('a server that does not start says why and what to do, and one that dies is restarted from the page', async (t) => {
  const made = scripted(t)
  const weak = made.scripted('weak', { tools: [{ ...LOOK, does: 'crash' }] })
  const { main, gateway } = await serverSettings(t, { none: { command: '/nowhere/program' }, weak: weak.configured })
  const none = main.getByRole('article', { name: 'none' })
  await none.getByText('There is no program /nowhere/program.').waitFor()
  await none.getByText('Install the program, or write its full path as the command.').waitFor()

  const card = main.getByRole('article', { name: 'weak' })
  await card.getByText('Running').waitFor()
  writeFileSync(join(gateway.home, 'tool-access.json'), '{"global": {"mode": "full"}}')
  await gateway.foreword('accept', '--all', '--yes')
  const { digest } = await gateway.curl<{ readonly digest: string }>('/api/tools/weak__look/plan', { input: {} })
  const before = weak.log().filter((line) => line.startsWith('started')).length
  await gateway.curl('/api/tools/weak__look/run', { input: {}, digest })
  await card.getByText('What it has last written').click()
  await card.getByText('cannot go on', { exact: true }).waitFor()
  await card.getByRole('button', { name: 'Restart weak' }).click()
  await card.getByText('Running').waitFor()
  assert.ok(weak.log().filter((line) => line.startsWith('started')).length > before)
})

test('a server is added, shown as it will be written, and its tools are there without a restart', async (t) => {
  const made = scripted(t)
  const { configured } = made.scripted('added', { tools: [LOOK] })
  const { page, main, config, gateway } = await serverSettings(t)
  await main.getByText('No server is configured yet.').waitFor()
  await main.getByRole('button', { name: 'Add a server' }).click()
  const form = main.getByRole('region', { name: 'New server' })
  await form.getByLabel('Name').fill('added')
  await form.getByLabel('Command').fill(configured.command!)
  await form.getByLabel('Arguments').fill(configured.args!.join('\n'))
  await form.getByLabel('Environment').fill('KEY=NOT_SET_ANYWHERE')
  await form.getByText('the environment variable NOT_SET_ANYWHERE is not set').waitFor()
  await form.getByLabel('Environment').fill('KEY=SCRIPTED_OPENAI_KEY')
  await form.getByLabel('Difference').getByText('"KEY"').waitFor()
  await form.getByText(/^Saving starts .* on this machine/).waitFor()
  assert.ok(!config().includes('added'))
  await form.getByRole('button', { name: 'Save and start' }).click()
  const card = main.getByRole('article', { name: 'added' })
  await card.getByText('Running').waitFor()
  await card.getByText('One tool').waitFor()
  assert.ok(config().includes('SCRIPTED_OPENAI_KEY'))
  await page.goto(`${gateway.url}/settings/tools`)
  await main.getByLabel('Access of added__look').waitFor()
  assert.ok(!(await page.content()).includes('sk-openai'))
})

test('what does not fit names the key, and nothing is written; what was typed survives other pages', async (t) => {
  const { page, main, config } = await serverSettings(t)
  const before = config()
  await main.getByRole('button', { name: 'Add a server' }).click()
  const form = main.getByRole('region', { name: 'New server' })
  await form.getByLabel('Name').fill('tracker')
  await form.getByLabel('The server').selectOption('address')
  await form.getByLabel('Address').fill('not an address')
  await form.getByRole('alert').getByText('mcp.servers.tracker.url').waitFor()
  assert.ok(await form.getByRole('button', { name: 'Save and start' }).isDisabled())
  const settings = page.getByRole('navigation', { name: 'Settings' })
  await settings.getByRole('link', { name: 'Status' }).click()
  await main.getByText('Version', { exact: true }).waitFor()
  await settings.getByRole('link', { name: 'MCP servers' }).click()
  assert.equal(await form.getByLabel('Address').inputValue(), 'not an address')
  assert.equal(config(), before)
})

test('a server that was removed is put back', async (t) => {
  const { configured } = scripted(t).scripted('good', { tools: [LOOK] })
  const { main, config } = await serverSettings(t, { good: configured })
  const card = main.getByRole('article', { name: 'good' })
  await card.getByText('Running').waitFor()
  await card.getByRole('button', { name: 'Remove good' }).click()
  await card.getByRole('button', { name: 'Remove', exact: true }).click()
  await main.getByText('No server is configured yet.').waitFor()
  assert.ok(!config().includes('"good"'))
  const earlier = main.getByRole('region', { name: 'Earlier servers' })
  await earlier.getByRole('button', { name: /^Put back the servers/ }).click()
  await earlier.getByLabel('Difference').waitFor()
  await earlier.getByRole('button', { name: 'Put back', exact: true }).last().click()
  await card.getByText('Running').waitFor()
  assert.ok(config().includes('"good"'))
})

test('a definition that has changed is accepted after its difference was shown', async (t) => {
  const server = scripted(t).scripted('good', { tools: [LOOK] })
  const { page, main, gateway } = await serverSettings(t, { good: server.configured })
  const card = main.getByRole('article', { name: 'good' })
  await card.getByText('Running').waitFor()
  server.change({ tools: [{ ...LOOK, description: 'Looks at everything.' }] })
  await card.getByRole('button', { name: 'Restart good' }).click()
  await card.getByText('Withheld, since their definitions have changed: good__look.').waitFor()
  await card.getByRole('link', { name: 'See the differences' }).click()
  const changed = main.getByRole('region', { name: 'Changed definitions' })
  await changed.getByText('everything').first().waitFor()
  await changed.getByRole('button', { name: 'Accept good__look' }).click()
  await changed.waitFor({ state: 'detached' })
  const { tools } = await gateway.curl<{
    readonly tools: readonly { readonly name: string; readonly withheld?: object }[]
  }>('/api/tools')
  assert.equal(tools.find(({ name }) => name === 'good__look')?.withheld, undefined)
  await page.getByLabel('Access of good__look').waitFor()
})

test('the page of servers is accessible and no wider than the window, light and dark, on a phone and a desk', async (t) => {
  const { configured } = scripted(t).scripted('good', { tools: [LOOK], says: 'ready' })
  const { page, main } = await serverSettings(
    t,
    { good: configured, none: { command: '/nowhere/program' } },
    { browser: { viewport: { width: 360, height: 900 } } },
  )
  await main.getByRole('article', { name: 'good' }).getByText('Running').waitFor()
  await main.getByRole('article', { name: 'none' }).getByText('Failed').waitFor()
  await main.getByRole('button', { name: 'Change good' }).click()
  await main.getByText('config.json has these values already.').waitFor()
  await looksRight(page, 'servers')
})
