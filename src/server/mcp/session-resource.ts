import { defined } from '../../platform.ts'
import { type AnyMessage, messageText, toolCalls } from '../../context.ts'
import type { Entry, LogStore } from '../../session.ts'
import type { ResourceText } from '../../capability.ts'

/** The most turns of a session that are read at once, and the most characters of all they say. The newest are kept. */
const TURNS = 50
const CHARACTERS = 100_000

interface SessionTurn {
  readonly turn: string
  /** ISO 8601: when it was asked. */
  readonly time: string
  readonly state: string
  readonly messages: readonly { readonly role: string; readonly text: string; readonly calls?: readonly string[] }[]
}

/** The newest turns of a session, oldest of them first. `earlier` says how many came before. */
export async function readSession(store: LogStore, id: string): Promise<ResourceText | undefined> {
  const session = await store.session(id)
  if (session === undefined) return undefined
  const turns: SessionTurn[] = []
  let room = CHARACTERS
  for (const { turn, inputTime, state } of await store.turns(id, { limit: TURNS })) {
    const said = turnMessages(await store.entries(id, { turn, types: ['input', 'message'] }))
    room -= said.reduce((sum, { text }) => sum + text.length, 0)
    if (room < 0 && turns.length > 0) break
    turns.unshift({ turn, time: inputTime, state, messages: room < 0 ? cut(said) : said })
    if (room < 0) break
  }
  const { title, created, updated, choices } = session
  const text = JSON.stringify({
    session: id,
    ...defined({ title }),
    ...choices,
    created,
    updated,
    earlier: session.turns - turns.length,
    turns,
  })
  return { mimeType: 'application/json', text }
}

function turnMessages(entries: readonly Entry[]): SessionTurn['messages'] {
  return entries.flatMap((entry) => {
    if (entry.type !== 'input' && entry.type !== 'message') return []
    const message: AnyMessage = entry.message
    // What tools answered is long, and in the log; what was asked of them says enough here.
    if (message.role === 'tool') return []
    const calls = toolCalls(message).map(({ toolName }) => toolName)
    return [{ role: message.role, text: messageText(message), ...(calls.length === 0 ? {} : { calls }) }]
  })
}

/** The newest turn alone is too long: each of its messages keeps its beginning. */
function cut(messages: SessionTurn['messages']): SessionTurn['messages'] {
  const share = Math.floor(CHARACTERS / messages.length)
  return messages.map((message) =>
    message.text.length <= share
      ? message
      : { ...message, text: `${message.text.slice(0, share)}… [${message.text.length - share} more characters]` },
  )
}
