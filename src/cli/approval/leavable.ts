import type { Watch } from './watch.ts'

/** A watch of a turn that can be left as it is while a call of it waits for a person. */
export interface LeavableWatch extends Watch {
  /** Ends the following of a turn that waits, so that turn and question stay. Answers false where nothing waits. */
  readonly leave: () => boolean
}

export function leavable(watch: Watch): LeavableWatch {
  /** How to leave, by the id of the call that waits. */
  const open = new Map<string, () => void>()
  return {
    asked(waits, leave) {
      open.set(waits.toolCallId, leave)
      watch.asked(waits, leave)
    },
    settled(toolCallId, decided) {
      open.delete(toolCallId)
      watch.settled(toolCallId, decided)
    },
    over() {
      open.clear()
      watch.over()
    },
    leave() {
      const [leave] = open.values()
      leave?.()
      return leave !== undefined
    },
  }
}
