import { z } from 'zod'
import type { SessionChoice } from '../capability.ts'

/** The choices that sessions have, by name, as far as the endpoints show them. */
export type ChoiceDescriptions = Readonly<Record<string, ChoiceDescription>>

interface ChoiceDescription extends Pick<SessionChoice<never>, 'summary' | 'none' | 'several'> {
  /** The id that a word of a person means. A word is an id where absent. */
  find?(word: string): Promise<string>
}

/** Fields of sessions and of requests about them, which no choice may be named after. */
const ownFields =
  'id title binding created updated turns entries model opening folder pinned state after session input system'.split(
    ' ',
  )

/** Throws for a choice that has the name of a field of a session. */
export function assertChoiceNames(names: readonly string[]): void {
  const taken = names.find((name) => ownFields.includes(name))
  if (taken !== undefined)
    throw new Error(`A choice of a capability cannot be named ${taken}: sessions have that field.`)
}

/** A schema field for each choice: an optional id. */
export function choiceIds(choices: ChoiceDescriptions) {
  return choiceFields(choices, ({ summary, none }) =>
    z.string().min(1).optional().describe(`${summary} Absent: ${none}.`),
  )
}

/** A schema field for each choice in a change: an optional id, or `null` for none. */
export function choiceChanges(choices: ChoiceDescriptions) {
  return choiceFields(choices, ({ summary, none }) =>
    z.string().min(1).nullable().optional().describe(`${summary} null: ${none}.`),
  )
}

/** Splits the fields of a request into choices and others. */
export function splitChoices<Value, Others>(
  choices: ChoiceDescriptions,
  fields: Others & Readonly<Record<string, unknown>>,
): { readonly chosen: Readonly<Record<string, Value>>; readonly others: Others } {
  const isChosen = ([name]: readonly [string, unknown]) => Object.hasOwn(choices, name)
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return {
    // The schemas of both kinds of fields have been checked.
    chosen: Object.fromEntries(given.filter(isChosen)) as Record<string, Value>,
    others: Object.fromEntries(given.filter((field) => !isChosen(field))) as Others,
  }
}

function choiceFields<Field extends z.ZodType>(
  choices: ChoiceDescriptions,
  field: (choice: ChoiceDescriptions[string]) => Field,
): Readonly<Record<string, Field>> {
  return Object.fromEntries(Object.entries(choices).map(([name, choice]) => [name, field(choice)]))
}
