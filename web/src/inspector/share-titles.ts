import { messageText, type Scenario } from '../../../src/context.ts'

/** The most of a message that stands for its turn, characters. */
const MOST = 60

/** What people call the turns of a conversation, by their ids: how their first message begins. */
export function turnTitles({ history, current }: Scenario): ReadonlyMap<string, string> {
  return new Map(
    [...history, current].flatMap(({ id, messages }) => {
      const first = messages.find(({ role }) => role === 'user')
      const words = first === undefined ? '' : textOf(first).replaceAll(/\s+/g, ' ').trim()
      if (words === '') return []
      return [[id, words.length > MOST ? `“${words.slice(0, MOST).trimEnd()}…”` : `“${words}”`]]
    }),
  )
}

function textOf(message: Scenario['current']['messages'][number]): string {
  return messageText(message as Parameters<typeof messageText>[0])
}
