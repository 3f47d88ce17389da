import type { PersonRole } from '../../../src/capability/token-scope.ts'
import { t } from '../language/language.ts'

export const PEOPLE = '/api/people'

/** A person as `GET /api/people` lists them. */
export interface ListedPerson {
  readonly name: string
  readonly role: PersonRole
  readonly email?: string
  readonly groups?: readonly string[]
  /** Whether they have signed in with a provider, which then says their groups. */
  readonly signsIn: boolean
  /** Absent: their home could not be opened. */
  readonly usage?: {
    /** Absent, as all that is about calls: the gateway adds up no costs. */
    readonly sessions?: number
    readonly calls?: number
    readonly prompt?: number
    readonly output?: number
    /** US dollars. Absent: no price is known. */
    readonly money?: number
    readonly unpriced?: number
    readonly files: number
    readonly fileBytes: number
    /** ISO 8601. Absent: they have not said anything yet. */
    readonly updated?: string
  }
}

export interface PeopleList {
  readonly people: readonly ListedPerson[]
}

/** The names in a text with commas between them. */
export function namesIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** What signs one browser of a person in, once. */
export interface Invitation {
  /** Behind the address of the gateway. */
  readonly path: string
  /** ISO 8601. */
  readonly expires: string
}

export const roles: readonly { readonly value: PersonRole; readonly title: string }[] = [
  { value: 'member', title: t`Member` },
  { value: 'guest', title: t`Guest` },
]

/** What somebody with this role may do. */
export const roleWords: Readonly<Record<PersonRole, string>> = {
  member: t`A member talks and decides about calls of tools.`,
  guest: t`A guest talks, and cannot allow a call of a tool that waits for a decision.`,
}
