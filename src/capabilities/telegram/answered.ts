import type { Message } from 'grammy/types'
import { shortened } from './shown-text.ts'
import { speakerOf } from './speaker.ts'
import type { BotName } from './message-text.ts'

/** The message that a message answers: what somebody points at who says "this". */
export interface Answered {
  /** Who wrote it; `you` is the agent itself. */
  readonly by: string
  /** Its words on one line, shortened; or the passage that was picked out of it. */
  readonly text: string
}

/** Characters of somebody else's words. */
const MOST = 1_000
/** Characters of what the agent said itself: it knows the rest. */
const MOST_OF_OWN = 200

/** `undefined` where nothing with words is answered. The first message of a topic is answered by all, which says nothing. */
export function answeredIn({ reply_to_message: answered, quote }: Message, me: BotName): Answered | undefined {
  if (!answered || answered.forum_topic_created !== undefined) return undefined
  const line = (quote?.text ?? answered.text ?? answered.caption ?? '')
    .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
  if (line === '') return undefined
  const isOwn = answered.from?.id === me.id
  return { by: isOwn ? 'you' : speakerOf(answered).name, text: shortened(line, isOwn ? MOST_OF_OWN : MOST) }
}
