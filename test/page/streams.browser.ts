import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { spawnForeword } from '../cli/gateway-process.ts'
import { startApart } from '../end-to-end/gateway.ts'
import { closeBrowser, openedPage as opened } from './browser.ts'
import { lastTurn, picture, send } from './conversation.ts'

after(closeBrowser)

const words = Array.from({ length: 120 }, (_, index) => `word${index} `)
const whole = words.join('').trim()

/** Reports once when words of an answer stand on the page twice, in whatever place, and be it for one drawing only. */
const lookOut = `new MutationObserver((_, watch) => {
  const all = document.body?.textContent.match(/\\bword\\d+\\b/g) ?? []
  const twice = all.filter((word, index) => all.indexOf(word) < index)
  if (twice.length === 0) return
  watch.disconnect()
  console.error('stands twice: ' + twice[0] + ' in ' + document.querySelector('main, body').innerHTML.slice(0, 20_000))
}).observe(document, { subtree: true, childList: true, characterData: true })`

/** The page of a gateway, and others, each of which is looked at at every moment. */
async function openedPage(...[t, ...more]: Parameters<typeof opened>): ReturnType<typeof opened> {
  const found: string[] = []
  t.after(() => assert.deepEqual(found, []))
  const watched = async (page: Page): Promise<Page> => {
    page.on('console', (message) => message.text().startsWith('stands twice') && found.push(message.text()))
    await page.addInitScript(lookOut)
    await page.evaluate(lookOut)
    return page
  }
  const at = await opened(t, ...more)
  await watched(at.page)
  return { ...at, another: async (options) => watched(await at.another(options)) }
}

/** The text of the newest answer, without the blanks at its end. */
async function answerOf(page: Page): Promise<string> {
  return (await lastTurn(page).locator('.prose').last().innerText()).trim()
}

/** Waits until an answer has come as far as this word. */
async function reached(page: Page, word: string): Promise<void> {
  await lastTurn(page).locator('.prose', { hasText: word }).waitFor()
}

test('5. a page that is loaded again in the middle of an answer goes on, and shows no word twice', async (t) => {
  const { page } = await openedPage(t, { answer: () => ({ text: words, pieceDelayMs: 25 }) })
  await send(page, 'Count')
  await reached(page, 'word20 ')
  await page.reload()
  await reached(page, 'word30 ')
  assert.ok(whole.startsWith(await answerOf(page)), 'the words before the reload are there, in order')
  await reached(page, 'word119')
  assert.equal(await answerOf(page), whole)
})

test('5. two browsers show the same answer while it arrives, one of them from its middle on', async (t) => {
  const { page, another } = await openedPage(t, { answer: () => ({ text: words, pieceDelayMs: 25 }) })
  await send(page, 'Count')
  await reached(page, 'word10 ')
  const other = await another()
  await other.goto(page.url())
  await reached(other, 'word40 ')
  assert.ok(whole.startsWith(await answerOf(other)))
  await Promise.all([reached(page, 'word119'), reached(other, 'word119')])
  assert.deepEqual([await answerOf(page), await answerOf(other)], [whole, whole])
})

test('5. offline is shown, what was written is kept, and the answer goes on where it was', async (t) => {
  const { page } = await openedPage(t, { answer: () => ({ text: words, pieceDelayMs: 25 }) })
  let refuses = false
  // The network of the browser is cut for new connections; the open one is ended by a long answer of the proxy before it.
  await page.route(/\/api\/sessions\/[^/]+\/events/, async (route) => {
    if (refuses) return route.abort('internetdisconnected')
    const response = await fetch(route.request().url(), {
      headers: { ...(await route.request().allHeaders()) },
      signal: AbortSignal.timeout(1_200),
    })
    let body = ''
    try {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) body += chunk
    } catch {
      // The connection broke off: what had arrived is delivered.
      refuses = body.includes('text-delta')
    }
    return route.fulfill({ status: 200, headers: { 'content-type': 'text/event-stream' }, body })
  })
  await send(page, 'Count')
  const note = page.getByText('Connecting to the gateway again')
  await note.waitFor()
  await page.getByLabel('Message', { exact: true }).fill('not sent yet')
  await picture(page, 'offline')
  await page.unroute(/\/api\/sessions\/[^/]+\/events/)
  refuses = false
  await reached(page, 'word119')
  assert.equal(await answerOf(page), whole)
  assert.equal(await note.count(), 0)
  assert.equal(await page.getByLabel('Message', { exact: true }).inputValue(), 'not sent yet')
})

