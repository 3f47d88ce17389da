import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import {
  type CallFigures,
  changedScenario,
  type Comparison,
  type Manifest,
  outline,
  type Scenario,
} from '../../src/context.ts'
import { assembleScenario } from '../../web/src/inspector/what-if-assembly.ts'
import { settingsOf } from '../../web/src/inspector/what-if-changes.ts'
import { keys, realGateway } from '../end-to-end/gateway.ts'
import { blankPage, openInspectorTab, closeBrowser, type OpenedPage, type PageOptions } from './browser.ts'
import { downloadedText, looksRight } from './conversation.ts'

after(closeBrowser)

const configuration = {
  models: {
    'ollama/scripted': {
      window: 4000,
      price: { input: 3, output: 15 },
      cache: { kind: 'automatic', minimumTokens: 0, lifetimeSeconds: 600 },
    },
  },
  context: { reserve: 500, margin: 0 },
}

async function longSession(
  t: TestContext,
  options: PageOptions = {},
): Promise<OpenedPage & { readonly session: string; readonly calls: readonly string[] }> {
  const opened = await blankPage(
    t,
    { answer: ({ newest }) => ({ text: `${newest} `.repeat(4) }) },
    {
      configuration,
      async prepare(home) {
        mkdirSync(join(home, 'skills', 'letters'), { recursive: true })
        const text = `---\nname: letters\ndescription: Letters\n---\n${'Write every letter by hand. '.repeat(30)}`
        writeFileSync(join(home, 'skills', 'letters', 'SKILL.md'), text)
      },
      ...options,
    },
  )
  const { say } = opened.gateway
  const { session, calls } = await say('first words '.repeat(60))
  const all = [...calls]
  for (const text of ['second', 'third', 'fourth', 'fifth']) {
    all.push(...(await say(`${text} words `.repeat(60), { session })).calls)
  }
  return { ...opened, session, calls: all }
}

interface Previewed {
  readonly manifest: Manifest
  readonly figures: CallFigures
}

/** As the result of what is tried says it. */
function sizeText({ total, window }: CallFigures): string {
  return `${total.toLocaleString('en')} of ${window.toLocaleString('en')} tokens`
}

async function openTab(page: Page, url: string, session: string, tab: string, call?: string): Promise<void> {
  await page.goto(`${url}/sessions/${session}${call === undefined ? '' : `/calls/${call}`}`)
  await openInspectorTab(page.getByRole('complementary', { name: 'Inspector' }), tab)
}

async function setSlider(page: Page, name: RegExp, value: number): Promise<void> {
  await page.getByRole('slider', { name }).fill(String(value))
}

test('13: what if starts from the next call that the bar shows, with the draft and the files of the field', async (t) => {
  const { page, gateway, session } = await longSession(t)
  await openTab(page, gateway.url, session, 'What if')
  const result = page.getByRole('region', { name: 'What the model would read' })
  const entries = page.getByRole('region', { name: 'What is in and what is out' })
  const { manifest: empty, figures } = await gateway.curl<Previewed>('/api/context', { session })
  await result.getByText(sizeText(figures)).waitFor()

  await page
    .getByLabel('Files to attach')
    .setInputFiles([{ name: 'tides.txt', mimeType: 'text/plain', buffer: Buffer.from('The tide turns. '.repeat(40)) }])
  const attached = page.getByRole('list', { name: 'Attachments' })
  await attached.getByText(/tokens/).waitFor()
  const input = 'What does it say of noon? '.repeat(20)
  await page.getByLabel('Message', { exact: true }).fill(input)
  const { files } = await gateway.curl<{ readonly files: readonly { readonly id: string }[] }>('/api/files')
  const body = { session, input, attachments: [files.at(-1)!.id] }
  const { manifest, figures: next } = await gateway.curl<Previewed>('/api/context', body)
  assert.ok(manifest.used !== empty.used)
  const line = page.getByRole('region', { name: 'Context of the next call' })
  await line.locator(`[data-figure=total][data-value="${next.total}"]`).waitFor()
  await result.getByText(sizeText(next)).waitFor()
  const { slots } = manifest
  assert.ok(slots.input > 0)
  await entries.getByText('“What does it say of noon?').first().waitFor()

  const { figures: tried } = await gateway.curl<Previewed>('/api/context', { ...body, changes: { reserve: 900 } })
  await setSlider(page, /^Kept for the answer/, 900)
  await result.getByText(sizeText(tried)).waitFor()
})

