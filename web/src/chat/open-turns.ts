import { turnsToHead } from './branches.ts'
import type { Conversation, Turn } from './conversation.ts'

/** The turn that is being answered or is the next to be, and those that wait behind it, in whatever branch they are. */
export function openTurns({ log }: Conversation): {
  readonly running: Turn | undefined
  readonly queued: readonly Turn[]
} {
  const [running, ...queued] = log.filter(({ state }) => state !== 'ended')
  return { running, queued }
}

/** The last turn of the newest branch that a turn is in. */
export function leafOf({ log }: Conversation, turn: string): string {
  const leads = (leaf: Turn): boolean => turnsToHead(log, leaf.id, false).some(({ id }) => id === turn)
  return log.findLast((each) => !each.undone && leads(each))?.id ?? turn
}
