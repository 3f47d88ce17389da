import { groupNamed } from '../../capability.ts'
import { defined } from '../../platform.ts'
import type { MoneyBudget } from '../budgets/call-budgets.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { isAmong, type People, type Person } from '../tokens/people.ts'

type PeopleSettings = Configuration['people']

/** What one person may use, as it is now. */
export interface PersonLimits extends Pick<
  PeopleSettings,
  'maxOpenTurns' | 'turnsAtOnce' | 'maxFiles' | 'maxFileBytes' | 'maxWorkspaceBytes' | 'readersAtOnce'
> {
  /** Of the person alone, and of each group that they are in together with its other members. */
  readonly budgets: readonly MoneyBudget[]
}

/**
 * The limits of a person: of each the one in the first row of `people.limits` that is about them and names it, or else the one for
 * everybody. Every group that they are in adds its shared budgets.
 */
function personLimits(people: PeopleSettings, person: Pick<Person, 'name' | 'groups'>): PersonLimits {
  const rows = people.limits.filter((row) => isAmong(person, [row.for]))
  const first = <Key extends keyof PeopleSettings & keyof (typeof rows)[number]>(key: Key): PeopleSettings[Key] =>
    (rows.find((row) => row[key] !== undefined)?.[key] as PeopleSettings[Key] | undefined) ?? people[key]
  return {
    maxOpenTurns: first('maxOpenTurns'),
    turnsAtOnce: first('turnsAtOnce'),
    maxFiles: first('maxFiles'),
    maxFileBytes: first('maxFileBytes'),
    maxWorkspaceBytes: first('maxWorkspaceBytes'),
    readersAtOnce: first('readersAtOnce'),
    budgets: [...first('budgets').map((budget) => defined(budget)), ...groupBudgets({ ...people, limits: rows })],
  }
}

/** The budgets that members of groups share. */
export function groupBudgets({ limits }: Pick<PeopleSettings, 'limits'>): readonly MoneyBudget[] {
  return limits.flatMap(({ for: whom, sharedBudgets = [] }) =>
    sharedBudgets.map((budget) => ({ ...defined(budget), group: whom.slice(groupNamed('').length) })),
  )
}

/** The limits of a person by the list of people as it is now, and by the settings that were set last. */
export function liveLimits(name: string, settings: PeopleSettings, people: () => Pick<People, 'find'>) {
  let known: Pick<Person, 'name' | 'groups'> = { name }
  return {
    now(): PersonLimits {
      // A list that cannot be read lets nobody in, and what runs keeps its limits.
      known = people().find(name) ?? known
      return personLimits(settings, known)
    },
    set(next: PeopleSettings): void {
      settings = next
    },
  }
}
