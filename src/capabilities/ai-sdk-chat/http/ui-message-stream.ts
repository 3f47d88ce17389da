import { messageText, toolCalls, toolResults, outputText, type Message } from '../../../context.ts'
import { outcomeNotice, type SessionEvent, turnTotals } from '../../../runtime.ts'
import { type Entry, type Source, type Usage } from '../../../session.ts'
import { messageReasoning } from '../../../server.ts'
import { type SourceChunk, uiSources } from './ui-sources.ts'

type Spoken = 'text' | 'reasoning'

type EntryOf<Type extends Entry['type']> = Extract<Entry, { readonly type: Type }>

/**
 * Turns the events of one turn into the AI SDK's UI message stream (version 1), as text to send. The message has the id
 * of the turn, each call is a step, and `data-foreword-call` names it, so that a page can show its manifest.
 */
export function uiMessageStream(session: string, turn: string): (event: SessionEvent) => string {
  const calls: string[] = []
  const usages: Usage[] = []
  const announced = new Set<string>()
  const answered = new Set<string>()
  const denied = new Set<string>()
  const sources = uiSources()
  /** What was streamed of the call that is running, and the part that is still open. */
  let told: Record<Spoken, string> = { text: '', reasoning: '' }
  let open: { readonly type: Spoken; readonly id: string } | undefined
  let parts = 0
  let inStep = false
  let started = false

  return (event) => start() + ofEvent(event)

  function ofEvent(event: SessionEvent): string {
    if (event.type === 'entry') return ofEntry(event.entry)
    if (event.type === 'interrupted') return close() + uiFailure(event.message)
    if (event.type === 'retry') return retry(event)
    return delta(event.type === 'text-delta' ? 'text' : 'reasoning', event.text)
  }

  /** Nothing was said yet, so nothing is open. A page may show it until the next chunk. */
  function retry({ call, attempt, waitMs, code, message }: Extract<SessionEvent, { type: 'retry' }>): string {
    return chunk({ type: 'data-foreword-retry', data: { call, attempt, waitMs, code, message }, transient: true })
  }

  function start(): string {
    if (started) return ''
    started = true
    return chunk({ type: 'start', messageId: turn, messageMetadata: { session, turn } })
  }

  function ofEntry(entry: Entry): string {
    sources.take(entry)
    switch (entry.type) {
      case 'assembly':
        return beginStep(entry.call)
      case 'message':
        return ofMessage(entry.message, entry.citations ?? [])
      case 'tool-start':
        return announce(entry.toolCallId, entry.toolName, entry.input)
      case 'approval-request':
        return question(entry)
      case 'approval':
        return decision(entry)
      case 'tool-end':
        return answer(entry.toolCallId, entry.ok, entry.output)
      case 'usage':
        usages.push(entry.usage)
        return entry.warning ? chunk({ type: 'data-foreword-notice', data: { type: 'warning', ...entry.warning } }) : ''
      case 'turn-end':
        return endStep() + end(entry.outcome)
      default:
        return ''
    }
  }

  function beginStep(call: string): string {
    const before = endStep()
    calls.push(call)
    inStep = true
    told = { text: '', reasoning: '' }
    sources.begin()
    return (
      before +
      chunk({ type: 'start-step' }) +
      chunk({ type: 'data-foreword-call', data: { call, session, turn }, transient: true })
    )
  }

  function endStep(): string {
    if (!inStep) return ''
    inStep = false
    return close() + chunk({ type: 'finish-step' })
  }

  function delta(type: Spoken, text: string): string {
    if (text === '') return ''
    told[type] += text
    const before = open?.type === type ? '' : close() + openPart(type)
    const said = `${before}data: {"type":"${type}-delta","id":"${open!.id}","delta":${JSON.stringify(text)}}\n\n`
    return type === 'text' ? said + chunks(sources.read(text)) : said
  }

  function openPart(type: Spoken): string {
    open = { type, id: `${turn}-${++parts}` }
    return chunk({ type: `${type}-start`, id: open.id })
  }

  function close(): string {
    if (open === undefined) return ''
    const { type, id } = open
    open = undefined
    return chunk({ type: `${type}-end`, id })
  }

  /** The whole of what was said: deltas that were missed are made up for, wrong ones are taken back. */
  function ofMessage(message: Message, cited: readonly Source[]): string {
    if (message.role === 'tool') return resultsOf(message)
    const whole = { text: messageText(message), reasoning: messageReasoning(message) }
    const continues = whole.text.startsWith(told.text) && whole.reasoning.startsWith(told.reasoning)
    let out = ''
    if (!continues) {
      out += close() + chunk({ type: 'reset-step' })
      sources.takeBack()
      told = { text: '', reasoning: '' }
    }
    out += delta('reasoning', whole.reasoning.slice(told.reasoning.length))
    out += delta('text', whole.text.slice(told.text.length))
    out += chunks(sources.end(cited))
    out += close()
    told = { text: '', reasoning: '' }
    for (const call of toolCalls(message)) out += announce(call.toolCallId, call.toolName, call.input)
    return out
  }

  /** The page does not know the tools of the gateway: to it they are dynamic. */
  function announce(toolCallId: string, toolName: string, input: unknown): string {
    if (announced.has(toolCallId)) return ''
    announced.add(toolCallId)
    return (
      close() +
      chunk({ type: 'tool-input-available', toolCallId, toolName, input, dynamic: true, providerExecuted: true })
    )
  }

  /** What the page has to show, and the digest to decide with, stand in the descriptor. */
  function question({ approval, toolCallId, rule, request, digest }: EntryOf<'approval-request'>): string {
    return (
      announce(toolCallId, request.tool, request.input) +
      chunk({
        type: 'tool-approval-request',
        approvalId: approval,
        toolCallId,
        reason: rule,
        approvalDescriptor: { ...request, digest },
      })
    )
  }

  function decision({ approval, toolCallId, decision: made }: EntryOf<'approval'>): string {
    if (!announced.has(toolCallId)) return ''
    const approved = made.type === 'approve'
    if (!approved) denied.add(toolCallId)
    const reason = made.type === 'deny' && made.reason !== undefined ? { reason: made.reason } : {}
    return chunk({ type: 'tool-approval-response', approvalId: approval, approved, ...reason, providerExecuted: true })
  }

  function answer(toolCallId: string, ok: boolean, output: string): string {
    if (answered.has(toolCallId) || !announced.has(toolCallId)) return ''
    answered.add(toolCallId)
    if (denied.has(toolCallId)) return chunk({ type: 'tool-output-denied', toolCallId })
    const common = { toolCallId, dynamic: true, providerExecuted: true }
    return ok
      ? chunk({ type: 'tool-output-available', output, ...common })
      : chunk({ type: 'tool-output-error', errorText: output, ...common })
  }

  /** Of tools that never ran: unknown, denied, or given bad input. */
  function resultsOf(message: Message): string {
    return toolResults(message)
      .map(({ toolCallId, output }) => {
        const ok = output.type === 'text' || output.type === 'json' || output.type === 'content'
        return answer(toolCallId, ok, outputText(output))
      })
      .join('')
  }

  function end(outcome: EntryOf<'turn-end'>['outcome']): string {
    const messageMetadata = { session, turn, calls, totals: turnTotals(calls.length, usages), outcome: outcome.type }
    const finish = (finishReason: string) => chunk({ type: 'finish', finishReason, messageMetadata })
    if (outcome.type === 'failed') return finish('error') + errorChunk(outcome.message) + DONE
    if (outcome.type === 'cancelled') return finish('other') + chunk({ type: 'abort', reason: 'cancelled' }) + DONE
    const message = outcomeNotice(outcome)
    const notice = message === undefined ? '' : chunk({ type: 'data-foreword-notice', data: { ...outcome, message } })
    return notice + finish(finishReasonOf(outcome)) + DONE
  }
}

/** What the AI SDK calls such an end. */
function finishReasonOf(outcome: EntryOf<'turn-end'>['outcome']): string {
  if (outcome.type === 'completed') return 'stop'
  if (outcome.type === 'content-filter') return outcome.type
  return 'limit' in outcome ? 'length' : 'other'
}

/** The last words of a stream that failed itself; the turn is not over by that. */
export function uiFailure(message: string): string {
  return errorChunk(message) + DONE
}

const DONE = 'data: [DONE]\n\n'

function errorChunk(errorText: string): string {
  return chunk({ type: 'error', errorText })
}

function chunk(value: { readonly type: string; readonly [key: string]: unknown }): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

function chunks(values: readonly SourceChunk[]): string {
  return values.map(chunk).join('')
}
