import type { ReactNode } from 'react'
import type { StoredRecord } from '../../../src/capability.ts'
import { tokenx } from '../../../src/context.ts'
import { providerTokens, useCountedPrompt } from '../parts/provider-tokens.tsx'
import { useLate } from '../parts/use-now.ts'
import { t } from '../language/language.ts'

/** A kind of things that people edit, with versions, at `/api/NAMEs`. */
export interface RecordsKind<Value extends NamedValue> {
  /** `agent` */
  readonly name: string
  readonly words: RecordWords
  readonly nameHint?: string
  readonly empty: Value
  /** The line that tells records apart in the list. */
  describe(value: Value): string
  /** Every field of a value, in words, for the difference between versions. */
  textOf(value: Value): string
  /** Ids of the layers of a request that come from a value, by their titles. */
  layersOf?(value: Value): Readonly<Record<string, string>>
  readonly Fields: (props: FieldsProps<Value>) => ReactNode
}

/** What the pages of a kind write. Other languages change more than the noun, so each is a text of its own. */
export interface RecordWords {
  /** What they are for: one sentence. */
  readonly about: string
  /** `agents` */
  readonly list: string
  readonly all: string
  readonly new: string
  readonly create: string
  readonly none: string
  /** How one is used. */
  readonly use: string
  readonly removed: string
  readonly remove: string
  readonly isRemoved: string
  /** Absent: they have no files. */
  readonly files?: { readonly label: string; readonly none: string }
  named(name: string): string
}

export interface NamedValue {
  readonly name: string
  /** With whom the owner shares it. */
  readonly sharedWith?: readonly string[] | undefined
}

export interface FieldsProps<Value> {
  readonly value: Value
  set(value: Value): void
}

/** One version, as the gateway answers it. */
export type KeptRecord<Value> = StoredRecord<Value> & { readonly warnings?: readonly string[] }

export type KeptList<Value> = Readonly<Record<string, readonly (KeptRecord<Value> & { readonly value: Value })[]>>

export function recordPath(name: string, id: string, what = ''): string {
  return `/api/${name}s/${encodeURIComponent(id)}${what}`
}

/** The page of one of them; of a new one without an id. */
export function recordHref(name: string, id = 'new'): string {
  return `/settings/${name}s?id=${encodeURIComponent(id)}`
}

/** Named fields as lines, and after them the long texts. */
export function fieldsText(
  fields: Readonly<Record<string, string | undefined>>,
  texts: Readonly<Record<string, string | undefined>>,
): string {
  const lines = Object.entries(fields).flatMap(([name, field]) => (field === undefined ? [] : [`${name}: ${field}`]))
  const long = Object.entries(texts).flatMap(([name, text = '']) => (text === '' ? [] : [`\n${name}:\n${text}`]))
  return [...lines, ...long].join('\n')
}

/** What a field is for, and about how many tokens its text adds to each request. */
export function TokenHint({ text, children }: { readonly text: string; readonly children: string }): ReactNode {
  const late = useLate(text, 300)
  const prompt = useCountedPrompt()
  if (late.trim() === '') return children
  return `${children} ${t`About ${providerTokens(tokenx.text(late), prompt)} tokens in each request.`}`
}

/** A field that was left empty is not sent. */
export function withoutEmpty(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined && field !== ''))
}

/** The body of a change: every field, and `null` for one that is no longer there. */
export function changesOf(value: object, empty: object, before: object): object {
  const names = new Set([...Object.keys(empty), ...Object.keys(before), ...Object.keys(value)])
  const fields = value as Readonly<Record<string, unknown>>
  return Object.fromEntries([...names].map((field) => [field, fields[field] ?? null]))
}
