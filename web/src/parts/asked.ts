import { useSyncExternalStore } from 'react'

/** Something that one part of the page asks of another, which may not be drawn yet. */
export interface Asked<Value> {
  /** Stays until `undefined` is asked for. */
  ask(value: Value | undefined): void
  useAsked(): Value | undefined
}

export function createAsked<Value>(): Asked<Value> {
  let asked: Value | undefined
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    ask(value) {
      asked = value
      for (const listener of listeners) listener()
    },
    useAsked: () => useSyncExternalStore(subscribe, () => asked),
  }
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