test('11: the timeline marks cuts, and its bars open calls by click and by keyboard', async (t) => {
  const { page, gateway, session } = await longSession(t)
  for (const text of ['sixth', 'seventh']) await gateway.say(`${text} words `.repeat(60), { session })
  await openTab(page, gateway.url, session, 'Timeline')
  const bars = page.getByRole('list', { name: 'Calls of the session' }).getByRole('link')
  await bars.nth(6).waitFor()
  assert.equal(await bars.count(), 7)
  const cut = page.getByRole('link', { name: /history cut/ })
  await cut.click()
  await page.waitForURL(/calls\/call_/)
  const opened = page.url()
  await openInspectorTab(page.getByRole('complementary', { name: 'Inspector' }), 'Timeline')
  await cut.focus()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.href !== opened)

  await page.getByText('As a table').click()
  assert.equal(await page.getByRole('table').getByRole('row').count(), 8)
  await page.getByRole('row', { name: /cut/ }).waitFor()
  // A number is on one line, however long the sentences beside it are.
  const broken = await page
    .getByRole('table')
    .locator('th, td:not(:last-child)')
    .evaluateAll((cells) => {
      const linesOf = (cell: (typeof cells)[number]): number => {
        const range = cell.ownerDocument.createRange()
        range.selectNodeContents(cell)
        return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom))).size
      }
      return cells.filter((cell) => linesOf(cell) > 1).map(({ textContent }) => textContent)
    })
  assert.deepEqual(broken, [])
})

test('12: two calls are compared: what came and changed, the text difference, and the cause in words', async (t) => {
  const { page, gateway, session } = await longSession(t)
  const text = '---\nname: letters\ndescription: Letters\n---\nType every letter.'
  writeFileSync(join(gateway.home, 'skills', 'letters', 'SKILL.md'), text)
  // The head is made again at once; otherwise the change would be announced behind the history.
  await gateway.curl('/api/reload?now=true', {})
  await gateway.say('after the edit', { session })
  await openTab(page, gateway.url, session, 'What changed')
  const comparison = page.getByRole('region', { name: 'Comparison' })
  const why = 'The text of the skills was edited, first at “Type every letter.”'
  await comparison.getByText(why).waitFor()
  await comparison
    .getByText(/^The first [\d,]+ of [\d,]+ tokens are the same\. The first difference is in Skills\.$/)
    .waitFor()
  await comparison.getByText('Skills', { exact: true }).click()
  await comparison.locator('ins', { hasText: 'Type' }).first().waitFor()
  await comparison.locator('del', { hasText: 'Write' }).first().waitFor()
  const newest = (
    await gateway.curl<{ readonly calls: readonly { readonly id: string; readonly kind?: string }[] }>(
      `/api/sessions/${session}/calls`,
    )
  ).calls
    .filter(({ kind }) => kind === undefined)
    .slice(-2)
    .map(({ id }) => id)
  const diff = await gateway.curl<Comparison>(`/api/diff?before=${newest[0]!}&after=${newest[1]!}`)
  assert.equal(await comparison.getByText(why).textContent(), diff.why)
  const { stdout } = await gateway.foreword('diff', 'last~1', 'last', '--session', session)
  assert.ok(stdout.includes(`\nwhy: ${diff.why!}\n`), 'the page, the route and the command say the same')

  await page.getByRole('combobox', { name: 'Later call' }).selectOption({ index: 1 })
  await page.getByRole('combobox', { name: 'Earlier call' }).selectOption({ index: 0 })
  await comparison.getByText('The conversation went on.').waitFor()
})

