import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { blankPage, closeBrowser, freePage, openedPage } from './browser.ts'
import { lastTurn, looksRight, send, waitUntil } from './conversation.ts'

after(closeBrowser)

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const REMOTE = 'https://pictures.example/tides.png?words=conversation'

test('images of an answer are drawn: its own at once, those of other hosts by the gateway and when they are asked for', async (t) => {
  let file = ''
  const { page, gateway } = await blankPage(t, {
    answer: () => ({
      text: `![in the text](data:image/png;base64,${PIXEL})\n\n![a file](/api/files/${file}/content)\n\n![Tides of today](${REMOTE})\n\n![mine](http://127.0.0.1/secret.png)`,
    }),
  })
  const form = new FormData()
  form.append('file', new Blob([Buffer.from(PIXEL, 'base64')]), 'chart.png')
  const headers = { authorization: `Bearer ${gateway.token}` }
  const answer = await fetch(`${gateway.url}/api/files`, { method: 'POST', headers, body: form })
  file = ((await answer.json()) as { readonly files: readonly { readonly id: string }[] }).files[0]!.id
  const { session } = await gateway.say('Draw the tides')
  const asked: string[] = []
  await page.route('**/api/web-image', async (route) => {
    const { url } = route.request().postDataJSON() as { readonly url: string }
    asked.push(url)
    if (url !== REMOTE) return route.continue()
    await route.fulfill({ contentType: 'image/png', body: Buffer.from(PIXEL, 'base64') })
  })
  await page.goto(`${gateway.url}/sessions/${session}`)
  const turn = lastTurn(page)
  await turn.getByRole('img', { name: 'in the text' }).waitFor()
  await turn.getByRole('img', { name: 'a file' }).waitFor()
  await turn.getByRole('link', { name: 'image: Tides of today' }).waitFor()
  assert.equal(await turn.locator('.prose img').count(), 2)
  assert.deepEqual(asked, [])
  await looksRight(page, 'images-of-an-answer')

  await turn.getByRole('button', { name: 'Load from pictures.example' }).click()
  await turn.getByRole('img', { name: 'Tides of today' }).waitFor()
  await turn.getByRole('button', { name: 'Load from 127.0.0.1' }).click()
  await turn.getByText('127.0.0.1 is no public address').waitFor()
  assert.deepEqual(asked, [REMOTE, 'http://127.0.0.1/secret.png'])
  await waitUntil(page, "[...document.querySelectorAll('.prose img')].every(({ naturalWidth }) => naturalWidth === 1)")
})

const harmless = [
  '```html',
  '<h1 style="color: rgb(1, 2, 3)">High water</h1>',
  '```',
  '',
  '```svg',
  '<svg viewBox="0 0 9 9"><circle cx="4" cy="4" r="3" fill="teal" /></svg>',
  '```',
].join('\n')

test('HTML and SVG of an answer are seen in a frame, when they are asked for', async (t) => {
  const { page, gateway } = await blankPage(t, { answer: () => ({ text: harmless }) })
  const { session } = await gateway.say('Draw')
  await page.goto(`${gateway.url}/sessions/${session}`)
  const [html, svg] = [lastTurn(page).locator('figure').first(), lastTurn(page).locator('figure').last()]
  assert.equal(await page.locator('iframe').count(), 0)
  await html.getByRole('button', { name: 'Preview' }).click()
  const heading = html.frameLocator('iframe').getByRole('heading', { name: 'High water' })
  await heading.waitFor()
  assert.equal(await heading.getAttribute('style'), 'color: rgb(1, 2, 3)')
  await svg.getByRole('button', { name: 'Preview' }).click()
  await svg.frameLocator('iframe').locator('circle').waitFor()
  await looksRight(page, 'preview')
  await html.getByRole('button', { name: 'Code' }).click()
  await html.getByText('High water').waitFor()
  assert.equal(await html.locator('iframe').count(), 0)
})

