import { phrase } from '../../context.ts'
import type { AnswerLimit, TurnOutcome } from '../../session.ts'

/** How a turn ended and what can be done, in a sentence or two for a person. `undefined` where it ended well. */
export function outcomeNotice(outcome: TurnOutcome): string | undefined {
  if ('cutCall' in outcome && outcome.cutCall !== undefined) return cutCallNotice(outcome, outcome.cutCall)
  switch (outcome.type) {
    case 'completed':
      return undefined
    case 'length':
      return phrase`The answer was cut ${CUT[outcome.limit] ?? CUT.tokens} Say \`go on\` for the rest.`
    case 'empty':
      return `${phrase`There is no answer: the model said nothing${limitClause(outcome.limit)}.`} ${outcomeHint(outcome.limit, phrase`Ask again, or choose another model.`)}`
    case 'reasoning-only':
      return `${phrase`There is no answer: the model reasoned and said nothing${limitClause(outcome.limit)}.`} ${outcomeHint(outcome.limit, phrase`Ask again, or lower agent.reasoning.`)}`
    case 'content-filter':
      return phrase`The content rules of the model or its provider stopped the answer. Rephrase the question, or choose another model.`
    case 'other':
      return phrase`The answer may be incomplete: the provider did not name the reason for its end. Say \`go on\` if something is missing.`
    case 'cancelled':
      return phrase`Stopped before the end.`
    case 'failed':
      return outcome.message
  }
}

function cutCallNotice(
  { type, limit = 'tokens' }: { readonly type: string; readonly limit?: AnswerLimit },
  tool: string,
) {
  const what =
    type === 'length'
      ? phrase`A call of ${tool} was cut ${CUT[limit]}`
      : phrase`There is no answer: a call of ${tool} was cut ${CUT[limit]}`
  const key = limit === 'time' ? 'agent.maxAnswerMs' : 'context.reserve'
  return `${what} ${phrase`It did not run. Ask for less at once, or raise ${key}.`}`
}

const CUT: Readonly<Record<AnswerLimit, string>> = {
  tokens: phrase`at its length limit (context.reserve).`,
  characters: phrase`because it did not end: it was many times longer than its length limit (context.reserve).`,
  event: phrase`because the provider sent one piece that is too large to read.`,
  time: phrase`because it took longer than agent.maxAnswerMs allows.`,
}

function limitClause(limit: AnswerLimit | undefined): string {
  return limit === undefined ? '' : phrase` before ${BEFORE[limit]}`
}

const BEFORE: Readonly<Record<AnswerLimit, string>> = {
  tokens: phrase`its length limit was reached`,
  characters: phrase`it was stopped for being endless`,
  event: phrase`the provider sent one piece that is too large to read`,
  time: phrase`its time was up`,
}

function outcomeHint(limit: AnswerLimit | undefined, usual: string): string {
  if (limit === 'tokens') return phrase`Raise context.reserve, or lower agent.reasoning.`
  if (limit === 'time') return phrase`Raise agent.maxAnswerMs, or choose a quicker model.`
  return usual
}
