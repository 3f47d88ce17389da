import type { Unpaired } from './pairing.ts'
import { omitted, type Section } from './section.ts'
import { messageTokens, type TokenCounter } from './token-counter.ts'

/** Calls and results that were taken out because their partner is missing. */
export function unpairedSections(
  turn: string,
  unpaired: readonly Unpaired[],
  slot: 'history' | 'input',
  counter: TokenCounter,
): readonly Section[] {
  return unpaired.map(({ toolCallId, message, tokens }, index) =>
    omitted({
      id: `${turn}/unpaired-${index + 1}`,
      layer: 'unpaired',
      slot,
      fullTokens: tokens ?? messageTokens(counter, message),
      reason: { code: 'unpaired', toolCallId },
      origin: message.role === 'tool' ? { kind: 'tool', ref: toolCallId } : { kind: 'model', ref: toolCallId },
    }),
  )
}
