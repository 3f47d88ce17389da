import type { Message } from '../../src/context.ts'
import type { EntryBody, SessionStore } from '../../src/session.ts'

/** One turn of a log that a test writes by hand: what a person said, and what was said and done for it. */
export interface LoggedTurn {
  readonly said: string
  readonly messages?: readonly Message[]
}

const tokens = { counter: 'tokenx@2', full: 10, least: 10 }

/** Writes turns into a session, as a runtime would have, and makes the session where it is missing. */
export async function logHistory(
  store: SessionStore,
  session: string,
  turns: readonly LoggedTurn[],
  { time = '2026-01-05T10:00:00.000Z', conversation }: { time?: string; conversation?: string } = {},
): Promise<void> {
  const row = await store.session(session)
  const channel = conversation === undefined ? {} : { channel: { channel: 'test', conversation } }
  const start: readonly EntryBody[] = row ? [] : [{ type: 'session-start', ...channel }]
  const first = row?.turns ?? 0
  const bodies = turns.flatMap(({ said, messages = [] }, index): readonly EntryBody[] => {
    const turn = `${session}-turn-${first + index + 1}`
    return [
      { type: 'input', turn, message: { role: 'user', content: said }, tokens },
      { type: 'turn-start', turn },
      ...messages.map((message): EntryBody => ({ type: 'message', turn, message, tokens })),
      { type: 'turn-end', turn, outcome: { type: 'completed' } },
    ]
  })
  await store.append(session, [...start, ...bodies], time)
}

/** A call of a tool and its result, as two messages. */
export function calledTool(id: string, toolName: string, input: unknown, output: string): readonly Message[] {
  return [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName, input }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: id, toolName, output: { type: 'text', value: output } }],
    },
  ]
}
