import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { everybody, groupNamed, type PersonRole, personRoles, RuntimeError } from '../../capability.ts'
import { defined } from '../../platform.ts'
import { openRows, readable, type RowPlace } from './rows.ts'

const identity = z.strictObject({
  issuer: z.string().describe('Address of the provider that they sign in with.'),
  sub: z.string().describe('Who they are there, as the provider names them.'),
})

const row = z.looseObject({
  name: z.string(),
  role: z.enum(personRoles),
  made: z.iso.datetime(),
  email: z.string().optional(),
  identity: identity.optional(),
  groups: z.array(z.string()).optional(),
  leaving: z.literal(true).optional(),
})

/** Who somebody is at the provider that they sign in with. */
export type Identity = z.infer<typeof identity>

/** Somebody beside the owner, with a home of their own. */
export interface Person {
  /** Such as `ann`: the name of the folder in `people`, too. */
  readonly name: string
  readonly role: PersonRole
  /** ISO 8601. */
  readonly made: string
  readonly email?: string | undefined
  /** Absent: they come with a token or an invitation. */
  readonly identity?: Identity | undefined
  /** Those that the provider named at the last sign-in. */
  readonly groups?: readonly string[] | undefined
  /** Nobody comes in as them any more, and their home is being removed. */
  readonly leaving?: true | undefined
}

export type PersonDraft = Omit<Person, 'made' | 'leaving'>

/** What of a person can change. Absent fields stay. */
export type PersonChange = Partial<Pick<Person, 'role' | 'email' | 'identity' | 'groups'>>

/** The people of a gateway, in `data/people.json` of the home; every change is in the audit before it counts. */
export type People = ReturnType<typeof openPeople>

/** Opens the list of people. Other processes may change it at the same time. */
export function openPeople(place: RowPlace) {
  const { clock } = place
  const rows = openRows<Person>(place, { file: 'people.json', row })
  const changed = (by: string, reason: string) => ({ kind: 'change', rule: 'data/people.json', by, reason }) as const
  const edit = async (name: string, by: string, reason: string, change: (found: Person) => Person) => {
    let found: Person | undefined
    await rows.edit(
      (all) => {
        found = all.find((each) => each.name === name)
        if (found === undefined) throw personNotFound(name)
        return all.map((each) => (each.name === name ? change(each) : each))
      },
      changed(by, reason),
    )
    return found!
  }

  return {
    ready: rows.ready,
    refresh: rows.refresh,
    /** In the order in which they were added. Throws RuntimeError `storage` where the file cannot be read. */
    list: (): readonly Person[] => rows.current(),
    /** Where the file cannot be read there is nobody. */
    find: (name: string): Person | undefined => readable(rows.current).find((each) => each.name === name),
    /** The one who signs in as this identity. */
    byIdentity: ({ issuer, sub }: Identity): Person | undefined =>
      readable(rows.current).find(({ identity: own }) => own?.issuer === issuer && own.sub === sub),
    /** Rejects with RuntimeError `invalid-input` for a name that is none, and `exists` for one that is taken. */
    async add(draft: PersonDraft, by: string): Promise<Person> {
      const { name, role, email, identity: own, groups } = draft
      if (!PERSON_NAME.test(name)) throw badName(name)
      const person: Person = { name, role, made: clock.time(), ...defined({ email, identity: own, groups }) }
      await rows.edit(
        (all) => {
          if (all.some((each) => each.name === name)) {
            const hint = 'Choose another name.'
            throw new RuntimeError('exists', `There is a person ${name} already.`, { person: name }, { hint })
          }
          return [...all, person]
        },
        changed(by, `${name} added as ${role}`),
      )
      return person
    },
    /** Rejects with RuntimeError `not-found`. */
    async change(name: string, change: PersonChange, by: string): Promise<void> {
      const { role, ...others } = defined(change)
      const what = [...(role === undefined ? [] : [`role ${role}`]), ...Object.keys(others)]
      await edit(name, by, `${name}: ${what.join(', ')} changed`, (found) => ({ ...found, ...defined(change) }))
    },
    /** From here on nobody comes in as them; their home can be removed. Rejects with RuntimeError `not-found`. */
    leave: (name: string, by: string): Promise<Person> =>
      edit(name, by, `${name} removed`, (found) => ({ ...found, leaving: true })),
    /** Somebody whose home is gone. */
    forget: (name: string): Promise<void> => rows.edit((all) => all.filter((each) => each.name !== name)),
  }
}

/** Whether somebody can come in. */
export function isThere(person: Person | undefined): person is Person {
  return person !== undefined && !person.leaving
}

/** Whether a person is one of those that are named: by their name, by `group:NAME`, or as everybody. */
export function isAmong({ name, groups = [] }: Pick<Person, 'name' | 'groups'>, whom: readonly string[]): boolean {
  const own = new Set([everybody, name, ...groups.map(groupNamed)])
  return whom.some((each) => own.has(each))
}

/** The home of a person, within that of the gateway. */
export function personHome(home: string, name: string): string {
  return join(peopleFolder(home), name)
}

/** The folder with the homes of the people of a gateway. */
export function peopleFolder(home: string): string {
  return join(home, 'people')
}

/** The homes of people that lie in a home, absolute paths: those of people who are leaving, too. */
export async function peopleHomesIn(home: string): Promise<readonly string[]> {
  const entries = await readdir(peopleFolder(home), { withFileTypes: true }).catch(() => [])
  return entries
    .filter((each) => each.isDirectory() && PERSON_NAME.test(each.name))
    .map(({ name }) => personHome(home, name))
}

/** The name of a folder and of a schema in PostgreSQL: one form of letters, so that no two names are one place. */
const PERSON_NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$(?<=^.{1,32})/

function badName(name: string): RuntimeError {
  const hint = 'Use at most 32 small letters and digits, begin with a letter, and put single dashes between them.'
  return new RuntimeError(
    'invalid-input',
    `${JSON.stringify(name.slice(0, 100))} cannot be the name of a person.`,
    {},
    { hint },
  )
}

export function personNotFound(name: string): RuntimeError {
  return new RuntimeError(
    'not-found',
    `There is no person ${JSON.stringify(name.slice(0, 100))}.`,
    { person: name.slice(0, 100) },
    { hint: 'List the people with `foreword people`.' },
  )
}