test('5. a message arrives once, by itself, while a web server in front finds no gateway and the home is on the move', async (t) => {
  const { page, gateway } = await openedPage(t, { answer: () => ({ text: 'Here it is.' }) })
  const standby = { code: 'standby', message: 'The home of ann is opened elsewhere.' }
  const away = [
    { status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' },
    { status: 503, contentType: 'application/json', body: JSON.stringify({ error: standby }) },
  ]
  const notes: string[] = []
  await page.route('**/api/messages', async (route) => {
    const next = away.shift()
    if (next) return route.fulfill(next)
    notes.push(await page.getByRole('alert').innerText())
    return route.continue()
  })
  await send(page, 'Is anybody there?')
  await lastTurn(page).getByText('Here it is.').waitFor()
  assert.deepEqual(away, [])
  assert.match(notes.join(), /cannot be reached.*sent again by itself/s)
  assert.equal(gateway.provider.requests.length, 1)
  assert.equal(await page.getByRole('alert').count(), 0)
})

test('5. a gateway that is killed in the middle of an answer and started again goes on with it', async (t) => {
  const answers = [{ text: words, pieceDelayMs: 40 }, { text: 'And now the whole of it.' }]
  const { page, gateway } = await openedPage(t, { answer: (_, n) => answers[n - 1]! }, { start: startApart })
  await send(page, 'Count')
  await reached(page, 'word10 ')
  await gateway.stop()
  await page.getByText('Connecting to the gateway again').waitFor()
  assert.match(await answerOf(page), /^word0 word1 /, 'what was shown stays while the gateway is away')

  const environment = { ...gateway.environment, FOREWORD_GATEWAY_PORT: new URL(gateway.url).port }
  await spawnForeword(t, ['start', '--json'], environment).line(/address/)
  await lastTurn(page).getByText('And now the whole of it.').waitFor()
  await page.getByText('Connecting to the gateway again').waitFor({ state: 'detached' })
  await lastTurn(page).and(page.locator('[aria-busy=false]')).waitFor()
  const shown = await lastTurn(page).locator('.prose').allInnerTexts()
  await page.reload()
  await lastTurn(page).getByText('And now the whole of it.').waitFor()
  assert.deepEqual(shown, await lastTurn(page).locator('.prose').allInnerTexts(), 'the log tells the same')
  assert.equal(gateway.provider.requests.length, 2)
})

test('5. a connection that is silent for too long is made again', async (t) => {
  let begin = (): void => {}
  const begun = new Promise<void>((resolve) => (begin = resolve))
  const { page } = await openedPage(t, {
    async answer() {
      await begun
      return { text: 'Hello there.' }
    },
  })
  await page.clock.install()
  let connections = 0
  // A proxy that keeps the connection open and passes nothing on.
  await page.route(/\/api\/sessions\/[^/]+\/events/, async (route) => {
    connections += 1
    if (connections === 1) return
    await route.continue()
  })
  await send(page, 'Hello')
  await page.waitForRequest(/\/events$/)
  begin()
  await page.clock.runFor(41_000)
  await page.clock.runFor(1_000)
  await lastTurn(page).getByText('Hello there.').waitFor()
  assert.equal(connections, 2)
})

test('5. the wait before another attempt counts down, and the reason is said', async (t) => {
  const refused = { status: 503, body: { error: 'the model is being loaded' }, headers: { 'retry-after': '50' } }
  const { page } = await openedPage(t, { answer: () => refused })
  await page.clock.install()
  await send(page, 'Hello')
  const note = (seconds: string) => lastTurn(page).getByText(new RegExp(`Attempt 2 follows in ${seconds} s\\.`))
  await note('[1-5]?[0-9]').waitFor()
  // From here on its time is the test's, so that no second passes unseen.
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000))
  await picture(page, 'retry')
  const [left] = /\d+(?= s)/.exec(await note('\\d+').innerText())!
  assert.ok(Number(left) > 3, `${left} s are left`)
  await page.clock.runFor(3_000)
  await note(String(Number(left) - 3)).waitFor()
  await page.clock.runFor((Number(left) - 4) * 1_000)
  await note('1').waitFor()
})

