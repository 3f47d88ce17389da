import { defined, serialQueue } from '../../platform.ts'
import type { SignedInIdentity } from './identity.ts'

type Role = 'member' | 'guest'

/** Somebody in the list of people, as far as a sign-in looks at them. */
export interface SignInPerson {
  readonly name: string
  readonly role: Role
  readonly email?: string | undefined
  readonly identity?: { readonly issuer: string; readonly subject: string } | undefined
  readonly groups?: readonly string[] | undefined
}

/** The list of people, as far as a sign-in reads and changes it. */
export interface SignInPeople {
  list(): readonly SignInPerson[]
  byIdentity(identity: { readonly issuer: string; readonly subject: string }): SignInPerson | undefined
  /** Rejects with `exists` for a name that is taken. */
  add(draft: SignInPerson, by: string): Promise<SignInPerson>
  change(name: string, change: Partial<Omit<SignInPerson, 'name'>>, by: string): Promise<void>
}

/** Who changes the list of people at a sign-in, in the audit. */
const BY = 'sign-in'

/**
 * Finds the person of an identity: the one who signed in as it before, else one whom the owner added with this verified address and who
 * never signed in. Without either a person is added. One sign-in after another, so that two of one identity make one person.
 */
export function createAdmission(people: SignInPeople) {
  const alone = serialQueue()
  return (identity: SignedInIdentity): Promise<SignInPerson> => alone.add(() => findOrAdd(people, identity))
}

async function findOrAdd(people: SignInPeople, identity: SignedInIdentity): Promise<SignInPerson> {
  const { issuer, subject, email, groups, role } = identity
  const known = people.byIdentity({ issuer, subject }) ?? invited(people, email)
  if (known === undefined) {
    const name = freeName(identity, new Set(people.list().map((each) => each.name)))
    return people.add(
      { name, role: role ?? 'member', groups, identity: { issuer, subject }, ...defined({ email }) },
      BY,
    )
  }
  const change = {
    ...(known.identity === undefined && { identity: { issuer, subject } }),
    ...(role !== undefined && role !== known.role && { role }),
    ...(email !== undefined && email !== known.email && { email }),
    ...(!isSame(groups, known.groups ?? []) && { groups }),
  }
  if (Object.keys(change).length > 0) await people.change(known.name, change, BY)
  return { ...known, ...change }
}

/** Only an address that the provider has verified says who somebody is. */
function invited(people: SignInPeople, email: string | undefined): SignInPerson | undefined {
  if (email === undefined) return undefined
  return people.list().find((each) => each.identity === undefined && each.email?.toLowerCase() === email)
}

/** A name for a new person, as a folder can have it: `Ann O'Hara` becomes `ann-o-hara`, and the second one `ann-o-hara-2`. */
function freeName({ name, email }: SignedInIdentity, taken: ReadonlySet<string>): string {
  const words = (text = '') =>
    text
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replace(/^[^a-z]+/, '')
      .slice(0, LONGEST_NAME)
      .replace(/-+$/, '')
  const plain = words(name?.split('@')[0]) || words(email?.split('@')[0]) || 'person'
  for (let number = 1; ; number += 1) {
    const found = number === 1 ? plain : `${plain}-${number}`
    if (!taken.has(found)) return found
  }
}

/** Leaves room for a number, characters. */
const LONGEST_NAME = 26

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index])
}