const odd = [
  '```svg',
  '<?xml version="1.0"?>',
  '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="900px"><rect id="corner" x="1190" y="890" width="10" height="10" /></svg>',
  '```',
  '',
  '```xml',
  '<svg viewBox="0 0 9 9"><circle cx="4" cy="4" r="3" /></svg>',
  '```',
  '',
  '```xml',
  '<note>no drawing</note>',
  '```',
  '',
  '```html',
  '<canvas id="c"></canvas><script>draw()</script>',
  '```',
].join('\n')

test('a drawing larger than its frame is seen whole, one named xml is one, and what a preview leaves out is said', async (t) => {
  const { page, gateway } = await blankPage(t, { answer: () => ({ text: odd }) })
  const { session } = await gateway.say('Draw')
  await page.goto(`${gateway.url}/sessions/${session}`)
  const figures = lastTurn(page).locator('figure')
  const [large, xml, note, script] = [figures.nth(0), figures.nth(1), figures.nth(2), figures.nth(3)]
  await script.getByRole('button', { name: 'Preview' }).click()
  assert.equal(await note.getByRole('button', { name: 'Preview' }).count(), 0)
  await script.getByText('Scripts do not run here, and nothing is loaded from other hosts.').waitFor()
  await xml.getByRole('button', { name: 'Preview' }).click()
  await xml.frameLocator('iframe').locator('circle').waitFor()
  assert.equal(await xml.getByText('Scripts do not run here').count(), 0)
  await large.getByRole('button', { name: 'Preview' }).click()
  const corner = await large.frameLocator('iframe').locator('#corner').boundingBox()
  const frame = (await large.locator('iframe').boundingBox())!
  assert.ok(corner!.x + corner!.width <= frame.x + frame.width && corner!.y + corner!.height <= frame.y + frame.height)
  await looksRight(page, 'preview-odd')
})

const hostile = [
  '```html',
  '<title>before</title><p id="seen">Here</p>',
  '<script>document.title = "harmed"; fetch("https://evil.example/fetched"); parent.location = "https://evil.example/"</script>',
  '<img src="https://evil.example/image.png" onerror="document.title = \'harmed\'">',
  '<img src="/api/status"><link rel="stylesheet" href="https://evil.example/style.css"><link rel="preconnect" href="https://words.evil.example">',
  '<style>@import "https://evil.example/imported.css"; p { background: url(https://evil.example/background.png) }</style>',
  '<iframe src="https://evil.example/frame"></iframe><object data="https://evil.example/object"></object>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example/refreshed">',
  '<a id="away" href="https://evil.example/followed">away</a><a id="top" target="_top" href="https://evil.example/top">top</a>',
  '<form action="https://evil.example/form"><button id="send">Send</button></form>',
  '```',
].join('\n')

test('a hostile preview runs nothing, asks nobody for anything, reads nothing of the gateway, and leads nowhere', async (t) => {
  const { gateway } = await blankPage(t, { answer: () => ({ text: hostile }) })
  const { session } = await gateway.say('Harm me')
  // Its console is full of what was refused.
  const page = await freePage(t)
  await page.request.get(`${gateway.url}/?token=${gateway.token}`)
  const asked: string[] = []
  // What the policy refuses is no request that leaves.
  await page.route('**/*', (route) => {
    const request = route.request()
    const ofPage = request.frame() === page.mainFrame() || request.url() === `${gateway.url}/preview`
    if (!ofPage || !request.url().startsWith(gateway.url)) asked.push(request.url())
    return route.continue()
  })
  await page.goto(`${gateway.url}/sessions/${session}`)
  asked.length = 0
  const figure = lastTurn(page).locator('figure')
  await figure.getByRole('button', { name: 'Preview' }).click()
  const frame = figure.frameLocator('iframe')
  await frame.locator('#seen').waitFor()
  for (const id of ['#away', '#top', '#send']) {
    await frame.locator(id).click()
    await frame.locator('#seen').waitFor()
  }
  const inside = page.frames().find((each) => each.parentFrame() !== null)!
  assert.equal(await inside.evaluate('document.title'), 'before')
  assert.equal(await inside.evaluate('origin'), 'null')
  // What a script would do that the frame does not let run.
  await inside.evaluate(`location.href = 'https://evil.example/moved'`)
  // A page of the browser says that it is blocked.
  while (inside.url().endsWith('/preview')) await page.evaluate('new Promise(requestAnimationFrame)')
  assert.deepEqual(asked, [])
  assert.equal(new URL(page.url()).pathname, `/sessions/${session}`)
})

