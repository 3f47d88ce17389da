import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { calibratedManifest, calibratedTokens, type CallFigures, type Manifest } from '../../src/context.ts'
import type { Preview } from '../../src/runtime.ts'
import type { FileRow } from '../../src/session.ts'
import type { RealGateway } from '../end-to-end/gateway.ts'
import { blankPage, closeBrowser, seriousFaults } from './browser.ts'
import { downloadedText, looksRight } from './conversation.ts'

after(closeBrowser)

const priced = {
  window: 20_000,
  price: { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 },
  cache: { kind: 'marked', minimumTokens: 0, lifetimeSeconds: 600 },
}
const configuration = {
  models: { 'anthropic/scripted': priced, 'ollama/scripted': { window: 20_000 } },
  context: { notes: 'off' },
}
const files = { global: { mode: 'allowlist', allowedTools: ['list_files'] } }

/** Every figure that is drawn now of a call, as `kind value`. */
async function drawn(page: Page, call: string): Promise<readonly string[]> {
  await page.locator('html[data-idle=true]').waitFor()
  return page
    .locator(`[data-figure][data-call="${call}"]`)
    .evaluateAll((all) => all.map((one) => `${one.getAttribute('data-figure')} ${one.getAttribute('data-value')}`))
}

const KINDS = ['total', 'cached', 'written', 'fresh', 'money', 'window'] as const

/** Each drawn figure is one of the call, and those that have to be there are. */
function assertSame(shown: readonly string[], figures: CallFigures, where: string, needed: readonly string[] = KINDS) {
  const expected = new Map(KINDS.map((kind) => [kind as string, String(figures[kind] ?? '')]))
  for (const each of shown) {
    const [kind = '', value = ''] = each.split(' ')
    assert.equal(value, expected.get(kind), `${kind} in ${where}`)
  }
  for (const kind of needed) {
    if (kind === 'written' && (figures.written ?? 0) === 0) continue
    if (kind === 'fresh' && figures.fresh === undefined) continue
    assert.ok(
      shown.some((each) => each.startsWith(`${kind} `)),
      `${where} shows ${kind}`,
    )
  }
}

interface Session {
  readonly session: string
  readonly model: string
}

/** The next call on every surface that has it. */
async function compareNext(page: Page, gateway: RealGateway, { session, model }: Session): Promise<void> {
  const { figures } = await gateway.curl<{ figures: CallFigures }>('/api/context', { session })
  const told = JSON.parse((await gateway.foreword('context', session, '--json')).stdout) as { figures: CallFigures }
  assert.deepEqual(told.figures, figures, `foreword context of ${model}`)
  assert.equal(figures.cached! + figures.written! + figures.fresh!, figures.total)
  await page.goto(`${gateway.url}/sessions/${session}`)
  const line = page.getByRole('region', { name: 'Context of the next call' })
  await line.locator('[data-figure=total]').waitFor()
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await inspector.getByRole('region', { name: 'Cost of the call' }).waitFor()
  assertSame(await drawn(page, 'next'), figures, `line and inspector of ${model}`)
  await inspector.getByRole('tab', { name: 'What if' }).click()
  await inspector.getByRole('region', { name: 'What the prompt would cost' }).waitFor()
  const tried = inspector.locator('[data-figure=total][data-call=next]')
  assert.equal(await tried.getAttribute('data-value'), String(figures.total), `what if, ${model}`)
  assertSame(await drawn(page, 'next'), figures, `what if of ${model}`)
}

interface ListedCall {
  readonly id: string
  readonly figures: CallFigures
}

/** The rows of costs and usage of each session, with the sums of its calls. */
async function compareRows(page: Page, gateway: RealGateway, sessions: readonly string[]): Promise<void> {
  for (const name of ['costs', 'usage'] as const) {
    await page.goto(`${gateway.url}/settings/${name}`)
    await page.getByRole('radio', { name: 'Session' }).check({ force: true })
    await page.getByRole('table', { name: /by session$/ }).waitFor()
    for (const session of sessions) {
      const { calls } = await gateway.curl<{ calls: ListedCall[] }>(`/api/sessions/${session}/calls`)
      const cells = page.locator(`[data-figure][data-row="${session}"]`)
      await cells.first().waitFor()
      const shown = await cells.evaluateAll((all) =>
        all.map((one) => [one.getAttribute('data-figure'), one.getAttribute('data-value')] as const),
      )
      assert.equal(shown.length, name === 'costs' ? 1 : 3)
      for (const [kind, value] of shown) {
        const parts = calls.flatMap(({ figures }) => figures[kind as 'money'] ?? [])
        const sum = parts.reduce((all, each) => all + each, 0)
        assert.equal(value, parts.length === 0 ? '' : String(Math.round(sum * 1e9) / 1e9), `${kind} of ${name}`)
      }
    }
  }
}

