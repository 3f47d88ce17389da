import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { FIRST_SCREEN_BUDGET, firstScreenBytes, pageSizes, sizeTable } from './page-sizes.ts'
import { closeBrowser, openedPage } from './browser.ts'

after(closeBrowser)

const assets = join(import.meta.dirname, '../../web/dist/assets')

test('the first screen waits for at most 150 kB of compressed JavaScript', () => {
  const sizes = pageSizes()
  assert.ok(
    firstScreenBytes(sizes) <= FIRST_SCREEN_BUDGET,
    `The first screen has grown too large, kB:\n${sizeTable(sizes)}`,
  )
  const late = ['settings', 'start-page', 'highlight', 'math', 'mermaid']
  for (const name of late)
    assert.ok(
      sizes.some((size) => size.name.startsWith(name) && !size.first),
      `${name} is not late`,
    )
})

test('what packages bring along and the page does not use is left out', () => {
  // The library that draws diagrams is as its authors built it.
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js') && !name.startsWith('mermaid.'))
  const source = scripts.map((name) => readFileSync(join(assets, name), 'utf8')).join('\n')
  for (const unused of ['<blockquote>', 'absoluteStrokeWidth', '.jsx)(']) assert.ok(!source.includes(unused), unused)
})

test('a browser receives what the build has compressed, and a client without Brotli or gzip can read it, too', async (t) => {
  const { page, gateway } = await openedPage(t, {})
  await page.getByLabel('Message', { exact: true }).waitFor()
  const first = pageSizes().filter(({ name, first: isFirst }) => isFirst && name.endsWith('.js'))
  const received = await page.evaluate<readonly (readonly [string, number])[]>(
    `performance.getEntriesByType('resource').map(({ name, encodedBodySize }) => [name, encodedBodySize])`,
  )
  for (const { name, bytes } of first) {
    assert.equal(received.find(([address]) => address.endsWith(`/${name}`))?.[1], bytes, name)
  }
  const [{ name } = { name: '' }] = first
  const answers = ['br', 'gzip', 'identity'].map(async (coding) => {
    const answer = await fetch(`${gateway.url}/assets/${name}`, { headers: { 'accept-encoding': coding } })
    assert.equal(answer.headers.get('content-encoding') ?? 'identity', coding)
    return answer.text()
  })
  const source = readFileSync(join(assets, name), 'utf8')
  for (const text of await Promise.all(answers)) assert.equal(text, source)
})

test('the worker is one file, which has nothing of the page in it', () => {
  const worker = readdirSync(assets).find((name) => /^what-if-worker-.*\.js$/.test(name))!
  const source = readFileSync(join(assets, worker), 'utf8')
  assert.deepEqual(source.match(/\bimport\s*[({"'`]|createElement/), null)
})

test('the first screen loads no highlighting, no mathematics and no diagrams; the first code, formula and diagram do', async (t) => {
  const text = 'A `word`.\n\n```js\nconst tide = 1\n```\n\nAnd $$x^2$$\n\n```mermaid\nflowchart LR\n  A --> B\n```'
  const { page } = await openedPage(t, { answer: () => ({ text }) })
  const drawing = (): Promise<readonly string[]> =>
    page.evaluate<readonly string[]>(
      `[...new Set(performance.getEntriesByType('resource').map(({ name }) => /assets\\/(highlight|math|mermaid)\\./.exec(name)?.[1]))].filter(Boolean).sort()`,
    )
  const message = page.getByLabel('Message', { exact: true })
  await message.waitFor()
  await page.waitForLoadState('networkidle')
  assert.deepEqual(await drawing(), [])
  await message.fill('Draw')
  await page.keyboard.press('Enter')
  await page.getByRole('article').locator('math').waitFor()
  await page.getByRole('article').locator('pre span').first().waitFor()
  await page.getByRole('article').locator('figure img').waitFor()
  assert.deepEqual(await drawing(), ['highlight', 'math', 'mermaid'])
})
