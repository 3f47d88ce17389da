import { useRef, useState } from 'react'
import { useLeaveNotice } from './leave-notice.ts'

export interface Versioned<Value> {
  /** 0 where there is none yet. */
  readonly version: number
  readonly value: Value
}

export interface SavedAs {
  readonly version: number
  /** The name under which it is changed from now on. Absent: as before. */
  readonly name?: string
}

/** What a person is changing, beside the newest version of it. */
export interface Draft<Value> {
  readonly value: Value
  readonly changed: boolean
  /** The version that the change is based on. */
  readonly base: number
  /** Whether a newer version has come since the change was begun. */
  readonly overtaken: boolean
  set(value: Value): void
  /** Goes back to the newest version. */
  discard(): void
  /** Keeps the change, on top of the newest version. */
  rebase(): void
  /** `value` is saved. What was typed since then stays, as a change of what was saved. */
  saved(value: Value, as: SavedAs): void
}

/**
 * A change that is not saved yet. It survives a reload, leaving the page and an error, in this tab; a note says so to a
 * person who leaves. While nothing is changed, it is the newest version.
 */
export function useDraft<Value>(name: string, newest: Versioned<Value>): Draft<Value> {
  const [kept, setKept] = useState(() => ({ name, draft: readKept<Value>(name) }))
  const draft = kept.name === name ? kept.draft : readKept<Value>(name)
  const changed = draft !== undefined && !isSame(draft.value, newest.value)
  const unsaved = useLeaveNotice(changed)
  const typed = useRef<{ readonly name: string; readonly value: Value }>(undefined)
  const keep = (next: Versioned<Value> | undefined): void => {
    unsaved.current = next !== undefined
    writeKept(name, next)
    setKept({ name, draft: next })
  }
  const base = changed ? draft.version : newest.version
  return {
    value: changed ? draft.value : newest.value,
    changed,
    base,
    overtaken: changed && base !== newest.version,
    set: (value) => {
      typed.current = { name, value }
      keep(isSame(value, newest.value) && base === newest.version ? undefined : { version: base, value })
    },
    discard: () => {
      typed.current = undefined
      keep(undefined)
    },
    rebase: () => keep(draft && { ...draft, version: newest.version }),
    saved: (value, { version, name: next = name }) => {
      const since = typed.current?.name === name && !isSame(typed.current.value, value) ? typed.current : undefined
      const left = since && { version, value: since.value }
      keep(next === name ? left : undefined)
      if (next !== name && left) writeKept(next, left)
    },
  }
}

/** Whether two values are the same for a reader: a field without a value is no field. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}

function readKept<Value>(name: string): Versioned<Value> | undefined {
  try {
    const kept = sessionStorage.getItem(keyOf(name))
    return kept === null ? undefined : (JSON.parse(kept) as Versioned<Value>)
  } catch {
    return undefined
  }
}

function writeKept(name: string, draft: unknown): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(keyOf(name))
    else sessionStorage.setItem(keyOf(name), JSON.stringify(draft))
  } catch {
    // A full or forbidden storage must not keep a person from writing.
  }
}

function keyOf(name: string): string {
  return `foreword-edit:${name}`
}