/** A finished call on every surface that has it. */
async function compareCall(page: Page, gateway: RealGateway, session: string, call: string): Promise<CallFigures> {
  const { figures } = await gateway.curl<{ figures: CallFigures }>(`/api/calls/${call}/manifest`)
  const { parts: _, ...brief } = figures
  const listed = (all: readonly ListedCall[]): CallFigures => all.find(({ id }) => id === call)!.figures
  const { calls } = await gateway.curl<{ calls: ListedCall[] }>(`/api/sessions/${session}/calls`)
  assert.deepEqual(listed(calls), brief, 'the list of the session')
  assert.deepEqual(listed((await gateway.curl<{ calls: [] }>('/api/calls')).calls), brief, 'the list of all calls')
  const lines = (await gateway.foreword('calls', session, '--json')).stdout.trim().split('\n')
  assert.deepEqual(listed(lines.map((line) => JSON.parse(line))), brief, 'foreword calls')
  const one = JSON.parse((await gateway.foreword('calls', session, call, '--json')).stdout) as { figures: CallFigures }
  assert.deepEqual(one.figures, figures, 'foreword calls CALL')

  await page.goto(`${gateway.url}/sessions/${session}`)
  const several = page.locator('article summary').getByText(/ · \d+ calls/)
  const figure = page.locator(`[data-figure=total][data-call="${call}"]`).first()
  await figure.or(several).first().waitFor()
  if (await several.isVisible()) await several.click()
  await figure.waitFor()
  assertSame(await drawn(page, call), figures, 'the line of the answer', ['total'])
  await page.goto(`${gateway.url}/sessions/${session}/calls/${call}`)
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await inspector.getByRole('region', { name: 'Cost of the call' }).waitFor()
  assertSame(await drawn(page, call), figures, 'the inspector')
  await inspector.getByRole('tab', { name: 'What if' }).click()
  await inspector.getByRole('region', { name: 'What the prompt would cost' }).waitFor()
  assertSame(await drawn(page, call), figures, 'what if', ['total'])
  if (calls[0]!.id !== call) {
    await inspector.getByRole('tab', { name: 'What changed' }).click()
    await inspector.getByRole('region', { name: 'Comparison' }).waitFor()
    assertSame(await drawn(page, call), figures, 'what changed', ['total'])
  }
  await inspector.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Timeline' }).click()
  await inspector.getByText('As a table').click()
  await inspector.locator(`[data-figure=total][data-call="${call}"]`).waitFor()
  assertSame(await drawn(page, call), figures, 'the timeline', ['total', 'cached', 'money'])
  await inspector.getByRole('button', { name: 'Timeline' }).click()
  await page.getByRole('menuitem', { name: 'Request' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    inspector.getByRole('button', { name: 'Share as one file' }).click(),
  ])
  const html = await downloadedText(download)
  const shared = [...html.matchAll(/data-figure="(\w+)" data-call="([^"]+)" data-value="([^"]*)"/g)]
  assert.ok(shared.every(([, , id]) => id === call))
  assertSame(
    shared.map(([, kind, , value]) => `${kind} ${value}`),
    figures,
    'the shared file',
    ['total', 'window'],
  )
  return figures
}

test('every surface shows the same figures of a call: with a cache, on a machine of its own, and with a tool', async (t) => {
  const usage = { promptTokens: 2_000, cachedTokens: 1_000, cacheWrittenTokens: 600, outputTokens: 100 }
  const { page, gateway } = await blankPage(
    t,
    {
      answer: ({ newest, model }) => {
        if (newest === 'List them.') return { toolCalls: [{ name: 'list_files', input: { path: '.' } }] }
        return model === 'ollama/scripted' ? { text: 'Yes.' } : { text: 'Yes.', usage }
      },
    },
    {
      configuration,
      prepare: async (home) => {
        const { mkdir, writeFile } = await import('node:fs/promises')
        await mkdir(home, { recursive: true })
        await writeFile(`${home}/tool-access.json`, JSON.stringify(files))
      },
    },
  )
  const sessions: string[] = []
  for (const model of ['anthropic/scripted', 'ollama/scripted']) {
    const { session } = await gateway.say('One?', { model })
    const { calls } = await gateway.say('Two?', { session, model })
    sessions.push(session)
    await compareNext(page, gateway, { session, model })
    const figures = await compareCall(page, gateway, session, calls[0]!)
    if (model === 'anthropic/scripted')
      assert.deepEqual([figures.cached, figures.written, figures.fresh], [1_000, 600, 400])
    // Nothing is 0 because nobody reported it, and what runs on one's own machine costs nothing.
    else assert.deepEqual([figures.cached, figures.money], [undefined, 0])
  }
  const { session, calls } = await gateway.say('List them.', { model: 'anthropic/scripted' })
  assert.equal(calls.length, 2)
  await compareCall(page, gateway, session, calls[0]!)
  await compareCall(page, gateway, session, calls[1]!)
  await page.goto(`${gateway.url}/sessions/${session}/calls/${calls[1]!}`)
  const turn = page.getByRole('complementary', { name: 'Inspector' }).getByRole('region', { name: 'This turn' })
  for (const row of ['Your message: List them.', 'Call of list_files', 'Result of list_files']) {
    await turn.getByText(row, { exact: true }).waitFor()
  }
  assert.deepEqual(await seriousFaults(page), [])
  await compareRows(page, gateway, [...sessions, session])
})

