import assert from 'node:assert/strict'
import test from 'node:test'
import { codeOf, read, textOf } from './read.ts'

const page = (body: string, head = '') => `<!doctype html><html><head>${head}</head><body>${body}</body></html>`

test('a page gives Markdown: headings, lists, quotes, tables, code, and links', async () => {
  const body = `<h1>Title</h1><p>Some <b>bold </b>and <em>soft</em> words<br>and <code>code</code>.</p>
    <ul><li>one<ul><li>within</li></ul></li><li><p>two</p><p>more</p></li></ul><ol start="3"><li>three</li><li>four</li></ol>
    <blockquote><p>said</p><p>again</p></blockquote><pre><code class="language-js">let a = 1\n  b()</code></pre>
    <table><caption>Costs</caption><tr><th>A</th><th>B</th></tr><tr><td rowspan="2">1</td><td>2|3</td></tr><tr><td>4</td></tr></table>
    <p><a href="https://example.org/x (1)">a link</a> <a href="#here">here</a> <a href="javascript:run()">run</a></p>`
  assert.equal(
    await textOf(page(body), 'a.html'),
    [
      '# Title',
      'Some **bold** and _soft_ words\nand `code`.',
      '- one\n  - within\n- two\n\n  more',
      '3. three\n4. four',
      '> said\n>\n> again',
      '```js\nlet a = 1\n  b()\n```',
      'Costs',
      '| A | B |\n| --- | --- |\n| 1 | 2\\|3 |\n|  | 4 |',
      '[a link](https://example.org/x%20%281%29) here run',
    ].join('\n\n'),
  )
})

test('scripts, styles, and what nobody would see are left out', async () => {
  const hidden =
    '<p hidden>1</p><p style="color:red; display: none">2</p><p aria-hidden="true">3</p><template>4</template>'
  const body = `<script>5</script><style>6</style>${hidden}<noscript>7</noscript><!-- 8 --><p>shown</p>`
  assert.equal(await textOf(page(body), 'a.html'), 'shown')
})

test('links are absolute where it is known from where the page comes', async () => {
  const body = '<p><a href="../b?c=1">b</a> <img src="/i.png" alt="an image"></p>'
  assert.equal(await textOf(page(body), 'a.html'), '[b](../b?c=1) ![an image](/i.png)')
  assert.equal(
    await textOf(page(body), 'a.html', { url: 'https://example.org/x/y' }),
    '[b](https://example.org/b?c=1) ![an image](https://example.org/i.png)',
  )
  assert.equal(
    await textOf(page(body, '<base href="/deep/er/">'), 'a.html', { url: 'https://example.org/x/y' }),
    '[b](https://example.org/deep/b?c=1) ![an image](https://example.org/i.png)',
  )
})

test('an article is read without the rest of its page, and keeps its title', async () => {
  const words = 'The committee met for a long time, and after some debate, it decided on the matter at hand. '.repeat(8)
  const article = `<article><h1>The decision</h1><p>${words}</p><p>${words} <a href="/more">More</a></p></article>`
  const around = '<nav><ul><li><a href="/">Home</a></li><li><a href="/shop">Shop</a></li></ul></nav>'
  const document = await read(
    page(`${around}${article}<footer>All rights</footer>`, '<title>The decision</title>'),
    'a.html',
  )
  assert.ok(document.kind === 'text')
  assert.equal(document.title, 'The decision')
  assert.equal(document.text, `# The decision\n\n${words.trim()}\n\n${words}[More](/more)`)
})

test('a page that is no article is read whole, without menus; a page of nothing but a menu keeps it', async () => {
  const menu = '<nav><a href="/">Home</a></nav>'
  assert.equal(await textOf(page(`${menu}<p>Short.</p>`), 'a.html'), 'Short.')
  assert.equal(await textOf(page(menu), 'a.html'), '[Home](/)')
})

