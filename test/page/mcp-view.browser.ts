import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import type { FrameLocator, Page } from 'playwright-core'
import { closeBrowser, pageOf, seriousFaults } from './browser.ts'
import { inEachScheme, looksRight, picture } from './conversation.ts'

/*
 * The view of the inspector as a host of MCP Apps shows it: in a frame without a network, with JSON-RPC by messages.
 */

after(closeBrowser)

const view = readFileSync(join(import.meta.dirname, '../../assets/inspector.html'), 'utf8')

/** What hosts forbid a view that asks for nothing. */
const POLICY = `default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'none'`

/** A host: answers `ui/initialize`, keeps what the view says, and sends what the test gives it. */
function host(theme: string | undefined): string {
  const framed = view.replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}">`)
  const context = JSON.stringify(theme === undefined ? {} : { theme })
  return `<!doctype html><html lang="en"><title>Host</title><style>body{margin:0}iframe{border:0;width:100%;height:100vh;display:block}</style><body>
<main><iframe title="Foreword" sandbox="allow-scripts" srcdoc="${framed.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe></main>
<script>
  window.said = []
  const frame = document.querySelector('iframe')
  window.tell = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*')
  window.addEventListener('message', ({ source, data }) => {
    if (source !== frame.contentWindow) return
    window.said.push(data)
    if (data.method === 'ui/initialize') {
      window.tell({ id: data.id, result: { protocolVersion: '2026-01-26', hostInfo: { name: 'a host', version: '1' }, hostCapabilities: {}, hostContext: ${context} } })
    }
  })
</script></body></html>`
}

interface Shown {
  readonly page: Page
  readonly frame: FrameLocator
  readonly problems: readonly string[]
  tell(message: object): Promise<void>
  result(data: object): Promise<void>
  said(method: string): Promise<readonly { readonly params: Readonly<Record<string, unknown>> }[]>
}

async function shown(
  t: TestContext,
  { theme, ...options }: { theme?: string; width?: number; scheme?: 'light' | 'dark' } = {},
): Promise<Shown> {
  const { page, problems } = await pageOf(t, host(theme), {
    viewport: { width: options.width ?? 900, height: 1_000 },
    colorScheme: options.scheme ?? 'light',
  })
  const said: Shown['said'] = (method) =>
    page.evaluate(`window.said.filter((each) => each.method === ${JSON.stringify(method)})`)
  await page.waitForFunction(`window.said.some((each) => each.method === 'ui/notifications/initialized')`)
  const tell = async (message: object) => void (await page.evaluate(`window.tell(${JSON.stringify(message)})`))
  return {
    page,
    frame: page.frameLocator('iframe'),
    problems,
    tell,
    said,
    result: (data) =>
      tell({
        method: 'ui/notifications/tool-result',
        params: { content: [], structuredContent: { success: true, data, error: null } },
      }),
  }
}

const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>'

const CALL = {
  call: 'call_1a2b3c',
  model: 'anthropic/claude-sonnet',
  time: '2026-11-24T12:00:00.000Z',
  used: 21_480,
  available: 180_000,
  slots: {
    tools: 5_200,
    system: 3_100,
    preamble: 0,
    history: 11_900,
    'before-input': 640,
    input: 560,
    'after-input': 80,
  },
  usage: { prompt: 21_600, cached: 19_000, output: 420 },
  cost: { usd: 0.0198, saved_usd: 0.0513 },
  entries: [
    { name: 'the tool read_file', slot: 'tools', outcome: 'included', tokens: 5_200, full_tokens: 5_200, usd: 0.0021 },
    { name: 'system prompt', slot: 'system', outcome: 'included', tokens: 3_100, full_tokens: 3_100, usd: 0.0012 },
    {
      name: 'turns 1 to 6',
      slot: 'history',
      outcome: 'omitted',
      tokens: 0,
      full_tokens: 48_210,
      why: '48,210 tokens wanted, and the cut to half of the room in an earlier call took them out.',
    },
    {
      name: HOSTILE,
      slot: 'history',
      outcome: 'reduced',
      tokens: 11_900,
      full_tokens: 30_400,
      usd: 0.0101,
      why: HOSTILE,
    },
    {
      name: 'the file notes-of-the-harbour.md',
      slot: 'before-input',
      outcome: 'included',
      tokens: 640,
      full_tokens: 640,
    },
    { name: 'turn 9', slot: 'input', outcome: 'included', tokens: 560, full_tokens: 560, usd: 0.0009 },
    { name: 'reminder', slot: 'after-input', outcome: 'included', tokens: 80, full_tokens: 80, usd: 0.0001 },
  ],
}

