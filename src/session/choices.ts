import type { EntryBody } from './entry.ts'
import type { SessionRow } from './log-store.ts'

/** Ids by the name of the choice. */
export type Choices = Readonly<Record<string, string>>

/** The choices after an entry `choice`; the value `null` removes one. */
export function applyChoice(before: Choices, { choice, value }: EntryBody & { type: 'choice' }): Choices {
  const { [choice]: _, ...others } = before
  return value === null ? others : { ...others, [choice]: value }
}

/** Parses the choices of a stored session. */
export function parseChoices({ choices }: { readonly choices: string }): Choices {
  return choices === '{}' ? {} : (JSON.parse(choices) as Choices)
}

/** A session as the API and the command show it: each choice is a key of its own. */
export function sessionView({
  choices,
  ...row
}: SessionRow): Readonly<Record<string, unknown>> & { readonly id: string } {
  return { ...choices, ...row }
}

/**
 * Types of entries that logs and exports of earlier versions have in place of `choice`, each with its id under its own
 * name. What is stored keeps these names, so the list never changes.
 */
export const formerChoiceTypes = ['agent', 'project', 'subject'] as const

/** Turns an entry of an earlier version into the one that is written today; returns any other entry as it is. */
export function presentBody<Body extends { readonly type: string }>(body: Body): Body {
  if (!isFormerType(body.type)) return body
  const { type, [type as keyof Body]: value, ...rest } = body
  return { ...rest, type: 'choice', choice: type, value } as unknown as Body
}

function isFormerType(type: string): boolean {
  return formerChoiceTypes.some((former) => former === type)
}

/** The types that entries of the given types can have in a log, those of earlier versions included. */
export function storedTypes(types: readonly string[]): readonly string[] {
  return types.includes('choice') ? [...types, ...formerChoiceTypes] : types
}
