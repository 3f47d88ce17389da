import { z } from 'zod'
import { foldCase, nearestHint } from '../platform.ts'
import { RuntimeError } from './runtime-error.ts'
import type { SessionChoice } from './session-choice.ts'

/** Something that people edit, in one of its versions. */
export interface StoredRecord<Value> {
  readonly id: string
  readonly version: number
  /** ISO 8601. */
  readonly time: string
  /** `undefined`: it was removed in this version. */
  readonly value: Value | undefined
  /** In the home of a person: it belongs to the owner of the gateway, who shares it, and can only be read. */
  readonly shared?: true
}

/** A kind of things that people make, change, remove and bring back. Every version is kept. */
export interface Records<Value> {
  /** Those that are not removed, in the order in which they were made. */
  list(): Promise<readonly (StoredRecord<Value> & { readonly value: Value })[]>
  /** `undefined` where there is none, or none any more. */
  find(id: string): Promise<(StoredRecord<Value> & { readonly value: Value }) | undefined>
  /** Rejects with `not-found`. */
  get(id: string): Promise<StoredRecord<Value> & { readonly value: Value }>
  /** What cannot be is `invalid-input`, with every fault named; a name that is taken too. What is shared is never changed here: `forbidden`. */
  create(value: unknown): Promise<StoredRecord<Value>>
  /** With `after`, the version that was looked at, a change of somebody else in between is `changed`. */
  change(id: string, value: unknown, after?: number): Promise<StoredRecord<Value>>
  remove(id: string): Promise<void>
  /** Those that are removed, in the order in which they were made: each as it was last. */
  removed(): Promise<readonly (StoredRecord<Value> & { readonly value: Value })[]>
  /** Newest first. */
  versions(id: string): Promise<readonly StoredRecord<Value>[]>
  /** Makes an earlier version the newest, also of something that was removed. */
  restore(id: string, version: number): Promise<StoredRecord<Value>>
}

/** What a kind of records is called, and what its values look like. */
export interface RecordKind<Value> {
  readonly kind: string
  readonly schema: z.ZodType<Value>
  /** No two have the same, whatever the case. */
  readonly nameOf: (value: Value) => string
  /** What lists them after `foreword`. Default: `kind` with an s. */
  readonly command?: string
  /** Throws for what cannot be used, where it differs from `before`. */
  readonly check?: (value: Value, before: Value | undefined) => Promise<void>
}

/** The name of something that people make. */
export const recordName = z
  .string()
  .trim()
  .min(1, 'needs a name')
  .max(100, 'is longer than 100 characters')
  .regex(/^[^\p{Cc}]*$/u, 'must be one line')

/** In `sharedWith`: everybody on the gateway. */
export const everybody = '*'

/** How `sharedWith` names a group, which may be called as a person is. */
export const groupNamed = (group: string): string => `group:${group}`

/** With whom the owner of a gateway shares a record. */
export const sharedWith = z
  .array(z.string().trim().min(1).max(200))
  .min(1)
  .max(1_000)
  .optional()
  .describe(
    'Other people of this gateway who have it too, to read and use: `*` for everybody, names of people, and `group:NAME`. Absent: nobody.',
  )

export const recordText = z.string().max(200_000, 'is longer than 200,000 characters')

/** What a session choice needs where the things that can be chosen are records. `kind` is what one of them is called. */
export function recordChoice<Self extends { readonly service: Records<{ readonly name: string }> }>(
  kind: string,
): Pick<SessionChoice<Self>, 'check' | 'find' | 'list'> {
  return {
    async check({ service }, id) {
      await service.get(id)
    },
    find: async ({ service }, word) => findNamed(word, await service.list(), kind),
    list: async ({ service }) => (await service.list()).map(({ id, value: { name } }) => ({ id, name })),
  }
}

type Named = StoredRecord<{ readonly name: string }> & { readonly value: { readonly name: string } }

/** The id itself, the name in any case, or the beginning of either where only one begins so. */
function findNamed(word: string, records: readonly Named[], kind: string): string {
  const wanted = foldCase(word)
  const candidates = [
    records.filter(({ id }) => id === word),
    records.filter(({ value }) => foldCase(value.name) === wanted),
    records.filter(({ id, value }) => id.startsWith(word) || foldCase(value.name).startsWith(wanted)),
  ].find(({ length }) => length > 0)
  const [found, ...others] = candidates ?? []
  if (found && others.length === 0) return found.id
  if (candidates) {
    const hint = candidates
      .slice(0, 10)
      .map(({ id, value }) => `${id}  ${value.name}`)
      .join('\n')
    throw new RuntimeError('invalid-input', `${candidates.length} ${kind}s are meant by ${word}.`, {}, { hint })
  }
  const names = records.map(({ value }) => value.name)
  const hint = nearestHint(word, names, `\`foreword ${kind}s\` lists them.`)
  throw new RuntimeError('not-found', `No ${kind} has the name or id ${word}.`, { kind, id: word }, { hint })
}
