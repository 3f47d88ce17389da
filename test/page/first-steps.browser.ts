import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { closeBrowser, openedPage } from './browser.ts'
import { looksRight } from './conversation.ts'
import { idle } from './idle.ts'

after(closeBrowser)

test('the start link leads to the page, which answers a message and shows it again after a reload', async (t) => {
  const { page } = await openedPage(t, { answer: ({ newest }) => ({ text: `You wrote: **${newest}**` }) })
  assert.equal(new URL(page.url()).search, '', 'the token does not stay in the address')

  await page.getByLabel('Message', { exact: true }).fill('hello')
  await page.keyboard.press('Enter')
  await page.getByRole('article').getByText('You wrote: hello').waitFor()
  assert.equal(await page.locator('strong', { hasText: 'hello' }).count(), 1)

  await page.reload()
  await page.getByRole('article').getByText('You wrote: hello').waitFor()
})

test('the bar of the next call is on the screen before the first message', async (t) => {
  const { page, gateway } = await openedPage(t, { answer: () => ({ text: 'yes' }) })
  const { figures } = await gateway.curl<{ figures: { total: number } }>('/api/context')
  const strip = page.getByRole('region', { name: 'Context of the next call' })
  await strip.locator(`[data-figure=total][data-value="${figures.total}"]`).waitFor()
  const begin = page.getByRole('region', { name: 'Begin with' })
  await looksRight(page, 'empty')
  const chooser = page.waitForEvent('filechooser')
  await begin.getByRole('button', { name: /^A file/ }).click()
  await chooser
})

test('a browser without the cookie sees a form for the token and nothing else', async (t) => {
  const { another, gateway } = await openedPage(t, { answer: () => ({ text: 'yes' }) })
  const page = await another()
  await page.context().clearCookies()
  await page.goto(gateway.url)
  await page.getByRole('heading', { name: 'Sign in to Foreword' }).waitFor()
  await page.getByLabel('Token').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Token').fill(gateway.token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Message', { exact: true }).waitFor()
})

test('a conversation fits, and axe finds nothing serious, light and dark, on a phone and a desk', async (t) => {
  const answer = () => ({
    text: '# Title\n\nSome `code`, a [link](https://example.org) and\n\n```js\nlet a = 1\n```',
  })
  const { page } = await openedPage(t, { answer }, { browser: { viewport: { width: 360, height: 800 } } })
  await page.getByLabel('Message', { exact: true }).fill('hello')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Title', exact: true }).waitFor()
  await looksRight(page, 'chat')
})

test('a start of the page asks for nothing twice, without a session, with one, and in a second tab', async (t) => {
  const { page, gateway } = await openedPage(t, { answer: () => ({ text: 'yes' }) })
  await idle(page, gateway)
  const { session } = await gateway.say('hello')
  // What the open page asks for once the turn has ended is not of the next start.
  await idle(page, gateway)
  const twice = async (asked: Page, path: string): Promise<readonly string[]> => {
    const seen = new Set<string>()
    const again: string[] = []
    const note = (request: Request): void => {
      const name = `${request.method()} ${request.url().replace(gateway.url, '')}`
      // The worker reads the core from the cache of the browser.
      if (seen.has(name) && name.includes('/api/')) again.push(name)
      seen.add(name)
    }
    asked.on('request', note)
    await asked.goto(`${gateway.url}${path}`)
    await idle(asked, gateway)
    asked.off('request', note)
    assert.ok(seen.has('POST /api/context/scenario'), [...seen].join('\n'))
    assert.ok(seen.has('GET /api/session-folders'))
    return again
  }
  assert.deepEqual(await twice(page, '/'), [])
  // Its conversation asks for the length of the log as it is then.
  assert.deepEqual(await twice(page, `/sessions/${session}`), [`GET /api/sessions/${session}`])
  assert.deepEqual(await twice(await page.context().newPage(), '/'), [])
})
