import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import test from 'node:test'
import { generatedFiles, pagesOf } from '../scripts/docs/generated-files.ts'
import { houseGraph } from '../scripts/docs/house-graph.ts'
import { pageHead } from '../scripts/docs/llms-text.ts'
import { uncoveredWords } from '../scripts/docs/uncovered-words.ts'

const root = dirname(import.meta.dirname)
const docs = join(root, 'docs')
const generated = generatedFiles(root)

test('what is made from the source is the current one', () => {
  const committed = new Map(
    [...generated.keys()].map((path) => {
      const file = join(docs, path)
      return [path, existsSync(file) ? readFileSync(file, 'utf8') : undefined] as const
    }),
  )
  const stale = [...generated].filter(([path, text]) => committed.get(path) !== text).map(([path]) => path)
  assert.deepEqual(stale, [], 'write it again with: npm run docs')
  const left = readdirSync(join(docs, 'reference')).filter((name) => !generated.has(`reference/${name}`))
  assert.deepEqual(left, [], 'pages of entry points that are gone; write them again with: npm run docs')
})

test('the page of words has the noun of every exported type', () => {
  assert.deepEqual(Object.fromEntries(uncoveredWords(root)), {}, 'add it to docs/words.md')
})

test('every entry point has a page in the reference', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: object }
  const entryPoints = Object.keys(exports).filter((subpath) => subpath !== './package.json')
  const pages = [...generated.keys()].filter((path) => path.startsWith('reference/'))
  assert.equal(pages.length, entryPoints.length + 1)
})

test('the reference says what a function accepts, what it is for, and where its types are described', () => {
  const page = generated.get('reference/context.md')!
  assert.ok(page.includes('### available\n\n```ts\nfunction available('), page.slice(0, 500))
  assert.ok(page.includes('`window` − `reserve` − `margin`, never below zero.'))
  assert.ok(page.includes('Uses [`Budget`](#budget).'))
})

test('every link of the reference and of llms.txt leads somewhere', () => {
  const texts = new Map([
    ...pagesOf(docs).map((path) => [path, readFileSync(join(docs, path), 'utf8')] as const),
    ...generated,
  ])
  const anchors = new Map([...texts].map(([path, text]) => [path, anchorsOf(text)]))
  const broken = [...generated].flatMap(([path, text]) =>
    [...text.matchAll(/\]\(([^):]*)\)/g)].flatMap(([, target]) => {
      const [file, anchor] = target!.split('#')
      const page = file === '' ? path : posix.join(posix.dirname(path), file!)
      if (page.startsWith('..')) return existsSync(join(docs, page)) ? [] : [`${path}: ${target}`]
      if (!texts.has(page)) return [`${path}: ${target}`]
      return anchor === undefined || anchors.get(page)!.has(anchor) ? [] : [`${path}: ${target}`]
    }),
  )
  assert.deepEqual(broken, [])
})

test('the list of features names files that exist, and every folder of the source', () => {
  const source = join(root, 'src')
  const text = readFileSync(join(source, 'README.md'), 'utf8')
  const named = [...text.matchAll(/`([\w./-]+(?:\/|\.ts))`/g)].map(([, path]) => path!)
  assert.deepEqual(
    named.filter((path) => !existsSync(join(source, path)) && !existsSync(join(root, path))),
    [],
    'paths that are gone',
  )
  const partsOfCapability = /^capabilities\/[^/]+\/(?:cli|http|mcp)$/
  const folders = new Set(globSync('**/*.ts', { cwd: source }).map((file) => posix.dirname(file.replaceAll('\\', '/'))))
  const missing = [...folders].filter(
    (folder) =>
      folder !== '.' && !partsOfCapability.test(folder) && !named.some((path) => path.startsWith(`${folder}/`)),
  )
  assert.deepEqual(missing, [], 'folders without a line')
})

test('the picture shows every room, follows the scheme of the reader, and loads nothing', () => {
  const picture = generated.get('house.svg')!
  const { floors } = houseGraph(join(root, 'src'))
  for (const { name } of floors.flat()) assert.ok(picture.includes(`>${name}</text>`), name)
  assert.match(picture, /prefers-color-scheme:dark/)
  assert.doesNotMatch(picture, /url\(|@import|<script|href/)
})

test('a page is listed with its title and the first sentence of its first paragraph', () => {
  const text = '# A *page*\n\n- not this\n\n**It** says [one thing](a.md) first. Then another.\n'
  assert.deepEqual(pageHead('guide/page.md', text), {
    path: 'guide/page.md',
    title: 'A *page*',
    summary: 'It says one thing first.',
  })
})

test('the site shows braces in code as they are written, and lists only pages that it has', async (t) => {
  const folder = join(root, 'site', '.vitepress')
  const { keepBraces } = (await import(join(folder, 'keep-braces.js'))) as { keepBraces: (markdown: object) => void }
  const rules = { code_inline: (text: string) => `<code>${text}</code>` }
  keepBraces({ renderer: { rules } })
  assert.equal(rules.code_inline('{{date}}'), '<code v-pre>{{date}}</code>')

  const copy = mkdtempSync(join(tmpdir(), 'foreword-site-'))
  t.after(() => rmSync(copy, { recursive: true }))
  for (const name of ['config.js', 'keep-braces.js', 'anchor-of.js']) {
    cpSync(join(folder, name), join(copy, 'site', '.vitepress', name), { recursive: true })
  }
  writeFileSync(join(copy, 'package.json'), '{"type":"module","description":"What it is."}')
  mkdirSync(join(copy, 'site', 'pages', 'guide'), { recursive: true })
  writeFileSync(join(copy, 'site', 'pages', 'guide', 'a.md'), '# A\n')
  const listed =
    '## Guide\n\n- [A](guide/a.md): one\n- [B](guide/b.md): two\n\n## Decisions\n\n- [C](decisions/c.md): no\n'
  writeFileSync(join(copy, 'site', 'pages', 'llms.txt'), listed)
  const { default: config } = (await import(join(copy, 'site', '.vitepress', 'config.js'))) as {
    default: {
      markdown: { config: unknown; anchor: { slugify(heading: string): string } }
      themeConfig: { sidebar: readonly unknown[] }
    }
  }
  assert.equal(typeof config.markdown.config, 'function')
  assert.equal(config.markdown.anchor.slugify('6. Change it (`now`)'), '6-change-it-now')
  assert.deepEqual(config.themeConfig.sidebar, [
    { text: 'Guide', items: [{ text: 'A', link: '/guide/a' }], collapsed: false },
  ])
})

/** The anchors of a page's headings, as Markdown renderers make them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const taken = new Map<string, number>()
  const withoutCode = text.replaceAll(/^```[\s\S]*?^```$/gm, '')
  return new Set(
    [...withoutCode.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => {
      const plain = heading!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-')
      const count = taken.get(plain) ?? 0
      taken.set(plain, count + 1)
      return count === 0 ? plain : `${plain}-${count}`
    }),
  )
}