test('14: the request is rebuilt and identical, and its command sends the same body without a key', async (t) => {
  const { page, gateway } = await longSession(t)
  const { session, calls } = await gateway.say("it's a test", { model: 'openai/scripted' })
  await openTab(page, gateway.url, session, 'Request', calls[0])
  await page.getByText('Rebuilt and identical').waitFor()
  await page.getByText('The body that was sent is identical, too').waitFor()
  const command = (await page.getByLabel('The request as a command').textContent())!
  for (const key of [...Object.values(keys), gateway.token]) assert.ok(!command.includes(key))
  const before = gateway.provider.requests.length
  await promisify(execFile)('bash', ['-c', command.replace('curl ', 'curl --silent ')], {
    env: { ...process.env, API_KEY: 'mine' },
  })
  const { outcome } = await gateway.call(calls[0]!)
  assert.equal(gateway.provider.requests[before]!.sha256, outcome?.wire?.sha256)
})

test('15: the history of a layer has its versions, what changed, and the calls that read each', async (t) => {
  const { page, gateway, session, calls } = await longSession(t)
  const text = '---\nname: letters\ndescription: Letters\n---\nType every letter.'
  writeFileSync(join(gateway.home, 'skills', 'letters', 'SKILL.md'), text)
  await gateway.curl('/api/reload', {})
  await gateway.say('after the edit', { session })
  await openTab(page, gateway.url, session, 'History')
  await page.getByRole('combobox', { name: 'Layer' }).selectOption('skills')
  const versions = page.getByRole('list', { name: 'Versions, newest first' }).locator('> li')
  await versions.nth(1).getByText(`Read by ${calls.length} calls`).waitFor()
  await versions.nth(0).getByText('Read by one call').waitFor()
  await versions.nth(0).getByText('What changed from the version before').click()
  await versions.nth(0).locator('ins', { hasText: 'Type' }).first().waitFor()
  await versions.nth(0).getByRole('link').click()
  await page.waitForURL(/calls\/call_/)
})

test('15: an instructions file, one skill of several and an agent have a history of their own', async (t) => {
  const { page, gateway } = await longSession(t, {
    async prepare(home) {
      const skill = (name: string, text: string) => {
        mkdirSync(join(home, 'skills', name), { recursive: true })
        writeFileSync(join(home, 'skills', name, 'SKILL.md'), `---\nname: ${name}\ndescription: ${name}\n---\n${text}`)
      }
      skill('letters', 'Write every letter by hand.')
      skill('numbers', 'Write every number in words.')
      mkdirSync(join(home, 'workspace'), { recursive: true })
      writeFileSync(join(home, 'workspace', 'AGENTS.md'), 'Be brief.')
    },
  })
  const agent = await gateway.curl<{ readonly id: string }>('/api/agents', { name: 'Reader', prompt: 'Read slowly.' })
  const { id: session } = await gateway.curl<{ readonly id: string }>('/api/sessions', { agent: agent.id })
  const { calls: first } = await gateway.say('One?', { session })
  writeFileSync(join(gateway.home, 'workspace', 'AGENTS.md'), 'Be long.')
  const letters = '---\nname: letters\ndescription: letters\n---\nType every letter.'
  writeFileSync(join(gateway.home, 'skills', 'letters', 'SKILL.md'), letters)
  await gateway.curl('/api/reload?now=true', {})
  const { calls: second } = await gateway.say('Two?', { session })
  await edited(gateway, agent.id)
  await gateway.curl('/api/reload?now=true', {})
  const { calls: third } = await gateway.say('Three?', { session })

  await openTab(page, gateway.url, session, 'History')
  const chooser = page.getByRole('combobox', { name: 'Layer, file, skill or agent' })
  const versions = page.getByRole('list', { name: 'Versions, newest first' }).locator('> li')
  /** The calls of each version, newest first, and the text difference of the newest one. */
  const shown = async (subject: string, readers: readonly (readonly string[])[], gone: string, came: string) => {
    await chooser.selectOption({ label: subject })
    await versions
      .nth(readers.length - 1)
      .getByText('Version 1', { exact: true })
      .waitFor()
    assert.equal(await versions.count(), readers.length)
    for (const [index, calls] of readers.entries()) {
      for (const call of calls) await versions.nth(index).locator(`a[href$="${call}"]`).waitFor()
      assert.equal(await versions.nth(index).getByRole('link').count(), calls.length)
    }
    await versions.nth(0).getByText('What changed from the version before').click()
    await versions.nth(0).locator('del', { hasText: gone }).waitFor()
    await versions.nth(0).locator('ins', { hasText: came }).waitFor()
  }
  const later = [...third, ...second]
  await shown('instructions (workspace/AGENTS.md)', [later, first], 'brief', 'long')
  await shown('letters (skills)', [later, first], 'by hand', 'Type')
  await shown('Reader (agent)', [third, [...second, ...first]], 'slowly', 'aloud')
  await chooser.selectOption({ label: 'numbers (skills)' })
  await versions.getByText('Read by 3 calls').waitFor()
  assert.equal(await versions.count(), 1, 'a skill that was not edited has one version')
})

