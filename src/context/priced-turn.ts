import { type Attachment, attachmentMessage, type FileFrame } from './attachment.ts'
import { type ImageSupport, markImages } from './image-marker.ts'
import { framedResults } from './marked-result.ts'
import { madeTokens, messageTokens, type TokenCounter } from './token-counter.ts'
import { type FormedMessage, inForm, type OutputForm, type PricedMessage } from './tool-output.ts'
import type { Turn, TurnMessage } from './turn.ts'
import { type Message, type ToolMessage, toolCalls, toolResults } from './message.ts'

/** A turn with the cost of its parts in each of their forms. */
export interface PricedTurn {
  readonly id: string
  readonly attachments: readonly PricedAttachment[]
  readonly messages: readonly FormedMessage[]
  readonly unpaired: readonly Unpaired[]
  /** Of messages and attachments in full. */
  readonly tokens: number
  /** The message at `index` with its tool outputs no fuller than `form`. */
  messageAt(index: number, form: OutputForm): FormedMessage
  /** The message at `index` with all of its tool outputs cleared, those of tools in `kept` too. */
  leastAt(index: number): FormedMessage
}

export interface PricedAttachment extends PricedMessage {
  readonly id: string
  readonly file: string
  readonly name: string
  readonly announces?: Attachment['announces'] | undefined
}

export function priceTurn(
  turn: Turn,
  attachments: readonly Attachment[],
  counter: TokenCounter,
  reader: string | undefined,
  { frame, kept, images }: PricingRules,
): PricedTurn {
  const { messages, unpaired } = pairMessages(turn.messages)
  const priced = messages.map((paired): FormedMessage => ({
    ...priceMessage(paired, counter, { frame, images }),
    form: 'full',
  }))
  const pricedAttachments = attachments.map((attachment) => priceAttachment(attachment, frame, counter))
  const known = new Map<OutputForm, FormedMessage[]>()
  const least: FormedMessage[] = []
  return {
    id: turn.id,
    attachments: pricedAttachments,
    messages: priced,
    unpaired,
    tokens: sumTokens(priced) + sumTokens(pricedAttachments),
    messageAt(index, form) {
      const message = priced[index]!
      if (form === 'full' || message.message.role !== 'tool') return message
      const formed = known.get(form) ?? []
      if (formed.length === 0) known.set(form, formed)
      return (formed[index] ??= inForm(message, form, counter, reader, kept))
    },
    leastAt(index) {
      const message = priced[index]!
      if (message.message.role !== 'tool') return message
      return (least[index] ??= inForm(message, 'tool-output-cleared', counter, reader))
    },
  }
}

/** What decides what a turn costs, besides its counter. */
interface PricingRules {
  readonly frame: FileFrame
  /** Tools whose results are made smaller only where the current turn does not fit beside them. */
  readonly kept?: ReadonlySet<string>
  readonly images?: ImageSupport | undefined
}

/** A message as it reaches the model, and its cost in that form. Where numbers are only given, a marker costs what its image did. */
function priceMessage(
  paired: PairedMessage,
  counter: TokenCounter,
  { frame, images }: Pick<PricingRules, 'frame' | 'images'>,
): PricedMessage {
  const { message, added } = framedResults(paired.message, frame)
  // Where numbers are only given, what is left of a message costs what the whole did: never too little.
  const whole = counter.made && (paired.wholeTokens ?? messageTokens(counter, paired.message))
  const given = paired.tokens ?? whole
  // Where the cost of a text is known, that of its frame is added: counting all of it again would take too long.
  const fullTokens =
    given === undefined
      ? messageTokens(counter, message)
      : added.reduce((sum, text) => sum + madeTokens(counter, text), given)
  const marked = images && markImages(message, images)
  if (!marked) return { message, tokens: fullTokens }
  const tokens = counter.made ? fullTokens : messageTokens(counter, marked.message)
  return { message: marked.message, tokens, marked: { images: marked.images, code: marked.code, fullTokens } }
}

export function sumTokens(priced: readonly { readonly tokens: number }[]): number {
  let sum = 0
  for (const { tokens } of priced) sum += tokens
  return sum
}

/** What messages cost with nothing made smaller and no image replaced. */
export function sumFullTokens(priced: readonly PricedMessage[]): number {
  let sum = 0
  for (const { tokens, marked } of priced) sum += marked?.fullTokens ?? tokens
  return sum
}

export function priceAttachment(attachment: Attachment, frame: FileFrame, counter: TokenCounter): PricedAttachment {
  const message = attachmentMessage(attachment, frame)
  const { id, file = id, name, tokens, announces } = attachment
  return { id, file, name, message, tokens: tokens ?? messageTokens(counter, message), announces }
}

interface PairedMessage extends TurnMessage {
  /** The given cost of the whole message, where only a part of it is left. Tokens. */
  readonly wholeTokens?: number
}

export interface Unpaired {
  readonly toolCallId: string
  /** The message with only the part that was taken out. */
  readonly message: Message
  /** The given cost of the whole message, where nothing of it is left. Tokens. */
  readonly tokens?: number
}

/**
 * A tool call and its result are kept or dropped together: a result answers a call of the nearest assistant message before
 * it, with nothing but results between. What has no partner is taken out.
 */
export function pairMessages(messages: readonly TurnMessage[]): {
  readonly messages: readonly PairedMessage[]
  readonly unpaired: readonly Unpaired[]
} {
  const hasTools = messages.some(({ message: { role, content } }) => {
    return role === 'tool' || (typeof content !== 'string' && content.some((part) => part.type === 'tool-call'))
  })
  const lonely = hasTools ? lonelyParts(messages.map(({ message }) => message)) : undefined
  if (!lonely || lonely.size === 0) return { messages, unpaired: [] }

  const kept: PairedMessage[] = []
  const unpaired: Unpaired[] = []
  for (const turnMessage of messages) {
    const { message } = turnMessage
    const content: readonly object[] = typeof message.content === 'string' ? [] : message.content
    const rest = content.filter((part) => !lonely.has(part))
    if (rest.length === content.length) {
      kept.push(turnMessage)
      continue
    }
    const { tokens } = turnMessage
    if (rest.length > 0) {
      kept.push({ message: withContent(message, rest), ...(tokens === undefined ? {} : { wholeTokens: tokens }) })
    }
    for (const part of [...toolCalls(message), ...toolResults(message)]) {
      if (!lonely.has(part)) continue
      const whole = rest.length === 0 && content.length === 1
      unpaired.push({
        toolCallId: part.toolCallId,
        message: withContent(message, [part]),
        ...(whole && tokens !== undefined ? { tokens } : {}),
      })
    }
  }
  return { messages: kept, unpaired }
}

function lonelyParts(messages: readonly Message[]): ReadonlySet<object> {
  const lonely = new Set<object>()
  const open = new Map<string, object>()
  const closeAll = () => {
    if (open.size === 0) return
    for (const call of open.values()) lonely.add(call)
    open.clear()
  }
  for (const message of messages) {
    if (message.role !== 'tool') closeAll()
    for (const call of toolCalls(message)) {
      if (call.providerExecuted) continue
      const twin = open.get(call.toolCallId)
      if (twin) lonely.add(twin)
      open.set(call.toolCallId, call)
    }
    for (const result of toolResults(message)) {
      if (!open.delete(result.toolCallId)) lonely.add(result)
    }
  }
  closeAll()
  return lonely
}

/** The parts are the message's own, so they have the content type of its role. */
function withContent(message: Message, content: readonly object[]): Message {
  return { ...message, content: content as ToolMessage['content'] } as Message
}
