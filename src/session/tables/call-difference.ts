import { isObject } from '../../platform.ts'
import type { CallRecord } from '../call.ts'

/** A call that later ones of its session may be written as a difference to. */
export interface CallBase {
  readonly id: string
  /** JSON, by the path of the field, such as `turn` and `input.budget`. */
  readonly fields: ReadonlyMap<string, string>
  /** JSON of each entry of the manifest. */
  readonly entries: readonly string[]
  /** How many other calls are read with it. */
  readonly depth: number
  readonly characters: number
}

/**
 * What differs in the record of a call from that of an earlier one of its session: nearly all that an account says was said by the
 * account before it.
 */
export interface CallDifference {
  /** The id of the earlier call. */
  readonly base: string
  /** Fields by their path. */
  readonly changed: Readonly<Record<string, unknown>>
  readonly removed: readonly string[]
  /** Of the manifest. A run, `[first, count]`, is one of the entries there. */
  readonly entries: readonly (object | readonly [first: number, count: number])[]
}

/** Calls that are read with one at most. Each is some hundred bytes. */
const DEEPEST = 24
/** Fields whose own fields are compared. */
const OPENED = ['input', 'manifest'] as const

/** The JSON of a record, whole or as a difference to `before`, and what the next one may be a difference to. */
export function writeCall(
  record: Omit<CallRecord, 'outcome'>,
  before: CallBase | undefined,
): { readonly json: string; readonly base: CallBase } {
  const { input, manifest, ...rest } = record
  const { entries, ...account } = manifest
  const fields = new Map<string, string>()
  for (const [prefix, values] of [
    ['', isObject(input) ? rest : { ...rest, input }],
    ['input.', isObject(input) ? input : {}],
    ['manifest.', account],
  ] as const) {
    for (const [name, value] of Object.entries(values)) {
      const json: string | undefined = JSON.stringify(value)
      if (json !== undefined) fields.set(`${prefix}${name}`, json)
    }
  }
  const lines = entries.map((entry) => JSON.stringify(entry))
  const characters = [...fields.values(), ...lines].reduce((sum, { length }) => sum + length, 0)
  const base = { id: record.id, fields, entries: lines, characters, depth: 0 }
  if (before && before.depth < DEEPEST) {
    const json = differenceTo(before, base)
    if (json.length < characters / 2) return { json, base: { ...base, depth: before.depth + 1 } }
  }
  return { json: JSON.stringify(record), base }
}

function differenceTo(before: CallBase, { fields, entries }: CallBase): string {
  const changed = [...fields].flatMap(([name, json]) =>
    before.fields.get(name) === json ? [] : [`${JSON.stringify(name)}:${json}`],
  )
  const removed = [...before.fields.keys()].filter((name) => !fields.has(name))
  const places = new Map(before.entries.map((entry, index) => [entry, index]))
  const found: string[] = []
  for (let at = 0, count = 1; at < entries.length; at += count) {
    const first = places.get(entries[at]!)
    count = 1
    if (first === undefined) found.push(entries[at]!)
    else {
      while (at + count < entries.length && before.entries[first + count] === entries[at + count]) count += 1
      found.push(`[${first},${count}]`)
    }
  }
  const base = JSON.stringify(before.id)
  return `{"base":${base},"changed":{${changed.join()}},"removed":${JSON.stringify(removed)},"entries":[${found.join()}]}`
}

export function readDifference({ changed, removed, entries }: CallDifference, before: CallRecord): CallRecord {
  const record: Record<string, unknown> = { ...before }
  for (const name of OPENED) if (isObject(record[name])) record[name] = { ...record[name] }
  const place = (path: string): readonly [owner: Record<string, unknown>, name: string] => {
    const opened = OPENED.find((name) => path.startsWith(`${name}.`))
    if (opened === undefined) return [record, path]
    return [(record[opened] ??= {}) as Record<string, unknown>, path.slice(opened.length + 1)]
  }
  for (const path of removed) {
    const [owner, name] = place(path)
    delete owner[name]
  }
  for (const [path, value] of Object.entries(changed)) {
    const [owner, name] = place(path)
    owner[name] = value
  }
  const known = before.manifest.entries
  const manifest = record['manifest'] as Record<string, unknown>
  manifest['entries'] = entries.flatMap((entry) =>
    Array.isArray(entry) ? known.slice(entry[0], entry[0] + entry[1]) : [entry],
  )
  return record as unknown as CallRecord
}