test('5. what was said of another attempt goes with its answer', async (t) => {
  const refused = { status: 503, body: { error: 'the model is being loaded' }, headers: { 'retry-after': '2' } }
  const { page } = await openedPage(t, { answer: (_, n) => (n === 1 ? refused : { text: 'Here I am.' }) })
  await send(page, 'Hello')
  await lastTurn(page).getByText('Here I am.').waitFor()
  assert.equal(
    await lastTurn(page)
      .getByText(/Attempt|being loaded/)
      .count(),
    0,
  )
})

for (const [outcome, provider, answer, sentence] of [
  ['cut at its limit', 'openai', { text: 'Half of', finish: 'length' }, /The answer was cut .* Say `go on`/],
  ['empty', 'openai', { text: '' }, /There is no answer: the model said nothing/],
  ['reasoning without words', 'ollama', { reasoning: 'Hm.' }, /the model reasoned and said nothing/],
  ['stopped by content rules', 'openai', { text: 'No', finish: 'content-filter' }, /content rules/],
  ['failed', 'openai', { status: 401, body: { error: 'no key' } }, /key|401/i],
] as const) {
  test(`5. an answer that is ${outcome} says so in a sentence`, async (t) => {
    const { page, gateway } = await openedPage(
      t,
      { answer: () => answer },
      { configuration: { model: `${provider}/scripted` } },
    )
    await send(page, 'Hello')
    const said = lastTurn(page).locator('p', { hasText: sentence })
    await said.waitFor()
    const { sessions } = await gateway.curl<{ sessions: readonly { id: string }[] }>('/api/sessions')
    const session = `/api/sessions/${sessions[0]!.id}`
    const { entries } = await gateway.curl<{ entries: readonly { turn?: string }[] }>(`${session}/entries?after=0`)
    const turn = entries.find((entry) => entry.turn !== undefined)!.turn!
    const { notice } = await gateway.curl<{ notice: string }>(`${session}/turns/${turn}`)
    assert.equal(await said.innerText(), notice, 'the page says what every other channel says')
  })
}

test('5. while a long answer arrives fast, a person can write, and nothing is drawn again that stands there', async (t) => {
  const section =
    '## Part\n\nSome **words** with `code` and [a link](https://example.org).\n\n- one\n- two\n\n```js\nlet a = 1\n```\n\n'
  const text = Array.from({ length: 200 }, () => section.match(/\S+\s*/g)!).flat()
  // It stays open, so that it is not over before what is written is there.
  const { page } = await openedPage(t, { answer: () => ({ text, pieceDelayMs: 1, hangAfter: text.length }) })
  await page.evaluate(`
    globalThis.longTasks = []
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((entry) => entry.duration)))
      .observe({ type: 'longtask', buffered: true })
  `)
  await send(page, 'Write a lot')
  const parts = lastTurn(page).getByRole('heading', { name: 'Part' })
  const sources = lastTurn(page).locator('pre')
  await parts.nth(4).waitFor()
  const before = [await parts.nth(2).elementHandle(), await sources.nth(2).elementHandle()]
  const message = page.getByLabel('Message', { exact: true })
  await message.pressSequentially('And then?')
  assert.equal(await message.inputValue(), 'And then?')
  await parts.nth(190).waitFor()
  assert.equal(await message.inputValue(), 'And then?')
  for (const [index, locator] of [parts, sources].entries()) {
    assert.ok(await locator.nth(2).evaluate((element, first) => element === first, before[index]), `${index}`)
  }
  const longTasks = await page.evaluate<readonly number[]>('longTasks')
  t.diagnostic(`${longTasks.length} long tasks, the longest took ${Math.round(Math.max(0, ...longTasks))} ms`)
})
