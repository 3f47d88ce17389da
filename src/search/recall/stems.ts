import type { Language, Languages } from './languages.ts'
import { tokensOf } from './tokens.ts'
import type { PassageKind } from '../recall.ts'

/** A mark among the stems of a passage that no text can hold: characters for private use are divided from words. */
export const kindMark: Readonly<Record<PassageKind, string>> = { call: '\uE000c', message: '\uE000m' }

/** What a passage is found by: its stems, each once, and the mark of its kind. */
export function stemsOf(text: string, kind: PassageKind, language: Language): string {
  const stems = new Set([kindMark[kind]])
  for (const { word } of tokensOf(text)) stems.add(language.stem(word))
  return [...stems].join(' ')
}

/** The language of a text. */
export function languageOf(text: string, languages: Languages): Language {
  return languages.of([...tokensOf(text.slice(0, LOOKED_AT))].map(({ word }) => word))
}

/** Of a text, what is looked at to tell its language, characters. */
const LOOKED_AT = 2_000
