import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { calibratedManifest, callCost, type CallFigures, entrySentences, type Manifest } from '../../src/context.ts'
import type { Preview } from '../../src/capability.ts'
import type { CallRecord } from '../../src/session.ts'
import type { ScriptedProviderOptions } from '../../src/testing.ts'
import { dollars } from '../../web/src/parts/numbers.ts'
import { blankPage, closeBrowser, openedPage, openInspectorTab, seriousFaults } from './browser.ts'

after(closeBrowser)

const prepare = async (home: string): Promise<void> => {
  mkdirSync(join(home, 'workspace'), { recursive: true })
  writeFileSync(join(home, 'workspace', 'AGENTS.md'), '# Rules\n\nBe brief, and name the tide.\n')
}

type FiguredManifest = Manifest & { readonly figures: CallFigures }

test('8: the bar follows what one types, to scale, and a call that fills more of the window shows what is free', async (t) => {
  const { page, gateway } = await openedPage(t, {}, { prepare })
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await inspector.getByText('the bar shows only what is used').waitFor()
  const before = await widths(inspector)
  const preview = async (input: string): Promise<Preview> => gateway.curl<Preview>('/api/context', { input })
  const tokensOf = (all: typeof before): number => all.reduce((sum, each) => sum + each.tokens, 0)
  assert.equal(tokensOf(before), (await preview('')).figures.total, 'of a small call, what is in it')
  const long = 'word '.repeat(6_000)
  await page.getByLabel('Message', { exact: true }).fill(long)
  const { figures } = await preview(long)
  await inspector.locator(`[data-figure=total][data-value="${figures.total}"]`).first().waitFor()

  const now = await widths(inspector)
  assert.ok(now.length > before.length, 'the message has a segment of its own')
  assert.equal(tokensOf(now), figures.window)
  const whole = now.reduce((sum, each) => sum + each.width, 0)
  for (const { tokens: own, width } of now) {
    assert.ok(Math.abs(width / whole - own / figures.window) < 0.01, `${own} tokens are ${width} of ${whole} px`)
  }
})

test('9: every segment of a call opens to the exact text, its origin and its other forms', async (t) => {
  const { page, gateway } = await blankPage(t, { answer: () => ({ text: 'High water.' }) }, { prepare })
  const { session, calls } = await gateway.say('When is high water?')
  const call = calls[0]!
  const { request } = await gateway.curl<{ request: { system: string; tools: readonly object[] } }>(
    `/api/calls/${call}/request`,
  )
  await page.goto(`${gateway.url}/sessions/${session}/calls/${call}`)
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  const system = inspector.getByRole('region', { name: 'Instructions', exact: true })
  await system.getByText('Instructions', { exact: true }).last().click()
  const text = system.getByRole('region', { name: 'Exact text of Instructions' })
  assert.equal(await text.textContent(), '# Rules\n\nBe brief, and name the tide.')
  await system.getByText('workspace/AGENTS.md').waitFor()

  const texts = await openedTexts(system)
  assert.equal(texts.join('\n\n'), request.system)
  const tools = await openedTexts(inspector.getByRole('region', { name: 'Tools', exact: true }))
  assert.deepEqual(
    tools.map((json) => JSON.parse(json) as object),
    request.tools,
  )
  assert.deepEqual(await seriousFaults(page), [])
  if (process.env['SCREENSHOTS']) await page.screenshot({ path: `${process.env['SCREENSHOTS']}/inspector.png` })
})

test('10: what was left out says why, with the numbers', async (t) => {
  const answer = () => ({ text: 'An answer of some length. '.repeat(60) })
  const models = { 'ollama/scripted': { window: 3_000 } }
  const { page, gateway } = await blankPage(
    t,
    { answer },
    { configuration: { models, context: { reserve: 500, notes: 'off' } } },
  )
  const first = await gateway.say('The first question.')
  for (let turn = 2; turn <= 7; turn++) await gateway.say(`Question ${turn}.`, { session: first.session })
  await page.goto(`${gateway.url}/sessions/${first.session}`)
  const left = page.getByRole('region', { name: 'Left out' })
  await left
    .getByText(
      /^Turns? [\d to]+ left out: [\d,]+ tokens wanted, .*(?:[\d,]+ were free after the cut to half of the room|[\d,]+ of [\d,]+ are free now)\.$/,
    )
    .first()
    .waitFor()
})

