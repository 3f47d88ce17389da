import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser, openedPage } from './browser.ts'
import { looksRight } from './conversation.ts'

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
  const { manifest } = await gateway.curl<{ manifest: { used: number } }>('/api/context')
  const strip = page.getByRole('region', { name: 'Context of the next call' })
  await strip.getByText(`${manifest.used.toLocaleString('en')} of`).waitFor()
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