const diagram = (...lines: readonly string[]): string => ['```mermaid', ...lines, '```', ''].join('\n')

test('a mermaid diagram is drawn, in both schemes, beside its text; one that cannot be drawn says why above its text', async (t) => {
  const text = [
    diagram('flowchart LR', '  A[Tide table] --> B{Enough water?}'),
    diagram('sequenceDiagram', '  accTitle: Who asks whom', '  You->>Model: message'),
    diagram('flowchart LR', '  A[ -->'),
  ].join('\n')
  const { page } = await openedPage(t, { answer: () => ({ text }) })
  await send(page, 'Draw')
  const [flow, sequence, broken] = [0, 1, 2].map((index) => lastTurn(page).locator('figure').nth(index)) as [
    Locator,
    Locator,
    Locator,
  ]
  const drawn = flow.getByRole('img')
  await drawn.waitFor()
  await waitUntil(page, `document.querySelector('figure img').naturalWidth > 200`)
  assert.ok(decodeURIComponent((await drawn.getAttribute('src'))!).includes('water?'))
  await sequence.getByRole('img', { name: 'Who asks whom' }).waitFor()
  await broken.getByText('This diagram cannot be drawn: Parse error on line 3.').waitFor()
  await broken.getByText('A[ -->').waitFor()
  const isDrawnWith = (color: string) => flow.locator(`img[src*="${encodeURIComponent(color)}"]`).waitFor()
  await isDrawnWith('fill:#e3efea')
  await looksRight(page, 'diagrams')
  await page.emulateMedia({ colorScheme: 'dark' })
  await isDrawnWith('fill:#20332d')
  await flow.getByRole('button', { name: 'Code', exact: true }).click()
  await flow.getByText('A[Tide table]').waitFor()
  assert.equal(await drawn.count(), 0)
})

test('a hostile diagram runs nothing and asks nobody for anything, and its frame runs the library alone', async (t) => {
  const text = diagram(
    '%%{init: {"securityLevel": "loose", "htmlLabels": true, "themeCSS": "@import url(https://evil.example/style.css);"}}%%',
    'flowchart LR',
    `  A["<img src='https://evil.example/image.png' onerror='parent.document.title=1'>"] --> B["<script>fetch('https://evil.example/')</script>seen"]`,
    '  click A "javascript:parent.document.title=1"',
    '  click B href "https://evil.example/followed" _top',
  )
  const { gateway } = await blankPage(t, { answer: () => ({ text }) })
  const { session } = await gateway.say('Harm me')
  const page = await freePage(t)
  await page.request.get(`${gateway.url}/?token=${gateway.token}`)
  const asked: string[] = []
  await page.route('**/*', (route) => {
    const request = route.request()
    const isFrame = request.url() === `${gateway.url}/diagram`
    if (!request.url().startsWith(gateway.url) || (request.frame() !== page.mainFrame() && !isFrame))
      asked.push(request.url())
    return route.continue()
  })
  await page.goto(`${gateway.url}/sessions/${session}`)
  const figure = lastTurn(page).locator('figure')
  await figure.getByRole('img').click()
  const inside = page.frames().find((each) => each.parentFrame() !== null)!
  assert.equal(await inside.evaluate('origin'), 'null')
  // A script that is not the library, put in as the library is.
  await inside.evaluate(
    `{ const other = document.createElement('script'); other.textContent = 'globalThis.harmed = true'; document.head.append(other) }`,
  )
  assert.equal(await inside.evaluate('globalThis.harmed'), undefined)
  await assert.rejects(inside.evaluate(`fetch('${gateway.url}/health')`))
  assert.deepEqual(asked, [])
  assert.equal(new URL(page.url()).pathname, `/sessions/${session}`)
})
