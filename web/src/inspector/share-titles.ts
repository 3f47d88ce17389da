import { messageText, type Scenario } from '../../../src/context.ts'

/** The most of a message that stands for its turn, characters. */
const MOST = 60

/** What people call the turns and the files of a conversation, by their ids: a turn is called as its first message begins. */
export function conversationTitles({ history, current, attachments }: Scenario): ReadonlyMap<string, string> {
  const files = attachments.map(({ id, name }) => [id, name] as const)
  return new Map([
    ...files,
    ...[...history, current].flatMap(({ id, messages }) => {
      const first = messages.find(({ role }) => role === 'user')
      const words = first === undefined ? '' : textOf(first).replaceAll(/\s+/g, ' ').trim()
      if (words === '') return []
      return [[id, words.length > MOST ? `“${words.slice(0, MOST).trimEnd()}…”` : `“${words}”`] as const]
    }),
  ])
}

function textOf(message: Scenario['current']['messages'][number]): string {
  return messageText(message as Parameters<typeof messageText>[0])
}
