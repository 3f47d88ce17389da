/// <reference types="vite/types/importMeta.d.ts" />
import type { GatewayCatalogue } from './gateway-text.ts'

/**
 * The texts of a language by those of English. A value in braces is called by its number: `{0} calls`. A text that differs by a
 * number has one for each form that `Intl.PluralRules` knows of the language; the first number in it decides.
 */
type Catalogue = Readonly<Record<string, string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>>>

/** Tests read texts without a browser. */
const isPage = 'document' in globalThis

/** A language is a file there, named by its tag. Each is a chunk of its own, which only those who read it load. */
const files: Readonly<Record<string, () => Promise<Catalogue>>> = isPage
  ? import.meta.glob<Catalogue>('../../languages/*.json', { import: 'default' })
  : {}

/** The sentences of the gateway by those of English, in each language. */
const gatewayFiles: Readonly<Record<string, () => Promise<GatewayCatalogue>>> = isPage
  ? import.meta.glob<GatewayCatalogue>('../../languages/gateway/*.json', { import: 'default' })
  : {}

/** Tags, in the order of their list. */
export const languages: readonly string[] = [
  'en',
  ...Object.keys(files).map((path) => /([\w-]+)\.json$/.exec(path)![1]!),
]

/** Where the choice of this browser is kept. */
export const LANGUAGE_KEY = 'foreword-language'

/** The tag of the language that was chosen here; `system` unless one was. */
export function chosenLanguage(): string {
  const kept = isPage ? localStorage.getItem(LANGUAGE_KEY) : null
  return kept !== null && languages.includes(kept) ? kept : 'system'
}

/** Of the languages that the browser asks for, the first that the page has; English where it has none. */
function systemLanguage(): string {
  const wanted = isPage ? navigator.languages.map((tag) => tag.toLowerCase().split('-')[0]!) : []
  return wanted.find((tag) => languages.includes(tag)) ?? 'en'
}

/** The tag of the language of the page. It stays as it is until the page is loaded again. */
export const language: string = chosenLanguage() === 'system' ? systemLanguage() : chosenLanguage()

// Texts are asked for as soon as modules are loaded, so all of them wait for the catalogue. English has none.
const catalogue: Catalogue = language === 'en' ? {} : await files[`../../languages/${language}.json`]!()

const forms = new Intl.PluralRules(language)
const whole = new Intl.NumberFormat(language)

/** A text of the page, in its language: `` t`Show ${rows} more` ``. Numbers are written as the language writes them. */
export function t(english: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return textParts(english, values).join('')
}

const fromGateway = language === 'en' ? undefined : await gatewayWords()

/** Loaded for other languages than English, which need it before the first text as well. */
async function gatewayWords(): Promise<(text: string) => string> {
  const path = `../../languages/gateway/${language}.json`
  const [{ gatewayTranslator }, sentences] = await Promise.all([import('./gateway-text.ts'), gatewayFiles[path]?.()])
  const titleOf = (title: string): string | undefined => {
    const found = Object.hasOwn(catalogue, title) ? catalogue[title] : undefined
    return typeof found === 'string' ? found : undefined
  }
  return gatewayTranslator(sentences ?? {}, titleOf, (number) => whole.format(number))
}

/** A title or a sentence of the gateway in the language of the page, as far as it has it. What a person wrote stays as it is. */
export function translated(text: string): string {
  return fromGateway?.(text) ?? text
}

/** A title as it is written inside a sentence. German nouns keep their capital. */
export function inSentence(title: string): string {
  return language === 'de' ? title : title.toLocaleLowerCase(language)
}

/** The words of a text and the values in it, in the order of the language. */
export function textParts<Value>(
  english: TemplateStringsArray,
  values: readonly Value[],
): readonly (string | Exclude<Value, number>)[] {
  const key = english.reduce((text, part, index) => `${text}{${index - 1}}${part}`)
  const found = catalogue[key] ?? key
  const number = values.find((value) => typeof value === 'number') ?? 0
  const text = typeof found === 'string' ? found : (found[forms.select(number)] ?? found.other ?? key)
  return text.split(/\{(\d)\}/).map((part, index) => {
    if (index % 2 === 0) return part
    const value = values[Number(part)]!
    return typeof value === 'number' ? whole.format(value) : (value as Exclude<Value, number>)
  })
}
