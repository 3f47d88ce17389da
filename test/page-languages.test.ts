import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { test } from 'node:test'
import { slotTitles } from '../src/context.ts'
import { pageTexts } from '../web/page-texts.ts'

const web = join(import.meta.dirname, '../web')

/** By the path below `web/src`. */
const sources = new Map(
  readdirSync(join(web, 'src'), { recursive: true, withFileTypes: true })
    .filter(({ name }) => /\.tsx?$/.test(name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((file) => [relative(join(web, 'src'), file).split(sep).join('/'), readFileSync(file, 'utf8')]),
)
const found = [...sources].map(([path, source]) => ({ path, ...pageTexts(path, source) }))

/** Every text of the page in English, its own and those of the gateway, with the first line that has it. */
const english = new Map([
  ...Object.values(slotTitles).map((title) => [title, 'slotTitles'] as const),
  ...found.flatMap(({ path, texts }) => texts.map(({ text, line }) => [text, `${path}:${line}`] as const)).toReversed(),
])

test('every text of the page can be in another language', () => {
  assert.deepEqual(
    found.flatMap(({ path, bare }) => bare.map(({ text, line }) => `web/src/${path}:${line}: t\`…\` for ${text}`)),
    [],
  )
  // The search finds texts at all.
  assert.ok(english.size > 1_000, `${english.size} texts`)
})

test('numbers and dates are written in the language of the page, and in one place', () => {
  const faults = [...sources].filter(
    ([path, source]) =>
      path !== 'parts/numbers.ts' &&
      !path.startsWith('language/') &&
      /\.toLocale(?:Date|Time)?String\(|new Intl\./.test(source),
  )
  assert.deepEqual(
    faults.map(([path]) => path),
    [],
  )
})

type Entry = string | Readonly<Record<string, string>>

for (const file of readdirSync(join(web, 'languages')).filter((name) => name.endsWith('.json'))) {
  const tag = basename(file, '.json')
  const catalogue = JSON.parse(readFileSync(join(web, 'languages', file), 'utf8')) as Readonly<Record<string, Entry>>

  test(`${file} has every text of the page, and no other`, () => {
    assert.deepEqual(
      [...english].filter(([text]) => !Object.hasOwn(catalogue, text)).map(([text, place]) => `${place}: ${text}`),
      [],
    )
    assert.deepEqual(
      Object.keys(catalogue).filter((text) => !english.has(text)),
      [],
    )
  })

  test(`each text of ${file} has the values of the English one, and a text for each number`, () => {
    const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions()
    const faults = Object.entries(catalogue).flatMap(([text, entry]) => {
      const forms = typeof entry === 'string' ? [entry] : Object.values(entry)
      const missing = typeof entry === 'string' ? [] : pluralCategories.filter((name) => !Object.hasOwn(entry, name))
      return [
        ...missing.map((name) => `${text}: no text for ${name}`),
        ...forms.flatMap((form) => (valuesOf(form) === valuesOf(text) ? [] : [`${text}: ${form}`])),
        ...forms.filter((form) => form.trim() !== form || form === '').map((form) => `${text}: blanks in “${form}”`),
      ]
    })
    assert.deepEqual(faults, [])
  })
}

function valuesOf(text: string): string {
  return [...new Set(text.match(/\{\d\}/g))].toSorted().join(' ')
}

/** German words that the page says otherwise, with the one that it has. */
const OTHER_WORDS: Readonly<Record<string, RegExp>> = {
  Eigentümer: /Besitzer/,
  'Token, also of several': /Tokens/,
  unversehrt: /\bheil\b/,
}

test('one thing has one word in German', () => {
  const catalogue = readFileSync(join(web, 'languages/de.json'), 'utf8')
  const texts = Object.values(JSON.parse(catalogue) as Readonly<Record<string, Entry>>)
  const forms = texts.flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.values(entry)))
  const faults = Object.entries(OTHER_WORDS).flatMap(([word, other]) =>
    forms.filter((form) => other.test(form)).map((form) => `${word}: ${form}`),
  )
  assert.deepEqual(faults, [])
})

test('what is no text of the page is told from what is', () => {
  const source = `
    const looks = { plain: 'border border-line bg-raised' }
    export const states = { done: t\`done\`, wrong: 'Not yet' }
    const seen = <p title="words" className="px-2 py-1">Read {n === 1 ? 'once' : t\`\${n} times\`} with <code>foreword chat</code></p>
    if (kind === 'Some kind') report(\`\${n} things failed\`, t\`\${n} \${n === 1 ? 'thing' : 'things'}\`)`
  const { texts, bare } = pageTexts('example.tsx', source)
  assert.deepEqual(
    texts.map(({ text }) => text),
    ['done', '{0} times', '{0} {1}'],
  )
  assert.deepEqual(
    bare.map(({ text }) => text.trim()),
    ["'Not yet'", '"words"', 'Read', "'once'", 'with', '`${n} things failed`', "'thing'", "'things'"],
  )
})