/** The size of a file by our count, which `--json` and HTTP have. */
async function countedFile(
  gateway: RealGateway,
  name: string,
): Promise<{ readonly id: string; readonly counted: number }> {
  const { files: rows } = await gateway.curl<{ files: FileRow[] }>('/api/files')
  const { id, state } = rows.find((row) => row.name === name)!
  assert.ok(state.type === 'ready' && state.reading.kind === 'text')
  return { id, counted: state.reading.tokens }
}

test('an attached file has the size that the provider gives it, beside the field, in the message, in lists and in the terminal', async (t) => {
  const { page, gateway } = await blankPage(
    t,
    {
      // As a tokenizer that needs a third more than our counter.
      answer: ({ body }) => ({
        text: 'Read.',
        usage: { promptTokens: Math.round(JSON.stringify(body).length / 3), outputTokens: 3 },
      }),
    },
    { configuration },
  )
  const { session } = await gateway.say('One? '.repeat(200))
  await gateway.say('Two?', { session })
  await page.goto(`${gateway.url}/sessions/${session}`)
  const line = page.getByRole('region', { name: 'Context of the next call' })
  await line.locator('[data-figure=total]').waitFor()
  const text = 'The tide turns at noon, and again before midnight. '.repeat(60)
  await page
    .getByLabel('Files to attach')
    .setInputFiles([{ name: 'tides.txt', mimeType: 'text/plain', buffer: Buffer.from(text) }])
  const chip = page.getByRole('list', { name: 'Attachments' }).locator('[data-figure=file]')
  await chip.waitFor()
  await page.locator('html[data-idle=true]').waitFor()
  const { id, counted } = await countedFile(gateway, 'tides.txt')
  const next = await gateway.curl<Preview>('/api/context', { session, attachments: [id] })
  const attached = (manifest: Manifest, total: number): number =>
    calibratedManifest(manifest, total).entries.find((entry) => entry.id === id)!.tokens
  const sized = attached(next.manifest, next.figures.total)
  assert.notEqual(sized, counted, 'the provider counts otherwise than we do')
  assert.equal(await chip.getAttribute('data-value'), String(sized))
  assert.equal(await chip.textContent(), `${sized} tokens`)
  assertSame(
    (await drawn(page, 'next')).filter((each) => !each.startsWith('file ')),
    next.figures,
    'the line with a file',
  )
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await inspector.locator('summary', { hasText: 'Attachment: tides.txt' }).getByText(String(sized)).waitFor()
  await looksRight(page, 'attached-file')

  await page.getByLabel('Message', { exact: true }).fill('When?')
  await page.keyboard.press('Enter')
  const sent = page.getByRole('list', { name: 'Attached files' }).locator('[data-figure=file]')
  await sent.waitFor()
  const call = (await sent.getAttribute('data-call'))!
  const made = await gateway.curl<Manifest & { figures: CallFigures }>(`/api/calls/${call}/manifest`)
  assert.equal(await sent.getAttribute('data-value'), String(attached(made, made.figures.total)))
  assertSame(
    (await drawn(page, call)).filter((each) => !each.startsWith('file ')),
    made.figures,
    'the line of the answer',
    ['total'],
  )

  const fresh = await gateway.curl<Preview>('/api/context', {})
  const listed = calibratedTokens(counted, fresh.figures.total, fresh.manifest.used)
  assert.notEqual(listed, counted)
  assert.match((await gateway.foreword('files')).stdout, new RegExp(`text, ${listed} tokens`))
  const shown = JSON.parse((await gateway.foreword('files', '--json')).stdout) as FileRow
  assert.equal(shown.state.type === 'ready' && 'tokens' in shown.state.reading && shown.state.reading.tokens, counted)
})
