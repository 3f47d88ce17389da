import { RuntimeError } from '../../capability.ts'
import { defined, serialQueue } from '../../platform.ts'
import type { PeopleHomes, Person } from '../../runtime.ts'
import { HttpFailure } from '../failure.ts'
import type { SignedInIdentity } from './identity.ts'

/** Who changes the list of people at a sign-in, in the audit. */
const BY = 'sign-in'

/**
 * Finds the person of an identity: the one who signed in as it before, else one whom the owner added with this verified address and who
 * never signed in. Without either a person is added, with a home. One sign-in after another, so that two of one identity make one person.
 */
export function createAdmission(homes: Pick<PeopleHomes, 'people' | 'add'>) {
  const alone = serialQueue()
  return (identity: SignedInIdentity): Promise<string> => alone.add(() => findOrAdd(homes, identity))
}

async function findOrAdd(homes: Pick<PeopleHomes, 'people' | 'add'>, identity: SignedInIdentity): Promise<string> {
  const { people } = homes
  const { issuer, sub, email, groups, role } = identity
  const known = people.byIdentity({ issuer, sub }) ?? invited(people.list(), email)
  if (known === undefined) return addPerson(homes, identity)
  if (known.leaving) throw new HttpFailure('sign-in-denied', 'Your home on this gateway is being removed.')
  const change = {
    ...(known.identity === undefined && { identity: { issuer, sub } }),
    ...(role !== undefined && role !== known.role && { role }),
    ...(email !== undefined && email !== known.email && { email }),
    ...(!isSame(groups, known.groups ?? []) && { groups }),
  }
  if (Object.keys(change).length > 0) await people.change(known.name, change, BY)
  return known.name
}

/** Only an address that the provider has verified says who somebody is. */
function invited(people: readonly Person[], email: string | undefined): Person | undefined {
  if (email === undefined) return undefined
  return people.find((each) => !each.leaving && each.identity === undefined && each.email?.toLowerCase() === email)
}

async function addPerson(homes: Pick<PeopleHomes, 'people' | 'add'>, identity: SignedInIdentity): Promise<string> {
  const { issuer, sub, email, groups, role = 'member' } = identity
  const plain = nameOf(identity)
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? plain : `${plain}-${number}`
    try {
      await homes.add({ name, role, groups, identity: { issuer, sub }, ...defined({ email }) }, BY)
      return name
    } catch (error) {
      const isTaken = error instanceof RuntimeError && error.code === 'exists' && homes.people.find(name) !== undefined
      if (!isTaken) throw error
    }
  }
}

/** A name for a new person, as a folder can have it: `Ann O'Hara` becomes `ann-o-hara`. */
function nameOf({ name, email }: SignedInIdentity): string {
  const words = (text = '') =>
    text
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replace(/^[^a-z]+/, '')
      .slice(0, LONGEST_NAME)
      .replace(/-+$/, '')
  return words(name?.split('@')[0]) || words(email?.split('@')[0]) || 'person'
}

/** Leaves room for a number, characters. */
const LONGEST_NAME = 26

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index])
}
