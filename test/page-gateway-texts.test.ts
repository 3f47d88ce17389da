import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { compare, differenceCause, entrySentence, placementSentence } from '../src/context.ts'
import { forAll, outcomeOf } from './arbitrary/for-all.ts'
import { inputs } from './arbitrary/inputs.ts'
import { pageTexts } from '../web/page-texts.ts'
import { gatewayTranslator } from '../web/src/language/gateway-text.ts'

const root = join(import.meta.dirname, '..')
const languages = join(root, 'web/languages')

/** The files that make sentences for people, which have the tag `phrase`. */
const found = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => ({ path: `src/${file}`, source: readFileSync(join(root, 'src', file), 'utf8') }))
  .filter(({ source }) => source.includes('phrase`'))
  .map(({ path, source }) => ({ path, ...pageTexts(path, source) }))

/** Names of checks and keys, and what joins a list, which the page finds in it. */
const NAMES = /^'(?: and |S\d\d|store|gateway\.token)'$/

/** Presets of commands consist of words of command lines; what they allow is all that is for people. */
const isGrammar = (path: string): boolean => path.startsWith('src/tool/access/presets')

const english = new Map(found.flatMap(({ path, texts }) => texts.map(({ text, line }) => [text, `${path}:${line}`])))

test('every text of a file that makes sentences for people can be in another language', () => {
  assert.deepEqual(
    found.flatMap(({ path, bare }) =>
      (isGrammar(path) ? [] : bare)
        .filter(({ text }) => !NAMES.test(text))
        .map(({ text, line }) => `${path}:${line}: phrase\`…\` for ${text}`),
    ),
    [],
  )
  // The search finds sentences at all.
  assert.ok(english.size > 100, `${english.size} texts`)
})

function readCatalogue(file: string): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(join(languages, file), 'utf8')) as Readonly<Record<string, string>>
}

/** What a value is that no catalogue has. */
const value = (index: number): string => `«${index}»`
const filled = (text: string): string => text.replaceAll(/\{(\d)\}/g, (_, index: string) => value(Number(index)))
const valuesOf = (text: string): string => [...new Set(text.match(/\{\d\}/g))].toSorted().join(' ')

for (const file of readdirSync(join(languages, 'gateway'))) {
  const catalogue = readCatalogue(`gateway/${file}`)
  const page = readCatalogue(file)
  const language = basename(file, '.json')
  const translated = gatewayTranslator(
    catalogue,
    (title) => (typeof page[title] === 'string' ? page[title] : undefined),
    (number) => new Intl.NumberFormat(language).format(number),
  )

  test(`${file} has every sentence that the gateway makes, with its values, and no other`, () => {
    const isTitle = (text: string): boolean => !text.includes('{') && typeof page[text] === 'string'
    assert.deepEqual(
      [...english].filter(([text]) => !Object.hasOwn(catalogue, text) && !isTitle(text)),
      [],
    )
    assert.deepEqual(
      Object.keys(catalogue).filter((text) => !english.has(text)),
      [],
    )
    assert.deepEqual(
      Object.entries(catalogue).filter(([text, translation]) => valuesOf(text) !== valuesOf(translation)),
      [],
    )
  })

  test(`the page finds each sentence of ${file} by its words, and none takes the place of another`, () => {
    const faults = Object.entries(catalogue).flatMap(([text, translation]) => {
      const [given, wanted] = [translated(filled(text)), filled(translation)]
      return given === wanted ? [] : [`${text}: ${given}`]
    })
    assert.deepEqual(faults, [])
  })
}

test('whatever a call has left out, shortened or placed is said in German, and so is what differs between two calls', () => {
  const [catalogue, page] = [readCatalogue('gateway/de.json'), readCatalogue('de.json')]
  const german = gatewayTranslator(catalogue, (title) => page[title], String)
  /** Words that are in nearly every English sentence, and in no German one. */
  const ENGLISH = /\b(?:the|and|of|is|are|wanted|sent|left out|not|with|now|before|which|than|tokens|turns?)\b/
  const faults = new Set<string>()
  let before: ReturnType<typeof outcomeOf> | undefined
  forAll(inputs(), (input) => {
    const now = outcomeOf(input)
    const { manifest } = now
    const [one, other] = [{ manifest: before?.manifest ?? manifest }, { manifest }]
    const sentences = [
      ...manifest.entries.flatMap((entry) => [entrySentence(entry, manifest), placementSentence(entry, manifest)]),
      differenceCause(compare(one, other), one, other),
    ]
    for (const sentence of sentences) {
      // What others have named is not the gateway's.
      if (sentence === undefined || /for the reason "/.test(sentence)) continue
      const words = german(sentence).replaceAll(/“[^”]*”|\([^)]*\)/g, '')
      if (ENGLISH.test(words)) faults.add(`${sentence} → ${words}`)
    }
    before = now
  })
  assert.deepEqual([...faults].slice(0, 10), [])
})

test('what is no sentence of the gateway stays as a person wrote it, and numbers are written as the language has them', () => {
  const german = gatewayTranslator(
    { '{0} of {1} are free': '{0} von {1} sind frei', tokens: 'Token' },
    () => undefined,
    (number) => new Intl.NumberFormat('de').format(number),
  )
  assert.equal(german('1,200 of 12,000 are free.'), '1.200 von 12.000 sind frei.')
  assert.equal(german('1,200 tokens'), '1.200 Token')
  assert.equal(german('“1,200 of 12,000 are free”'), '“1,200 of 12,000 are free”')
  assert.equal(german('Notes of 2,000 days'), 'Notes of 2,000 days')
})