test('a call is shown with its parts and pieces, readable by everybody, light and dark, wide and narrow', async (t) => {
  const at = await shown(t, { width: 360 })
  await at.result({ ...CALL, sentences: ['It cost $0.0198.', 'The conversation went on.'] })
  await at.frame.getByRole('heading', { name: CALL.model }).waitFor()
  const bar = at.frame.getByRole('img')
  assert.match((await bar.getAttribute('aria-label'))!, /^Tokens: tools 5,200, .*; 158,520 free$/)
  assert.equal(await at.frame.getByRole('row').count(), CALL.entries.length + 1)
  for (const width of [360, 900]) {
    await looksRight(at.page, 'call-view', { widths: [width] })
    // Nothing is wider than the frame but the table, which scrolls by itself.
    const sizes = (await at.said('ui/notifications/size-changed')).map(({ params }) => Number(params['width']))
    assert.ok(
      sizes.every((each) => each <= width),
      sizes.join(', '),
    )
  }
  await inEachScheme(at.page, async (colorScheme) => {
    assert.deepEqual(await seriousFaults(at.page.frames()[1]!), [], colorScheme)
  })
  assert.deepEqual(at.problems, [])
})

test('what comes from outside is text: it runs nothing and loads nothing', async (t) => {
  const at = await shown(t)
  await at.result({ ...CALL, model: HOSTILE, call: HOSTILE, sentences: [HOSTILE] })
  await at.frame.getByRole('heading', { name: HOSTILE }).waitFor()
  assert.equal(await at.frame.locator('img').count(), 0)
  assert.equal(await at.frame.locator('#shown script').count(), 0)
  assert.equal(await at.page.title(), 'Host')
  await at.tell({
    method: 'ui/notifications/tool-result',
    params: { content: [{ type: 'text', text: HOSTILE }], isError: true },
  })
  await at.frame.getByText('onerror').waitFor()
  assert.equal(await at.frame.locator('img').count(), 0)
  assert.deepEqual(at.problems, [])
})

test('with the keyboard alone the pieces that were not sent in full are picked out, and the table is scrolled', async (t) => {
  const at = await shown(t)
  await at.result(CALL)
  const filter = at.frame.getByRole('button', { name: 'Only what is not sent in full (2)' })
  await filter.waitFor()
  await at.frame.locator('body').press('Tab')
  await at.page.keyboard.press('Enter')
  assert.equal(await filter.getAttribute('aria-pressed'), 'true')
  assert.equal(await at.frame.getByRole('row').count(), 3)
  await at.page.keyboard.press('Tab')
  assert.equal(await at.frame.locator(':focus').getAttribute('role'), 'region')
})

test('costs and failures have a view of their own', async (t) => {
  const at = await shown(t, { width: 600 })
  await at.result({
    by: 'model',
    since: '2026-10-25T00:00:00.000Z',
    zone: 'UTC',
    total: { calls: 12, unpriced: 1, usd: 0.42, saved_usd: 0.9 },
    rows: [
      { key: 'anthropic/claude-sonnet', calls: 8, unpriced: 0, usd: 0.4, saved_usd: 0.9 },
      { key: null, calls: 4, unpriced: 1, usd: 0.02 },
    ],
  })
  await at.frame.getByRole('heading', { name: 'Costs by model' }).waitFor()
  assert.equal(await at.frame.getByRole('row').count(), 4)
  assert.deepEqual(await seriousFaults(at.page.frames()[1]!), [])
  await picture(at.page, 'costs-view')
  await at.tell({
    method: 'ui/notifications/tool-result',
    params: { structuredContent: { success: false, data: null, error: { message: 'There is no call yet.' } } },
  })
  await at.frame.getByText('There is no call yet.').waitFor()
  assert.equal(await at.frame.getByRole('table').count(), 0)
})

test('the view takes the colours of its host, answers it, and listens to nobody else', async (t) => {
  const at = await shown(t, { theme: 'dark', scheme: 'light' })
  const frame = at.page.frames()[1]!
  const back = () => frame.evaluate<string>(`getComputedStyle(document.body).backgroundColor`)
  assert.equal(await back(), 'rgb(21, 24, 28)')
  const styles = { variables: { '--color-background-primary': 'rgb(1, 2, 3)' } }
  await at.tell({ method: 'ui/notifications/host-context-changed', params: { theme: 'light', styles } })
  await at.tell({ id: 'p', method: 'ping' })
  await at.tell({ id: 'q', method: 'ui/unheard-of' })
  await at.page.waitForFunction(`window.said.some((each) => each.id === 'q')`)
  assert.equal(await back(), 'rgb(1, 2, 3)')
  const answers = await at.page.evaluate<readonly { readonly id?: unknown; readonly error?: { code: number } }[]>(
    `window.said.filter((each) => each.id === 'p' || each.id === 'q')`,
  )
  assert.deepEqual(
    answers.map(({ id, error }) => [id, error?.code]),
    [
      ['p', undefined],
      ['q', -32601],
    ],
  )
  // The frame itself is another sender than its host.
  const message = {
    jsonrpc: '2.0',
    method: 'ui/notifications/tool-result',
    params: { structuredContent: { success: true, data: CALL, error: null } },
  }
  await frame.evaluate(`window.postMessage(${JSON.stringify(message)}, '*')`)
  await at.tell({ id: 'r', method: 'ping' })
  await at.page.waitForFunction(`window.said.some((each) => each.id === 'r')`)
  assert.equal(await at.frame.getByRole('table').count(), 0)
})
