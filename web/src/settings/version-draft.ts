import { type RefObject, useEffect, useRef, useState } from 'react'
import { showToast } from '../parts/toasts.tsx'

/** Something with versions, as it was read. */
export interface Versioned<Value> {
  /** 0 where there is none yet. */
  readonly version: number
  readonly value: Value
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
}

/**
 * A change that is not saved yet. It survives a reload, leaving the page and an error, in this tab; a note says so to a
 * person who leaves. While nothing is changed, it is the newest version.
 */
export function useDraft<Value>(name: string, newest: Versioned<Value>): Draft<Value> {
  const [kept, setKept] = useState(() => ({ name, draft: readKept<Value>(name) }))
  const draft = kept.name === name ? kept.draft : readKept<Value>(name)
  const changed = draft !== undefined && !isSame(draft.value, newest.value)
  const unsaved = useLeaveNote(changed)
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
    set: (value) => keep(isSame(value, newest.value) && base === newest.version ? undefined : { version: base, value }),
    discard: () => keep(undefined),
    rebase: () => keep(draft && { ...draft, version: newest.version }),
  }
}

/** Asks before the tab is closed, and says where the change is when the page is left while the answer is true. */
function useLeaveNote(changed: boolean): RefObject<boolean> {
  const unsaved = useRef(changed)
  useEffect(() => {
    unsaved.current = changed
    if (!changed) return
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [changed])
  useEffect(
    () => () => {
      if (unsaved.current) showToast({ text: 'Your changes are not saved. You find them here when you come back.' })
    },
    [],
  )
  return unsaved
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
