import type { EntryBody } from './entry.ts'
import type { SessionRow } from './log-store.ts'

/** Ids by the name of the choice. */
export type Choices = Readonly<Record<string, string>>

/** The choices after an entry `choice`; the value `null` removes one. */
export function applyChoice(before: Choices, { choice, value }: EntryBody & { type: 'choice' }): Choices {
  const { [choice]: _, ...others } = before
  return value === null ? others : { ...others, [choice]: value }
}

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
