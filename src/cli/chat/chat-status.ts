import { defined } from '../../platform.ts'
import type { Conversation } from './conversation.ts'
import { preview } from '../preview.ts'
import { type Prices, sessionCost } from './session-cost.ts'
import type { ChatStatus } from './status-text.ts'

/** What is known of the next call of a talk. Where it cannot be made, the model alone. */
export async function chatStatus(conversation: Conversation, prices: Prices): Promise<ChatStatus> {
  const { connection, session } = conversation
  try {
    const { model, manifest } = await preview(connection, { session })
    const { window, reserve } = manifest.budget
    // Where the model has no price there is no cost to add up.
    const known = session !== undefined && (await prices(model)) !== undefined
    const { money } = known ? await sessionCost(connection, session, prices) : {}
    return { model, used: manifest.used, window, reserve, ...defined({ money }) }
  } catch {
    return { model: await conversation.model().catch(() => '?') }
  }
}