test('8: every number that the inspector shows is that of the account and of the provider', async (t) => {
  const usage = { promptTokens: 400, cachedTokens: 100, outputTokens: 7 }
  const { page, gateway } = await blankPage(t, { answer: () => ({ text: 'Yes.', usage }) }, { prepare })
  const { session } = await gateway.say('One?')
  await gateway.say('Two?', { session })
  await gateway.say('Three?', { session })
  const { calls } = await gateway.curl<{ calls: readonly { id: string }[] }>(`/api/sessions/${session}/calls`)
  assert.equal(calls.length, 3)
  for (const { id } of calls) {
    const { manifest, outcome } = await gateway.curl<CallRecord>(`/api/calls/${id}`)
    await page.goto(`${gateway.url}/sessions/${session}/calls/${id}`)
    const inspector = page.getByRole('complementary', { name: 'Inspector' })
    const { promptTokens, cachedTokens } = outcome!.usage!
    await inspector.locator(`[data-figure=total][data-value="${promptTokens}"]`).first().waitFor()
    const { entries, slots } = calibratedManifest(manifest, promptTokens!)
    const shown = await widths(inspector)
    assert.deepEqual(
      shown.map(({ tokens }) => tokens),
      entries.flatMap(({ tokens }) => (tokens > 0 ? [tokens] : [])),
    )
    for (const all of [shown.map(({ tokens }) => tokens), Object.values(slots)]) {
      assert.equal(
        all.reduce((sum, tokens) => sum + tokens, 0),
        promptTokens,
      )
    }
    const cached = inspector.locator('[data-figure=cached]').first()
    assert.equal(await cached.getAttribute('data-value'), String(cachedTokens ?? ''))
  }
})

test('8: a call that is opened as soon as it is over shows what its provider reported', async (t) => {
  const usage = { promptTokens: 400, cachedTokens: 100, outputTokens: 7 }
  const { page } = await openedPage(
    t,
    { answer: () => ({ text: 'Yes. '.repeat(20), pieceDelayMs: 20, usage }) },
    { prepare },
  )
  await page.getByLabel('Message', { exact: true }).fill('One?')
  await page.keyboard.press('Enter')
  const bar = page.getByRole('article').getByRole('link', { name: /tokens/ })
  await bar.waitFor()
  await page.getByRole('article').and(page.locator('[aria-busy=false]')).waitFor()
  await bar.click()
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await inspector.locator('[data-figure=total][data-value="400"]').first().waitFor()
})

test('8: on a narrow screen the inspector opens over the conversation, from the strip and from a call', async (t) => {
  const { page, gateway } = await blankPage(
    t,
    { answer: () => ({ text: 'Yes.' }) },
    { prepare, browser: { viewport: { width: 360, height: 740 } } },
  )
  const { session, calls } = await gateway.say('One?')
  await page.goto(`${gateway.url}/sessions/${session}`)
  await page.getByRole('button', { name: /What the model will read/ }).click()
  const dialog = page.getByRole('dialog', { name: 'What the model reads' })
  await dialog.getByText('System prompt', { exact: true }).waitFor()
  assert.deepEqual(await seriousFaults(page), [])
  if (process.env['SCREENSHOTS']) await page.screenshot({ path: `${process.env['SCREENSHOTS']}/inspector-360.png` })
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page
    .getByRole('article')
    .getByRole('link', { name: /tokens/ })
    .click()
  await dialog.getByRole('row', { name: /^Answer/ }).waitFor()
  assert.ok(page.url().endsWith(`/calls/${calls[0]}`))
})

