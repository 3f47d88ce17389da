import type { StopReason } from '@agentclientprotocol/sdk'
import type { TurnOutcome } from '../../session.ts'

/** How a prompt ends for an editor. `undefined`: it failed, and its error says why. */
export function turnStopReason(outcome: TurnOutcome): StopReason | undefined {
  switch (outcome.type) {
    case 'completed':
    case 'other':
      return 'end_turn'
    case 'length':
      return 'max_tokens'
    // Without a limit the model itself ended an answer that has no words.
    case 'empty':
    case 'reasoning-only':
      return outcome.limit === undefined ? 'end_turn' : 'max_tokens'
    case 'content-filter':
      return 'refusal'
    case 'cancelled':
      return 'cancelled'
    case 'failed':
      // The model called a tool in the last of the calls that `agent.maxSteps` allows.
      return outcome.code === 'no-answer' ? 'max_turn_requests' : undefined
  }
}
