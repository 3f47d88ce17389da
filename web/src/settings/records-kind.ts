import type { ReactNode } from 'react'
import { tokenx } from '../../../src/context.ts'
import { count } from '../parts/numbers.ts'
import { useLate } from '../parts/use-late.ts'

/** A kind of things that people edit, with versions, at `/api/NAMEs`. */
export interface RecordsKind<Value extends NamedValue> {
  /** `agent` */
  readonly name: string
  /** `an agent` */
  readonly one: string
  /** What they are for: one sentence. */
  readonly about: string
  /** How one is used, where it is nothing that a session chooses: then it has no files and no layer either. */
  readonly use?: string
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

export interface NamedValue {
  readonly name: string
}

export interface FieldsProps<Value> {
  readonly value: Value
  set(value: Value): void
}

/** One version, as the gateway answers it. `value` is absent where that version removed it. */
export interface KeptRecord<Value> {
  readonly id: string
  readonly version: number
  readonly time: string
  readonly value?: Value
  readonly warnings?: readonly string[]
}

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
  if (late.trim() === '') return children
  return `${children} About ${count(tokenx.text(late))} tokens in each request.`
}