test('8: each piece of the bar is reached by the arrow keys, says its name and tokens, and opens with Enter', async (t) => {
  const { page, gateway } = await blankPage(t, { answer: () => ({ text: 'Yes.' }) }, { prepare })
  const { session } = await gateway.say('One?')
  await page.goto(`${gateway.url}/sessions/${session}`)
  const { manifest: counted, figures } = await gateway.curl<Preview>('/api/context', { session })
  const manifest = calibratedManifest(counted, figures.total)
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await inspector.locator('[data-figure=total]').first().waitFor()
  const pieces = inspector.getByRole('toolbar', { name: 'Pieces of the call' }).getByRole('button')
  await pieces.first().focus()
  const names: string[] = []
  for (;;) {
    names.push((await page.locator(':focus').getAttribute('aria-label'))!)
    await page.keyboard.press('ArrowRight')
    if ((await page.locator(':focus').getAttribute('aria-label')) === names.at(-1)) break
  }
  assert.deepEqual(names, await pieces.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label'))))
  const sent = manifest.entries.filter(({ tokens }) => tokens > 0)
  const tokensOf = (name: string) => Number(/: ([\d,]+) tokens$/.exec(name)![1]!.replaceAll(',', ''))
  assert.deepEqual(
    names.slice(0, sent.length).map(tokensOf),
    sent.map(({ tokens }) => tokens),
  )
  assert.equal(
    names.map(tokensOf).reduce((sum, tokens) => sum + tokens, 0),
    figures.total,
  )
  assert.equal(await pieces.and(page.locator('[tabindex="0"]')).count(), 1, 'one piece is in the order of Tab')

  await page.keyboard.press('Home')
  await page.locator(':focus').and(pieces.first()).waitFor()
  const steps = names.findIndex((name) => name.startsWith('Instructions: '))
  for (let step = 0; step < steps; step++) await page.keyboard.press('ArrowRight')
  await inspector.getByText(names[steps]!, { exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await inspector.getByRole('region', { name: 'Exact text of Instructions' }).waitFor()
  await inspector.locator('summary:focus', { hasText: 'Instructions' }).waitFor()
  assert.deepEqual(await seriousFaults(page), [])
})

test('8: on a narrow screen Enter on a piece of the bar opens it over the conversation', async (t) => {
  const { page } = await openedPage(t, {}, { prepare, browser: { viewport: { width: 360, height: 740 } } })
  await page.getByRole('button', { name: /What the model will read/ }).click()
  const dialog = page.getByRole('dialog', { name: 'What the model reads' })
  await dialog.getByRole('button', { name: /^Instructions: / }).focus()
  await page.keyboard.press('Enter')
  await dialog.getByRole('region', { name: 'Exact text of Instructions' }).waitFor()
})

test('9: on a narrow screen the tabs stay where they are read to the end, and a turn is shown behind the inspector', async (t) => {
  const { page, gateway } = await blankPage(
    t,
    { answer: () => ({ text: 'Yes. '.repeat(200) }) },
    { prepare, browser: { viewport: { width: 360, height: 500 } } },
  )
  const { session } = await gateway.say('One?')
  const { calls } = await gateway.say('Two?', { session })
  await page.goto(`${gateway.url}/sessions/${session}/calls/${calls[0]!}`)
  const dialog = page.getByRole('dialog', { name: 'What the model reads' })
  const row = dialog.locator('summary', { hasText: 'Turn 1: One?' })
  await row.click()
  await dialog.getByRole('region', { name: 'Exact text of Turn 1: One?' }).last().scrollIntoViewIfNeeded()
  await openInspectorTab(dialog, 'Timeline')
  await dialog.getByRole('list', { name: 'Calls of the session' }).waitFor()
  await openInspectorTab(dialog, 'This call')
  await row.click()
  await dialog.getByRole('button', { name: 'Show in the conversation' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('article').and(page.locator(':focus')).getByText('One?').waitFor()
})

const priced = {
  window: 20_000,
  price: { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 },
  cache: { kind: 'marked', minimumTokens: 0, lifetimeSeconds: 600 },
}

test('8: money is beside the forecast and beside the report, part by part, on a model whose price is known', async (t) => {
  const usage = { promptTokens: 2_000, cachedTokens: 1_000, cacheWrittenTokens: 600, outputTokens: 100 }
  const configuration = { model: 'anthropic/scripted', models: { 'anthropic/scripted': priced } }
  const { page, gateway } = await blankPage(t, { answer: () => ({ text: 'Yes.', usage }) }, { prepare, configuration })
  const { session, calls } = await gateway.say('One?')
  await gateway.say('Two?', { session })
  const { manifest } = await gateway.curl<Preview>('/api/context', { session })
  const { cached, written, fresh, money } = manifest.forecast!
  const answer = (manifest.budget.reserve * 15) / 1_000_000
  assert.ok(cached > 0 && written > 0 && money! > 0)
  assert.ok(Math.abs((cached * 0.3 + written * 3.75 + fresh * 3) / 1_000_000 - money!) < 1e-12)
  await page.goto(`${gateway.url}/sessions/${session}`)
  const sum = page.getByRole('region', { name: 'Cost of the call' })
  const part = (name: string, tokens: number, price: number) =>
    `${name}\t${tokens.toLocaleString('en')}\t${tokens === 0 && name === 'New' ? '' : dollars((tokens * price) / 1_000_000)}`
  await sum.getByText(`An answer of up to ${manifest.budget.reserve.toLocaleString('en')} tokens`).waitFor()
  assert.deepEqual(await sum.getByRole('row').allInnerTexts(), [
    part('From the cache', cached, 0.3),
    part('Written to it', written, 3.75),
    part('New', fresh, 3),
    `Prompt\t${(cached + written + fresh).toLocaleString('en')}\t${dollars(money!)}`,
  ])
  await sum.getByText(`adds at most ${dollars(answer)}.`).waitFor()

  await page.goto(`${gateway.url}/sessions/${session}/calls/${calls[0]!}`)
  await sum.getByRole('row', { name: /^Cost/ }).waitFor()
  const nano = Math.round(callCost(usage, priced.price)! * 1e9)
  assert.deepEqual(await sum.getByRole('row').allInnerTexts(), [
    part('From the cache', 1_000, 0.3),
    part('Written to it', 600, 3.75),
    part('New', 400, 3),
    `Prompt\t2,000\t${dollars(0.00375)}`,
    `Answer\t100\t${dollars(0.0015)}`,
    `Cost\t\t${dollars(nano / 1e9)}`,
  ])
})

test('8: no money is shown where the price of the model is not known', async (t) => {
  const usage = { promptTokens: 400, outputTokens: 7 }
  const configuration = { model: 'openai/scripted', models: { 'openai/scripted': { free: false } } }
  const { page, gateway } = await blankPage(t, { answer: () => ({ text: 'Yes.', usage }) }, { prepare, configuration })
  const { session, calls } = await gateway.say('One?')
  await page.goto(`${gateway.url}/sessions/${session}/calls/${calls[0]!}`)
  await page.getByRole('row', { name: 'Cost not known' }).waitFor()
  await page.getByRole('region', { name: 'Context of the next call' }).getByText('price not known').waitFor()
  assert.equal(await page.getByText('$').count(), 0)
})

test('9: a part says where it was in the call before, why it has its form, and where it comes from, with a way there', async (t) => {
  const answer: ScriptedProviderOptions['answer'] = ({ newest }, n) =>
    n === 1 ? { toolCalls: [{ name: 'list_files', input: { path: '.' } }] } : { text: `${newest} Yes. `.repeat(30) }
  const tools = { global: { mode: 'allowlist', allowedTools: ['list_files'] } }
  const { page, gateway } = await blankPage(
    t,
    { answer },
    {
      async prepare(home) {
        await prepare(home)
        mkdirSync(join(home, 'skills', 'letters'), { recursive: true })
        const text = `---\nname: letters\ndescription: Letters\n---\n${'By hand. '.repeat(600)}`
        writeFileSync(join(home, 'skills', 'letters', 'SKILL.md'), text)
        writeFileSync(join(home, 'tool-access.json'), JSON.stringify(tools))
      },
      configuration: { models: { 'ollama/scripted': { window: 3_000 } }, context: { reserve: 500 } },
    },
  )
  const { session } = await gateway.say('What is there?')
  const { calls } = await gateway.say('And now?', { session })
  await page.goto(`${gateway.url}/sessions/${session}/calls/${calls[0]!}`)
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  const row = (slot: string, name: string | RegExp) =>
    inspector
      .getByRole('region', { name: slot, exact: true })
      .locator('details')
      .filter({ has: page.getByText(name, { exact: typeof name === 'string' }) })
      .first()

  const prompt = row('Instructions', 'System prompt')
  await prompt.locator('summary').first().click()
  await prompt.getByText('Against the call before: same place, the same tokens.').waitFor()
  await prompt.getByText('Sent in full. It has no other form.').waitFor()
  await prompt.getByRole('link', { name: 'Open the system prompt' }).waitFor()

  const skills = row('Skills', 'Skills')
  await skills.locator('summary').first().click()
  await skills.getByText(/^Sent as a list: [\d,]+ tokens wanted, [\d,]+ sent: .*their share is [\d,]+ of/).waitFor()
  const manifest = await gateway.curl<Manifest>(`/api/calls/${calls[0]!}/manifest`)
  const { fullTokens } = manifest.entries.find(({ layer }) => layer === 'skills')!
  await skills.getByText(`Other form: in full, ${fullTokens.toLocaleString('en')} tokens`).click()
  await skills.getByRole('region', { name: 'Skills, in full' }).getByText('By hand.').waitFor()

  const turn = row('Conversation', /^Turn 1: What is there\?/)
  await turn.locator('summary').first().click()
  await turn.getByText(/^Against the call before: .*from input to history/).waitFor()
  await turn.getByRole('button', { name: 'Show the call of list_files' }).click()
  const card = page.getByRole('region', { name: 'Call of list_files' })
  await card.and(page.locator(':focus')).waitFor()
  await card.getByText('Input as JSON', { exact: true }).waitFor()
  await row('Your message', /^Your message: And now/)
    .locator('summary')
    .first()
    .click()
  await inspector.getByText('New: the call before did not have it.').waitFor()
  assert.deepEqual(await seriousFaults(page), [])
})

test('10: what was left out opens to its exact text, a turn by its number, and the command says the same', async (t) => {
  const answer = () => ({ text: 'An answer of some length. '.repeat(60) })
  const models = { 'ollama/scripted': { window: 3_000 } }
  const { page, gateway } = await blankPage(
    t,
    { answer },
    { configuration: { models, context: { reserve: 500, notes: 'off' } } },
  )
  const { session } = await gateway.say('The first question.')
  let cut: { readonly call: string; readonly manifest: FiguredManifest } | undefined
  for (let turn = 2; turn <= 7 && cut === undefined; turn++) {
    const [call] = (await gateway.say(`Question ${turn}.`, { session })).calls
    const manifest = await gateway.curl<FiguredManifest>(`/api/calls/${call!}/manifest`)
    if (manifest.entries.some(({ reason }) => reason?.['free'] !== undefined)) cut = { call: call!, manifest }
  }
  const sentences = entrySentences(calibratedManifest(cut!.manifest, cut!.manifest.figures.total))
  const [range] = sentences
  assert.match(range!, /^Turns 1 to \d+ left out: [\d,]+ tokens wanted, and there was no room for them\.$/)
  const { stdout } = await gateway.foreword('calls', session, cut!.call)
  for (const sentence of sentences) assert.ok(stdout.includes(`\n${sentence}`), sentence)
  await page.goto(`${gateway.url}/sessions/${session}/calls/${cut!.call}`)
  const left = page.getByRole('region', { name: 'Left out' })
  // Neighbours that were left out for one reason are one row, which opens to them.
  await left.getByText(`${range!.split(' left out')[0]!}: there was no room for them`).click()
  await left.getByText(/^Turn 1 left out: [\d,]+ tokens wanted, /).click()
  const text = left.getByRole('region', { name: 'Text of Turn 1 that was left out' })
  await text.getByText('The first question.').waitFor()
  assert.ok((await text.textContent())!.includes('An answer of some length. '.repeat(60).trim()))

  // A later call names the turns of the cut together, and still has their texts.
  await gateway.say('One more.', { session })
  await page.goto(`${gateway.url}/sessions/${session}`)
  await left.getByText(/^Turns? 1(?: to \d+)? left out: .* in an earlier call took (?:it|them) out/).click()
  await left
    .getByRole('region', { name: 'Text of turn 1 that was left out' })
    .getByText('The first question.')
    .waitFor()
})

test('10: a note stands in the account, opens to its text, and what it covers says so', async (t) => {
  const answer = () => ({ text: 'An answer of some length. '.repeat(60) })
  const models = { 'ollama/scripted': { window: 3_000 } }
  const context = { reserve: 500, notes: 'index' }
  const { page, gateway } = await blankPage(t, { answer }, { configuration: { models, context } })
  const { session } = await gateway.say('The first question.')
  let cut: string | undefined
  for (let turn = 2; turn <= 12 && cut === undefined; turn++) {
    const [call] = (await gateway.say(`Question ${turn}.`, { session })).calls
    const { entries } = await gateway.curl<Manifest>(`/api/calls/${call!}/manifest`)
    if (entries.some(({ layer }) => layer === 'note')) cut = call!
  }
  await page.goto(`${gateway.url}/sessions/${session}/calls/${cut!}`)
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await inspector.getByText('Note 1').first().click()
  await inspector
    .getByText(/of this conversation not shown/)
    .first()
    .waitFor()
  const left = page.getByRole('region', { name: 'Left out' })
  await left.getByText(/^Turns \d+ to \d+: replaced by note 1$/).click()
  await left
    .getByText(/left out: [\d,]+ tokens wanted, and note \d+ says what it held\.$/)
    .first()
    .waitFor()
  assert.deepEqual(await seriousFaults(page), [])
})

async function widths(place: Page | Locator): Promise<readonly { readonly tokens: number; readonly width: number }[]> {
  return place
    .locator('[role=img]')
    .first()
    .locator('span')
    .evaluateAll((spans) =>
      spans.map((span) => ({
        tokens: Number(span.getAttribute('data-tokens')),
        width: span.getBoundingClientRect().width,
      })),
    )
}

/** Opens every row of a section and reads the exact texts, once each row has one: a text is drawn after its row is open. */
async function openedTexts(section: Locator): Promise<readonly string[]> {
  const own = ':is(:scope, :scope > div) > details'
  const closed = section.locator(`${own}:not([open]) > summary`)
  while ((await closed.count()) > 0) await closed.first().click()
  const texts = section.getByRole('region', { name: /^Exact text of/ })
  const rows = await section.locator(own).count()
  await texts.nth(rows - 1).waitFor()
  return texts.allTextContents()
}
