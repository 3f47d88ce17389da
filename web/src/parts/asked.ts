import { useSyncExternalStore } from 'react'

/** A value that any part of the page reads and changes. */
export function createShared<Value>(first: Value) {
  let value = first
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    get: (): Value => value,
    set(next: Value): void {
      value = next
      for (const listener of listeners) listener()
    },
    use: (): Value => useSyncExternalStore(subscribe, () => value),
  }
}

/** Something that one part of the page asks of another, which may not be drawn yet. It stays until `undefined` is asked for. */
export function createAsked<Value>() {
  const { set, use } = createShared<Value | undefined>(undefined)
  return { ask: set, useAsked: use }
}

/** A place in the conversation that somebody wants to see: a turn, or a call of a tool in it. */
export interface ShownPlace {
  readonly turn: string
  readonly toolCallId?: string
  /** The one that it is in, where another may be open. */
  readonly session?: string
  /** To be marked there. */
  readonly words?: readonly string[]
  /** The words are those of the answer, which the message may have, too. */
  readonly ofAnswer?: boolean
}

export const shownPlace = createAsked<ShownPlace>()