test('menus, cookie banners and the foot of the site stay out, whatever they are made of', async () => {
  const links = (...names: readonly string[]) => names.map((name) => `<li><a href="/${name}">${name}</a></li>`).join('')
  const around: readonly (readonly [above: string, below: string])[] = [
    // A site of documentation: landmarks, and a bar beside the text.
    [
      `<header><a href="#text">Skip to content</a><a href="/">Home</a></header><aside><ul>${links('Guide', 'API')}</ul></aside><main>`,
      '</main><footer>© The authors</footer>',
    ],
    // A blog without landmarks: names alone.
    [
      `<div class="site-header menu"><ul>${links('About', 'Contact')}</ul></div><ul class="breadcrumb">${links('Start', 'Tides')}</ul><div id="content">`,
      `</div><div id="footer" class="footer">${links('Imprint', 'Privacy')}</div>`,
    ],
    // A news site: banners of consent with a name, with a role, and with nothing but words and a button.
    [
      '<div id="onetrust-banner-sdk"><p>We value your privacy and use cookies.</p><button>Accept all</button></div><div>',
      '</div><div role="dialog"><p>This site uses cookies.</p></div><div class="x7"><p>Wir verwenden Cookies.</p><div><a href="#">Akzeptieren</a></div></div>',
    ],
  ]
  const text = '<h1>Tides</h1><p>High water is at noon. A box of cookies lies on the quay.</p>'
  for (const [above, below] of around) {
    assert.equal(
      await textOf(page(above + text + below), 'a.html'),
      '# Tides\n\nHigh water is at noon. A box of cookies lies on the quay.',
    )
  }
})

test('what belongs to the text is kept: the head of an article, its notes, and words about cookies', async () => {
  const body = `<main><article><header><h1>Cookies</h1><p>By Ada.</p></header><p>We use cookies to keep you signed in.</p>
    <aside>A note.</aside><footer>Thanks to Bob.</footer></article></main>
    <div class="cookie-recipes"><p>Cookies with chocolate.</p><a href="/more">Read on</a></div>
    <div class="related"><p>What the harbour master wrote about it.</p><a href="/letter">Letter</a></div>`
  assert.equal(
    await textOf(page(body), 'a.html'),
    '# Cookies\n\nBy Ada.\n\nWe use cookies to keep you signed in.\n\nA note.\n\nThanks to Bob.\n\nCookies with chocolate.\n\n[Read on](/more)\n\n' +
      'What the harbour master wrote about it.\n\n[Letter](/letter)',
  )
})

test('from a page with an article element only the article is read', async () => {
  const words = 'The committee met for a long time, and after some debate, it decided on the matter at hand. '.repeat(6)
  const teasers = Array.from(
    { length: 80 },
    (_, n) => `<div class="t${n}"><a href="/${n}">Something else that happened, number ${n}</a></div>`,
  )
  const body = `<div class="post"><h2>The decision</h2><p>${words}</p><p>${words}</p></div><div>${teasers.join('')}</div>`
  const text = await textOf(
    page(body, '<meta property="og:type" content="article"><title>The decision</title>'),
    'a.html',
  )
  assert.match(text, /committee/)
  assert.doesNotMatch(text, /Something else/)
})

test('a page is read in the character set that it declares', async () => {
  const bytes = Buffer.from(page('<p>\xcf\xf0\xe8\xe2\xe5\xf2</p>', '<meta charset="windows-1251">'), 'latin1')
  assert.equal(await textOf(bytes, 'a.html'), 'Привет')
})

test('a page is read even with missing tags and with text after its end', async () => {
  assert.equal(await textOf('<p>Hello.</p><script>"<body>"</script>', 'a.html'), 'Hello.')
  assert.equal(await textOf('<html><head><title>T</title></head><p>Hello.', 'a.html'), 'Hello.')
  assert.equal(await textOf('<html><body>One</body></html><p>two', 'a.html'), 'One\n\ntwo')
  assert.equal(await textOf('Just <b>words</b>', 'a.html'), 'Just **words**')
})

test('a page without words has no text', async () => {
  assert.equal(
    await textOf(page('<div id="root"></div><script>build()</script>'), 'a.html'),
    'no-text: the page shows no text; it may be one that only a browser can build',
  )
})

test('a table that only lays out the page is read as blocks', async () => {
  const body = '<table><tr><td><h2>Left</h2></td><td><table><tr><td>1</td><td>2</td></tr></table></td></tr></table>'
  assert.equal(await textOf(page(body), 'a.html'), '## Left\n\n| 1 | 2 |\n| --- | --- |')
})

