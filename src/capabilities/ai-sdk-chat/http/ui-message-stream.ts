import { messageReasoning, messageText, toolCalls, toolResults, outputText, type Message } from '../../../context.ts'
import { outcomeNotice, type SessionEvent, turnTotals } from '../../../runtime.ts'
import type { Entry, CitationSource, Usage } from '../../../session.ts'
import { citationReader, citedNumbers, type CitationPiece, isWebAddress } from '../../../citation.ts'

type StreamedPart = 'text' | 'reasoning'

type EntryWithType<Type extends Entry['type']> = Extract<Entry, { readonly type: Type }>

/**
 * Converts the events of one turn to the AI SDK's UI message stream (version 1), as text to send. The message has the
 * id of the turn. Each call is a step, and `data-foreword-call` names it.
 */
export function uiMessageStream(session: string, turn: string): (event: SessionEvent) => string {
  const calls: string[] = []
  const usages: Usage[] = []
  const announced = new Set<string>()
  const answered = new Set<string>()
  const denied = new Set<string>()
  const sources = uiSources()
  let sent: Record<StreamedPart, string> = { text: '', reasoning: '' }
  let open: { readonly type: StreamedPart; readonly id: string } | undefined
  let parts = 0
  let inStep = false
  let started = false

  return (event) => start() + eventChunks(event)

  function eventChunks(event: SessionEvent): string {
    if (event.type === 'entry') return entryChunks(event.entry)
    if (event.type === 'interrupted') return close() + uiFailure(event.message)
    if (event.type === 'retry') return retry(event)
    return delta(event.type === 'text-delta' ? 'text' : 'reasoning', event.text)
  }

  /** There is no text yet, so no part is open. A page may show this until the next chunk. */
  function retry({ call, attempt, waitMs, code, message, model }: Extract<SessionEvent, { type: 'retry' }>): string {
    const data = { call, attempt, waitMs, code, message, model }
    return chunk({ type: 'data-foreword-retry', data, transient: true })
  }

  function start(): string {
    if (started) return ''
    started = true
    return chunk({ type: 'start', messageId: turn, messageMetadata: { session, turn } })
  }

  function entryChunks(entry: Entry): string {
    sources.addEntry(entry)
    switch (entry.type) {
      case 'assembly':
        return beginStep(entry.call)
      case 'message':
        return messageChunks(entry.message, entry.citations ?? [])
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
    sent = { text: '', reasoning: '' }
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

  function delta(type: StreamedPart, text: string): string {
    if (text === '') return ''
    sent[type] += text
    const before = open?.type === type ? '' : close() + openPart(type)
    const said = `${before}data: {"type":"${type}-delta","id":"${open!.id}","delta":${JSON.stringify(text)}}\n\n`
    return type === 'text' ? said + chunks(sources.read(text)) : said
  }

  function openPart(type: StreamedPart): string {
    open = { type, id: `${turn}-${++parts}` }
    return chunk({ type: `${type}-start`, id: open.id })
  }

  function close(): string {
    if (open === undefined) return ''
    const { type, id } = open
    open = undefined
    return chunk({ type: `${type}-end`, id })
  }

  /** The complete message: adds missing deltas, and resets the step where its deltas differ. */
  function messageChunks(message: Message, cited: readonly CitationSource[]): string {
    if (message.role === 'tool') return resultChunks(message)
    const whole = { text: messageText(message), reasoning: messageReasoning(message) }
    const continues = whole.text.startsWith(sent.text) && whole.reasoning.startsWith(sent.reasoning)
    let out = ''
    if (!continues) {
      out += close() + chunk({ type: 'reset-step' })
      sources.takeBack()
      sent = { text: '', reasoning: '' }
    }
    out += delta('reasoning', whole.reasoning.slice(sent.reasoning.length))
    out += delta('text', whole.text.slice(sent.text.length))
    out += chunks(sources.end(cited))
    out += close()
    sent = { text: '', reasoning: '' }
    for (const call of toolCalls(message)) out += announce(call.toolCallId, call.toolName, call.input)
    return out
  }

  /** The page does not know the tools of the gateway, so they are dynamic. */
  function announce(toolCallId: string, toolName: string, input: unknown): string {
    if (announced.has(toolCallId)) return ''
    announced.add(toolCallId)
    return (
      close() +
      chunk({ type: 'tool-input-available', toolCallId, toolName, input, dynamic: true, providerExecuted: true })
    )
  }

  /** The descriptor has what the page shows, and the digest for the decision. */
  function question(entry: EntryWithType<'approval-request'>): string {
    const { approval, rule, request, digest, read, held, grant } = entry
    // Several calls to a model may wait in one turn, and none of them is a call of a tool.
    const toolCallId = held ? approval : entry.toolCallId
    return (
      announce(toolCallId, request.tool, request.input) +
      chunk({
        type: 'tool-approval-request',
        approvalId: approval,
        toolCallId,
        reason: rule,
        approvalDescriptor: {
          ...request,
          digest,
          ...(read && { read }),
          ...(held && { held }),
          ...(grant && { grant }),
        },
      })
    )
  }

  function decision(entry: EntryWithType<'approval'>): string {
    const { approval, decision: made } = entry
    const isHeld = announced.has(approval)
    const toolCallId = isHeld ? approval : entry.toolCallId
    if (!announced.has(toolCallId)) return ''
    const approved = made.type !== 'deny'
    if (!approved) denied.add(toolCallId)
    const reason = made.type === 'deny' && made.reason !== undefined ? { reason: made.reason } : {}
    const response = {
      type: 'tool-approval-response',
      approvalId: approval,
      approved,
      ...reason,
      providerExecuted: true,
    }
    return (
      chunk(response) +
      (isHeld ? answer(toolCallId, approved, made.type === 'withdraw' ? made.reason : 'The call is made.') : '')
    )
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

  /** Results of calls that never ran: unknown tools, denied calls, or invalid input. */
  function resultChunks(message: Message): string {
    return toolResults(message)
      .map(({ toolCallId, output }) => {
        const ok = output.type === 'text' || output.type === 'json' || output.type === 'content'
        return answer(toolCallId, ok, outputText(output))
      })
      .join('')
  }

  function end(outcome: EntryWithType<'turn-end'>['outcome']): string {
    const messageMetadata = { session, turn, calls, totals: turnTotals(calls.length, usages), outcome: outcome.type }
    const finish = (reason: string) => chunk({ type: 'finish', finishReason: reason, messageMetadata })
    if (outcome.type === 'failed') return finish('error') + errorChunk(outcome.message) + DONE
    if (outcome.type === 'cancelled') return finish('other') + chunk({ type: 'abort', reason: 'cancelled' }) + DONE
    const message = outcomeNotice(outcome)
    const notice = message === undefined ? '' : chunk({ type: 'data-foreword-notice', data: { ...outcome, message } })
    return notice + finish(finishReason(outcome)) + DONE
  }
}

function finishReason(outcome: EntryWithType<'turn-end'>['outcome']): string {
  if (outcome.type === 'completed') return 'stop'
  if (outcome.type === 'content-filter') return outcome.type
  return 'limit' in outcome ? 'length' : 'other'
}

/** The end of a stream that failed. The turn itself may continue. */
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

interface SourceChunk {
  readonly type: 'source-url' | 'source-document'
  readonly sourceId: string
  readonly [field: string]: unknown
}

/**
 * Reports each source when it is first cited, as a `source-url` or `source-document` chunk of the AI SDK.
 * Without citations yet, the text keeps its markers as the model wrote them.
 */
function uiSources() {
  const known = new Map<number, CitationSource>()
  const reported = new Set<number>()
  let reportedInCall: number[] = []
  let reader = newReader()

  function newReader() {
    return citationReader((number) => known.has(number))
  }

  function report(sources: readonly CitationSource[]): readonly SourceChunk[] {
    return sources
      .filter(({ citation }) => !reported.has(citation))
      .map((source) => {
        reported.add(source.citation)
        reportedInCall.push(source.citation)
        return sourceChunk(source)
      })
  }

  function pieceChunks(pieces: readonly CitationPiece[]): readonly SourceChunk[] {
    return report(citedNumbers(pieces).flatMap((number) => known.get(number) ?? []))
  }

  return {
    /** Called with every entry of the turn, in order: some name sources. */
    addEntry(entry: Entry): void {
      if (entry.type !== 'assembly' && entry.type !== 'tool-end') return
      for (const source of entry.sources ?? []) if (!known.has(source.citation)) known.set(source.citation, source)
    },
    begin(): void {
      reportedInCall = []
      reader = newReader()
    },

    /** The chunks of the sources that the next piece of text cites. */
    read: (text: string) => pieceChunks(reader.read(text)),

    /** Discards the text of this call and the sources that it reported. */
    takeBack(): void {
      for (const number of reportedInCall) reported.delete(number)
      this.begin()
    },

    /** The message is complete. `cited`: its citations in the log. */
    end: (cited: readonly CitationSource[]) => [...pieceChunks(reader.end()), ...report(cited)],
  }
}

/** The model received the text of a file. `providerMetadata` has the position in it. */
function sourceChunk(source: CitationSource): SourceChunk {
  const { citation, document, title, url, start, end, page, headings } = source
  const place = Object.entries({ citation, document, start, end, page, headings })
  const providerMetadata = { foreword: Object.fromEntries(place.filter(([, value]) => value !== undefined)) }
  if (isWebAddress(url)) return { type: 'source-url', sourceId: document, url, title, providerMetadata }
  return { type: 'source-document', sourceId: document, mediaType: 'text/plain', title, providerMetadata }
}
