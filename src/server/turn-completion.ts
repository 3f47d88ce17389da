import { type CompletionEvent, type Runtime, RuntimeError, type RuntimeErrorCode } from '../runtime.ts'
import { type Entry, type Usage } from '../session.ts'
import { messageReasoning, messageText } from './message-text.ts'
import { totals } from './turn-view.ts'

/**
 * A turn of a session as if it were one completion: what all its calls say, one after another, and the sums of what they
 * cost. Tools run in the gateway and are not told. Throws `RuntimeError` where the turn failed.
 */
export async function* turnCompletion(
  runtime: Runtime,
  session: string,
  turn: string,
  signal: AbortSignal,
): AsyncGenerator<CompletionEvent> {
  const usages: Usage[] = []
  let calls = 0
  let said = false
  let told = { text: '', reasoning: '' }
  for await (const event of runtime.events(session, { turn, signal })) {
    if (event.type === 'text-delta') {
      yield { type: 'text-delta', text: apart(event.text) }
      told.text += event.text
    } else if (event.type === 'reasoning-delta') {
      yield { type: 'reasoning-delta', text: event.text }
      told.reasoning += event.text
    } else if (event.entry.type === 'assembly') {
      calls += 1
      told = { text: '', reasoning: '' }
      yield { type: 'call-start', call: event.entry.call, model: '' }
    } else if (event.entry.type === 'message') {
      const reasoning = rest(messageReasoning(event.entry.message), told.reasoning)
      if (reasoning !== '') yield { type: 'reasoning-delta', text: reasoning }
      const text = rest(messageText(event.entry.message), told.text)
      if (text !== '') yield { type: 'text-delta', text: apart(text) }
      said ||= told.text !== '' || text !== ''
      told = { text: '', reasoning: '' }
    } else if (event.entry.type === 'usage') {
      usages.push(event.entry.usage)
    } else if (event.entry.type === 'turn-end') {
      yield finish(event.entry, calls, usages)
      return
    }
  }

  /** What different calls say is not one sentence. */
  function apart(text: string): string {
    return said && told.text === '' ? `\n\n${text}` : text
  }
}

/** What was missed of a message. A message that went another way than its deltas is told again as a whole. */
function rest(whole: string, told: string): string {
  if (whole.startsWith(told)) return whole.slice(told.length)
  return whole.trim() === told.trim() ? '' : `\n\n${whole}`
}

function finish(
  { turn, outcome }: Extract<Entry, { type: 'turn-end' }>,
  calls: number,
  usages: readonly Usage[],
): CompletionEvent {
  if (outcome.type === 'failed') {
    // The log holds the codes of the runtime as plain text.
    throw new RuntimeError(outcome.code as RuntimeErrorCode, outcome.message, { turn })
  }
  if (outcome.type === 'cancelled') throw new RuntimeError('cancelled', 'The turn was cancelled.', { turn })
  const { promptTokensBilled, cachedTokensBilled, outputTokensBilled } = totals(calls, usages)
  return {
    type: 'finish',
    reason: 'stop',
    usage: {
      promptTokens: promptTokensBilled,
      cachedTokens: cachedTokensBilled,
      cacheWrittenTokens: undefined,
      outputTokens: outputTokensBilled,
      reasoningTokens: undefined,
    },
  }
}
