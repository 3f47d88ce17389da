import { openStore } from '../../src/session.ts'
import { storePath } from '../cli/store-path.ts'
import { systemClock } from '../../src/platform.ts'

const counted = { counter: 'chars@1', full: 40, least: 20 } as const

/** Writes a session with this many turns, each a message and an answer, into a home that no gateway uses yet. */
export async function writeLongSession(home: string, session: string, turns: number): Promise<void> {
  const store = await openStore({ clock: systemClock, path: storePath(home) })
  const time = '2026-01-01T00:00:00.000Z'
  await store.append(session, [{ type: 'session-start', title: 'A long conversation' }], time)
  for (let number = 1; number <= turns; number++) {
    const turn = `turn_${number}`
    await store.append(
      session,
      [
        { type: 'input', turn, message: { role: 'user', content: `Question ${number}` }, tokens: counted },
        { type: 'turn-start', turn },
        {
          type: 'message',
          turn,
          message: { role: 'assistant', content: [{ type: 'text', text: answerText(number) }] },
          tokens: counted,
        },
        { type: 'turn-end', turn, outcome: { type: 'completed' } },
      ],
      time,
    )
  }
  await store.close()
}

/** Writes this many sessions of one message each: `Conversation 1`, `Conversation 2`, the last the newest. */
export async function writeSessions(home: string, count: number): Promise<void> {
  const store = await openStore({ clock: systemClock, path: storePath(home) })
  const start = Date.UTC(2026, 0, 1)
  for (let number = 1; number <= count; number++) {
    const session = `session_${String(number).padStart(6, '0')}`
    const message = { role: 'user', content: `Question of conversation ${number}` } as const
    await store.append(
      session,
      [
        { type: 'session-start', title: `Conversation ${number}` },
        { type: 'input', turn: 't', message, tokens: counted },
        { type: 'turn-end', turn: 't', outcome: { type: 'cancelled' } },
      ],
      new Date(start + number * 1_000).toISOString(),
    )
  }
  await store.close()
}

function answerText(number: number): string {
  return `Answer ${number}.\n\n- one\n- two with \`code\`\n\n| a | b |\n|---|---|\n| ${number} | 2 |\n\nAnd *some* more **words** at the end.`
}
