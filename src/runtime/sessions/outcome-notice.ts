import type { AnswerLimit, TurnOutcome } from '../../session.ts'

/** How a turn ended and what can be done, in a sentence or two for a person. `undefined` where it ended well. */
export function outcomeNotice(outcome: TurnOutcome): string | undefined {
  if ('cutCall' in outcome && outcome.cutCall !== undefined) return cutCallNotice(outcome, outcome.cutCall)
  switch (outcome.type) {
    case 'completed':
      return undefined
    case 'length':
      return `The answer was cut ${CUT[outcome.limit] ?? CUT.tokens} Say \`go on\` for the rest.`
    case 'empty':
      return `There is no answer: the model said nothing${limitClause(outcome.limit)}.${outcomeHint(outcome.limit, 'Ask again, or choose another model.')}`
    case 'reasoning-only':
      return `There is no answer: the model reasoned and said nothing${limitClause(outcome.limit)}.${outcomeHint(outcome.limit, 'Ask again, or lower agent.reasoning.')}`
    case 'content-filter':
      return 'The content rules of the model or its provider stopped the answer. Rephrase the question, or choose another model.'
    case 'other':
      return 'The answer may be incomplete: the provider did not name the reason for its end. Say `go on` if something is missing.'
    case 'cancelled':
      return 'Stopped before the end.'
    case 'failed':
      return outcome.message
  }
}

function cutCallNotice(
  { type, limit = 'tokens' }: { readonly type: string; readonly limit?: AnswerLimit },
  tool: string,
) {
  const what = `${type === 'length' ? 'A' : 'There is no answer: a'} call of ${tool} was cut`
  return `${what} ${CUT[limit]} It did not run. Ask for less at once, or raise ${limit === 'time' ? 'agent.maxAnswerMs' : 'context.reserve'}.`
}

const CUT: Readonly<Record<AnswerLimit, string>> = {
  tokens: 'at its length limit (context.reserve).',
  characters: 'because it did not end: it was many times longer than its length limit (context.reserve).',
  event: 'because the provider sent one piece that is too large to read.',
  time: 'because it took longer than agent.maxAnswerMs allows.',
}

function limitClause(limit: AnswerLimit | undefined): string {
  return limit === undefined ? '' : ` before ${BEFORE[limit]}`
}

const BEFORE: Readonly<Record<AnswerLimit, string>> = {
  tokens: 'its length limit was reached',
  characters: 'it was stopped for being endless',
  event: 'the provider sent one piece that is too large to read',
  time: 'its time was up',
}

function outcomeHint(limit: AnswerLimit | undefined, usual: string): string {
  if (limit === 'tokens') return ' Raise context.reserve, or lower agent.reasoning.'
  if (limit === 'time') return ' Raise agent.maxAnswerMs, or choose a quicker model.'
  return ` ${usual}`
}