/** Gives an agent another prompt. */
async function edited({ url, token }: OpenedPage['gateway'], agent: string): Promise<void> {
  const response = await fetch(`${url}/api/agents/${agent}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'Read aloud.', after: 1 }),
  })
  assert.ok(response.ok, await response.text())
}

/** The tabs, and what each shows once it is read. */
const tabs: Readonly<Record<string, (page: Page) => ReturnType<Page['locator']>>> = {
  'What if': (page) => page.getByRole('region', { name: 'What the prompt would cost' }),
  'What changed': (page) => page.getByRole('region', { name: 'Comparison' }),
  Timeline: (page) => page.getByRole('list', { name: 'Calls of the session' }),
  Request: (page) => page.getByText('Rebuilt and identical'),
  History: (page) => page.getByRole('list', { name: 'Versions, newest first' }),
}

test('a long session that stays as it is', async (t) => {
  const { another, gateway, session, calls } = await longSession(t)

  await t.test(
    '13: with nothing changed the assembly of the page has the outline of the manifest of the gateway',
    async () => {
      for (const call of calls) {
        const scenario = await gateway.curl<Scenario>(`/api/calls/${call}/scenario`)
        const manifest = await gateway.curl<Manifest>(`/api/calls/${call}/manifest`)
        assert.equal(outline(assembleScenario(scenario).manifest), outline(manifest))
      }
      const { manifest } = await gateway.curl<{ readonly manifest: Manifest }>('/api/context', { session })
      const next = await gateway.curl<Scenario>('/api/context/scenario', { session })
      assert.equal(outline(assembleScenario(changedScenario(next, {})).manifest), outline(manifest))
    },
  )

  await t.test('13: bar, list and price follow a slider, and back again', async () => {
    const page = await another()
    await openTab(page, gateway.url, session, 'What if')
    const result = page.getByRole('region', { name: 'What the model would read' })
    const cost = page.getByRole('region', { name: 'What the prompt would cost' })
    const { figures } = await gateway.curl<Previewed>('/api/context', { session })
    await result.getByText(sizeText(figures)).waitFor()
    await cost.getByText('$').waitFor()

    await setSlider(page, /^Window/, 12_032)
    await result.getByText('of 12,032 tokens').waitFor()
    const entries = page.getByRole('region', { name: 'What is in and what is out' })
    await entries.getByText('now in').first().waitFor()
    await page.getByRole('button', { name: 'As it is' }).click()
    await result.getByText(sizeText(figures)).waitFor()
    await entries.getByText('System prompt', { exact: true }).waitFor()
    await entries
      .getByText(/^[\d,]+ tokens wanted, /)
      .first()
      .waitFor()

    await page.getByRole('combobox', { name: 'Skills' }).selectOption('readOnDemand')
    await entries
      .getByText('as a list', { exact: true })
      .and(entries.getByTitle('list', { exact: true }))
      .waitFor()
    await setSlider(page, /^Kept for the answer/, 1800)
    await page.getByText('Kept for the answer: 1,800 tokens').waitFor()
    await page.getByRole('button', { name: 'As it is' }).click()

    await page.getByRole('combobox', { name: 'Layout' }).selectOption('onyx')
    await page.getByText('Share of the head: 100%').waitFor()
    await entries.getByText('now left out').or(entries.getByText('new')).first().waitFor()
    const { budget } = await gateway.curl<Scenario>('/api/context/scenario', { session, model: 'openai/scripted' })
    await page.getByRole('combobox', { name: 'Model' }).selectOption('openai/scripted')
    await result.getByText(`of ${budget.window.toLocaleString('en')} tokens`).waitFor()
  })

  await t.test(
    '13: what was tried is saved as a scenario that the command assembles to what the page shows',
    async () => {
      const page = await another()
      await openTab(page, gateway.url, session, 'What if')
      await setSlider(page, /^Kept for the answer/, 1500)
      const result = page.getByRole('region', { name: 'What the model would read' })
      await page.getByText('Kept for the answer: 1,500 tokens').waitFor()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save as a scenario' }).click(),
      ])
      const folder = join(gateway.home, 'kept')
      mkdirSync(folder)
      const file = join(folder, 'tried.json')
      writeFileSync(file, await downloadedText(download))
      const { stdout } = await gateway.foreword('assemble', file)
      const [, used] = /used (\d+) of 2500/.exec(stdout)!
      const body = { session, changes: { reserve: 1500 } }
      const { manifest, figures } = await gateway.curl<Previewed>('/api/context', body)
      assert.equal(Number(used), manifest.used)
      await result.getByText(sizeText(figures)).waitFor()
      assert.equal((await gateway.foreword('check', folder, '--update')).code, 0)
      assert.equal((await gateway.foreword('check', folder)).code, 0)
    },
  )

  await t.test(
    '13: what was tried is copied as configuration that a gateway starts with, and that does what the page showed',
    async () => {
      const permissions = ['clipboard-read', 'clipboard-write']
      const page = await another({ permissions })
      await openTab(page, gateway.url, session, 'What if')
      await setSlider(page, /^Kept for the answer/, 900)
      await setSlider(page, /^Share of the head/, 0.25)
      await setSlider(page, /^Low water/, 0.75)
      await page.getByRole('combobox', { name: 'Skills' }).selectOption('readOnDemand')
      await page.getByRole('button', { name: 'Copy as configuration' }).click()
      await page.getByText(`Copied. Merge it into ${gateway.home}/config.json,`).waitFor()
      const copied = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()')) as {
        readonly context: object
      }
      assert.deepEqual(copied, {
        context: { headShare: 0.25, lowWater: 0.75, reserve: 900 },
        skills: { contextMode: 'readOnDemand' },
      })
      const context = { ...configuration.context, ...copied.context }
      const other = await realGateway(t, {}, { ...configuration, ...copied, context })
      const [before, now] = await Promise.all(
        [gateway, other].map(({ curl }) => curl<Scenario>('/api/context/scenario', {})),
      )
      assert.deepEqual(settingsOf(now!), { ...settingsOf(before!), reserve: 900, headShare: 0.25, lowWater: 0.75 })
    },
  )

  await t.test(
    '14: a call is shared as one file that opens anywhere, with its bar and texts and without secrets',
    async () => {
      const page = await another()
      await openTab(page, gateway.url, session, 'Request', calls.at(-1))
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Share as one file' }).click(),
      ])
      const file = join(gateway.home, 'shared.html')
      const html = await downloadedText(download)
      writeFileSync(file, html)
      for (const key of [...Object.values(keys), gateway.token]) assert.ok(!html.includes(key))
      assert.doesNotMatch(html, /<script|<link|src=/)

      const elsewhere = await page.context().browser()!.newContext()
      t.after(() => elsewhere.close())
      const asked: string[] = []
      const opened = await elsewhere.newPage()
      opened.on('request', (request) => asked.push(request.url()))
      await opened.goto(`file://${file}`)
      await opened.getByRole('heading', { name: 'What the model read' }).waitFor()
      await opened.getByRole('img', { name: /Turn \d+: [\d,]+ tokens/ }).waitFor()
      await opened.getByText('Skills', { exact: true }).click()
      await opened.getByText('Write every letter by hand.').waitFor()
      assert.deepEqual(asked, [`file://${file}`])
    },
  )

  await t.test('11 to 15: axe finds nothing serious in these pages of the inspector, light and dark', async () => {
    const viewport = { width: 1280, height: 1400 }
    const page = await another({ viewport })
    await page.goto(`${gateway.url}/sessions/${session}/calls/${calls.at(-1)!}`)
    for (const [tab, shown] of Object.entries(tabs)) {
      await openInspectorTab(page.getByRole('complementary', { name: 'Inspector' }), tab)
      await shown(page).waitFor()
      await looksRight(page, tab.replace(' ', '-'), { widths: [1280] })
    }
  })
})
