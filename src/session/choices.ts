import type { EntryBody } from './entry.ts'
import type { SessionRow } from './log-store.ts'

/** Ids by the name of the choice. */
export type Choices = Readonly<Record<string, string>>

/** What an entry `choice` makes of them. */
export function choicesAfter(before: Choices, { choice, value }: EntryBody & { type: 'choice' }): Choices {
  const { [choice]: _, ...others } = before
  return value === null ? others : { ...others, [choice]: value }
}

/** As a stored session holds them. */
export function choicesOf({ choices }: { readonly choices: string }): Choices {
  return choices === '{}' ? {} : (JSON.parse(choices) as Choices)
}

/** A session as people are shown it: each choice is a key of its own. */
export function shownSession({
  choices,
  ...row
}: SessionRow): Readonly<Record<string, unknown>> & { readonly id: string } {
  return { ...choices, ...row }
}

/** Types of entries that logs and exports of earlier versions have in place of `choice`, each with its id under its own name. */
const formerTypes: readonly string[] = ['agent', 'project', 'subject']

/** An entry as it was read: one of an earlier version becomes the one that is written today. */
export function presentBody<Body extends { readonly type: string }>(body: Body): Body {
  if (!formerTypes.includes(body.type)) return body
  const { type, [type as keyof Body]: value, ...rest } = body
  return { ...rest, type: 'choice', choice: type, value } as unknown as Body
}

/** The types under which entries of these types may stand in a log. */
export function storedTypes(types: readonly string[]): readonly string[] {
  return types.includes('choice') ? [...types, ...formerTypes] : types
}
