import { type Attachment, attachmentMessage } from './attachment.ts'
import { pair, type Unpaired } from './pairing.ts'
import { messageTokens, type TokenCounter } from './token-counter.ts'
import { type FormedMessage, messageForms, type OutputForm, outputForms, type PricedMessage } from './tool-output.ts'
import type { Turn } from './turn.ts'

/** A turn with the cost of everything in it, in each form it can take. */
export interface PricedTurn {
  readonly id: string
  readonly attachments: readonly PricedAttachment[]
  readonly messages: readonly PricedMessage[]
  readonly unpaired: readonly Unpaired[]
  /** Of messages and attachments in full. */
  readonly tokens: number
  /** The turn with its tool outputs no fuller than `form`. */
  at(form: OutputForm): TurnForm
}

export interface PricedAttachment extends PricedMessage {
  readonly id: string
}

/** What a turn is when its tool outputs have stepped down. */
export interface TurnForm {
  /** The smallest form that was of use to one of its messages. */
  readonly form: OutputForm
  readonly messages: readonly PricedMessage[]
  /** Of the messages, without attachments. */
  readonly messageTokens: number
  /** Of messages and attachments. */
  readonly tokens: number
}

export function priceTurn(
  turn: Turn,
  attachments: readonly Attachment[],
  counter: TokenCounter,
  reader: string | undefined,
): PricedTurn {
  const { messages, unpaired } = pair(turn.messages)
  const priced = messages.map(({ message, tokens }) => ({ message, tokens: tokens ?? messageTokens(counter, message) }))
  const pricedAttachments = attachments.map((attachment) => priceAttachment(attachment, counter))
  const attachmentTokens = sumTokens(pricedAttachments)
  const full = sumTokens(priced)

  const known = new Map<OutputForm, TurnForm>()
  let forms: readonly (readonly FormedMessage[])[] | undefined
  return {
    id: turn.id,
    attachments: pricedAttachments,
    messages: priced,
    unpaired,
    tokens: full + attachmentTokens,
    at(form) {
      if (form === 'full') return { form, messages: priced, messageTokens: full, tokens: full + attachmentTokens }
      const before = known.get(form)
      if (before) return before
      forms ??= priced.map((message) => messageForms(message, counter, reader))
      const found = formed(
        forms.map((choices) => noFullerThan(choices, form)),
        attachmentTokens,
      )
      known.set(form, found)
      return found
    },
  }
}

export function sumTokens(priced: readonly { readonly tokens: number }[]): number {
  let sum = 0
  for (const { tokens } of priced) sum += tokens
  return sum
}

/** The smallest of a message's forms that is not smaller than asked for. */
export function noFullerThan(choices: readonly FormedMessage[], form: OutputForm): FormedMessage {
  const limit = outputForms.indexOf(form)
  return choices.findLast((choice) => outputForms.indexOf(choice.form) <= limit)!
}

/** The smallest form among messages. */
export function smallestForm(messages: readonly FormedMessage[]): OutputForm {
  return outputForms.findLast((form) => messages.some((message) => message.form === form)) ?? 'full'
}

function formed(messages: readonly FormedMessage[], attachmentTokens: number): TurnForm {
  const tokens = sumTokens(messages)
  return { form: smallestForm(messages), messages, messageTokens: tokens, tokens: tokens + attachmentTokens }
}

function priceAttachment(attachment: Attachment, counter: TokenCounter): PricedAttachment {
  const message = attachmentMessage(attachment)
  return { id: attachment.id, message, tokens: attachment.tokens ?? messageTokens(counter, message) }
}
