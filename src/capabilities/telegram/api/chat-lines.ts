import { type ChatLine, createChatLine, type LineWorld } from './chat-line.ts'
import { createPace } from './pace.ts'

/** A line for each chat that something was said in lately. */
export function chatLines(world: Omit<LineWorld, 'paces'>): (chat: number) => ChatLine {
  const lines = new Map<number, { line: ChatLine; rested: () => boolean }>()
  const all = createPace(ALL)
  return (chat) => {
    const known = lines.get(chat)
    if (known) return known.line
    for (const [other, { rested }] of lines) if (rested()) lines.delete(other)
    // Ids of people are positive, those of groups and channels negative.
    const { burst, everyMs } = chat > 0 ? PERSON : GROUP
    const own = createPace({ burst, everyMs })
    const line = createChatLine({ ...world, paces: [own, all] })
    lines.set(chat, { line, rested: () => line.idle && own.rested(world.now()) })
    return line
  }
}

/** Telegram's own limits: about one message a second to a person, 20 a minute to a group, 30 a second in all. */
const PERSON = { burst: 3, everyMs: 1_000 }
const GROUP = { burst: 5, everyMs: 4_000 }
const ALL = { burst: 5, everyMs: 40 }
