import type { AnswerLimit, TurnOutcome } from '../../session.ts'

/**
 * How a turn ended, for a person: a sentence or two that say what happened and what can be done. `undefined` where it
 * ended well. Every channel shows the same.
 */
export function outcomeNotice(outcome: TurnOutcome): string | undefined {
  switch (outcome.type) {
    case 'completed':
      return undefined
    case 'length':
      return `The answer was cut ${CUT[outcome.limit] ?? CUT.tokens} Say \`go on\` for the rest.`
    case 'empty':
      return `There is no answer: the model said nothing${before(outcome.limit)}.${hintOf(outcome.limit, 'Ask again, or choose another model.')}`
    case 'reasoning-only':
      return `There is no answer: the model reasoned and said nothing${before(outcome.limit)}.${hintOf(outcome.limit, 'Ask again, or lower agent.reasoning.')}`
    case 'content-filter':
      return 'The answer was stopped by the content rules of the model or its provider. Ask in another way, or choose another model.'
    case 'other':
      return 'The answer may not be whole: it ended for a reason that the provider did not name. Say `go on` if something is missing.'
    case 'cancelled':
      return 'Stopped before the end.'
    case 'failed':
      return outcome.message
  }
}

/** Whether a person got an answer, if perhaps not all of it. */
export function isAnswered({ type }: TurnOutcome): boolean {
  return type === 'completed' || type === 'length' || type === 'other'
}

const CUT: Readonly<Record<AnswerLimit, string>> = {
  tokens: 'at its length limit (context.reserve).',
  characters: 'because it did not end: it was many times longer than its length limit (context.reserve).',
  event: 'because the provider sent one piece that is too large to read.',
  time: 'because it took longer than agent.maxAnswerMs allows.',
}

function before(limit: AnswerLimit | undefined): string {
  return limit === undefined ? '' : ` before ${BEFORE[limit]}`
}

const BEFORE: Readonly<Record<AnswerLimit, string>> = {
  tokens: 'its length limit was reached',
  characters: 'it was stopped for being endless',
  event: 'the provider sent one piece that is too large to read',
  time: 'its time was up',
}

function hintOf(limit: AnswerLimit | undefined, usual: string): string {
  if (limit === 'tokens') return ' Raise context.reserve, or lower agent.reasoning.'
  if (limit === 'time') return ' Raise agent.maxAnswerMs, or choose a quicker model.'
  return ` ${usual}`
}
