import { turnsToHead } from '../log/branches.ts'
import type { Conversation, Turn } from '../log/conversation.ts'

/** The turn that is being answered or is the next to be, and those that wait behind it, in whatever branch they are. */
export function openTurns({ log }: Pick<Conversation, 'log'>): {
  readonly running: Turn | undefined
  /** The one in which a second model answers the same message, while both are open. */
  readonly beside: Turn | undefined
  readonly queued: readonly Turn[]
} {
  const [running, ...others] = log.filter(({ state }) => state !== 'ended')
  const beside = running && others.find(({ id }) => id === running.options?.beside)
  return { running, beside, queued: others.filter((turn) => turn !== beside) }
}

/** The two turns that answer the message of this one, in the order of the log; `undefined` where one model does. */
export function answersBeside({ log }: Pick<Conversation, 'log'>, turn: Turn | undefined): readonly Turn[] | undefined {
  const other = turn?.options?.beside
  if (turn === undefined || other === undefined) return undefined
  const pair = log.filter(({ id, undone }) => !undone && (id === turn.id || id === other))
  return pair.length === 2 ? pair : undefined
}

/** The last turn of the newest branch that a turn is in. */
export function leafOf({ log }: Conversation, turn: string): string {
  const leads = (leaf: Turn): boolean => turnsToHead(log, leaf.id, false).some(({ id }) => id === turn)
  return log.findLast((each) => !each.undone && leads(each))?.id ?? turn
}
