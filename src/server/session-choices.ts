import { z } from 'zod'
import type { SessionChoice } from '../capability.ts'

/** What sessions can choose, by name: that of a runtime, as far as its endpoints show it. */
export type OfferedChoices = Readonly<Record<string, Pick<SessionChoice<never>, 'summary' | 'none'>>>

/** Fields that requests about sessions, and their rows, have anyway. */
const ownFields = 'id title binding created updated turns entries model after session input system'.split(' ')

/** Throws for a choice that has the name of a field of a session. */
export function assertChoiceNames(names: readonly string[]): void {
  const taken = names.find((name) => ownFields.includes(name))
  if (taken !== undefined)
    throw new Error(`A choice of a capability cannot be named ${taken}: sessions have that field.`)
}

/** An id for each choice, none of them required. */
export function choiceIds(choices: OfferedChoices) {
  return choiceFields(choices, ({ summary, none }) =>
    z.string().min(1).optional().describe(`${summary} Absent: ${none}.`),
  )
}

/** The same in a change, where `null` chooses none. */
export function choiceChanges(choices: OfferedChoices) {
  return choiceFields(choices, ({ summary, none }) =>
    z.string().min(1).nullable().optional().describe(`${summary} null: ${none}.`),
  )
}

/** Parts those fields of a request that are choices from the others. */
export function splitChoices<Value, Others>(
  choices: OfferedChoices,
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
  choices: OfferedChoices,
  field: (choice: OfferedChoices[string]) => Field,
): Readonly<Record<string, Field>> {
  return Object.fromEntries(Object.entries(choices).map(([name, choice]) => [name, field(choice)]))
}