test('however deep elements are nested, their words are read', async () => {
  for (const tag of ['div', 'b', 'ul><li', 'blockquote', 'table><tr><td', 'a href=x', 'span><div']) {
    // oxlint-disable-next-line no-await-in-loop -- one after another reads better when it fails
    assert.match(await textOf(`<${tag}>`.repeat(3000) + 'words', 'a.html'), /words/, tag)
  }
})

test('markup that never ends brings nothing down', async () => {
  for (const piece of [
    '<',
    '<!--',
    '<a x="',
    '</',
    '<p><b><a href=x>',
    '&#',
    '<![CDATA[',
    '<table><tr>',
    '<td colspan=9999>x',
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- one after another reads better when it fails
    assert.match(await codeOf(piece.repeat(2000), 'a.html'), /^(?:text|no-text)$/, piece)
  }
})

for (const [body, expected] of [
  ['<details><summary>More</summary><p>Inside</p></details>', 'More\n\nInside'],
  ['<dialog><p>Said</p></dialog>', 'Said'],
  ['<div><template shadowrootmode="open"><p>Shadow</p></template></div>', 'Shadow'],
  ['<h2><button>Why?</button></h2>', '## Why?'],
  ['<p>x</p><button>Copy</button>', 'x\n\n(not in this text: 1 × buttons)'],
  ['<p>x</p><iframe src="/a" srcdoc="<p>y</p>"></iframe>', 'x\n\n(not in this text: 1 × frames)'],
  ['<p>x</p><object data="a"><embed src="a"></object>', 'x\n\n(not in this text: 1 × embedded objects)'],
  ['<p>x</p><video src="a"></video><audio src="b"></audio>', 'x\n\n(not in this text: 2 × recordings)'],
  ['<p>x</p><canvas>old</canvas><svg><path d="M0 0"/></svg>', 'x\n\n(not in this text: 2 × drawings)'],
  ['<p>x <svg aria-hidden="true"><path/></svg></p>', 'x'],
  ['<svg><title>Plan</title><g><text>North</text></g></svg>', 'Plan North'],
  ['<p>x</p><map name="m"><area alt="a"></map>', 'x\n\n(not in this text: 1 × image maps)'],
  [
    '<p>x <img src="a"><img src="b" alt=""><img src="c" alt="A cat"></p>',
    'x ![A cat](c)\n\n(not in this text: 1 × images without a description)',
  ],
  ['<figure><img src="c" alt="A cat"><figcaption>Fig. 1</figcaption></figure>', '![A cat](c)\n\nFig. 1'],
  ['<label>Name <input value="Ada"></label>', 'Name Ada'],
  ['<p><input type="checkbox" checked>Yes <input type="radio">No</p>', '[x] Yes [ ] No'],
  ['<p>x<input type="hidden" value="t"><input type="password" value="p"><input type="submit" value="Go"></p>', 'x'],
  ['<textarea>My words</textarea>', 'My words'],
  ['<select><optgroup label="EU"><option>A</option><option selected>B</option></optgroup></select>', 'EU: ( ) A (x) B'],
  ['<p>10<sup>6</sup> m<sup>-2</sup> H<sub>2</sub>O<sup>[1]</sup></p>', '10^6 m^{-2} H_2O[1]'],
  ['<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby></p>', '漢(kan)'],
  [
    '<p><abbr title="World Health Organization">WHO</abbr> says <q>no</q></p>',
    'WHO (World Health Organization) says "no"',
  ],
  [
    '<p><math><mfrac><mn>1</mn><msup><mi>x</mi><mn>2</mn></msup></mfrac><msqrt><mi>y</mi></msqrt></math></p>',
    '$\\frac{1}{{x}^{2}}\\sqrt{y}$',
  ],
  [
    '<p><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x_1</annotation></semantics></math></p>',
    '$x_1$',
  ],
  ['<p><math alttext="a+b"><mi>a</mi></math></p>', '$a+b$'],
  ['<p><new-thing>kept</new-thing></p>', 'kept'],
] as const) {
  test(`of a page, every element is read or counted: ${body}`, async () =>
    assert.equal(await textOf(page(body), 'a.html'), expected))
}
