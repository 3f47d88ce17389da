import { messageText, outputText, toolCalls, type ToolCallPart, toolResults, wholeCharacter } from '../../context.ts'
import type { HistoryItem } from '../../search.ts'
import { type Entry, referredContent, type SessionStore } from '../../session.ts'

type HistoryStore = Pick<SessionStore, 'entries' | 'turn' | 'content'>

/** Tools that read the history: what they were asked and what they gave is no evidence of anything. */
const READERS: ReadonlySet<string> = new Set(['read_history', 'read_result'])
const EXCERPT = 200
/** Entries before a result among which its call is looked for: those of one step. */
const LOOKED_BACK = 200

/**
 * What an entry of a log says, for the index: what a person or a model said, and each call of a tool beside its result, of
 * a long result all that was kept. None for entries that say nothing.
 */
export async function itemsOf(store: HistoryStore, entry: Entry): Promise<readonly HistoryItem[]> {
  if (entry.type !== 'input' && entry.type !== 'message') return []
  const { session, turn, seq, time, message } = entry
  const place = { turn, ordinal: (await store.turn(session, turn))?.ordinal ?? 0, seq, time }
  if (message.role === 'tool') return callItems(store, entry, place)
  const files = entry.type === 'input' ? (entry.attachments ?? []).map(({ name }) => `[file: ${name}]`) : []
  const text = [...files, messageText(message)].filter((part) => part.trim() !== '').join('\n')
  return text === '' ? [] : [{ ...place, kind: 'message', role: message.role, text }]
}

type Said = Extract<Entry, { type: 'input' | 'message' }>
type Placed = Pick<HistoryItem, 'turn' | 'ordinal' | 'seq' | 'time'>

async function callItems(store: HistoryStore, entry: Said, place: Placed): Promise<readonly HistoryItem[]> {
  const results = toolResults(entry.message).filter(({ toolName }) => !READERS.has(toolName))
  if (results.length === 0) return []
  const { session, turn, seq: upTo } = entry
  const before = await store.entries(session, { turn, upTo, types: ['message', 'tool-end'], last: LOOKED_BACK })
  return Promise.all(
    results.map(async ({ toolCallId, toolName, output }): Promise<HistoryItem> => {
      const asked = before.map((each) => callIn(each, toolCallId)).findLast((call) => call !== undefined)
      const end = before.findLast((each) => each.type === 'tool-end' && each.toolCallId === toolCallId)
      const { ok, stored } = end?.type === 'tool-end' ? end : {}
      // A text that is lost is no reason to stop: what the model read of it is in the log.
      const whole = (stored && (await referredContent(store, stored.content))) ?? outputText(output)
      const input = asked === undefined ? '' : JSON.stringify(asked.input)
      const call = { id: toolCallId, name: toolName, input: oneLine(input), outcome: oneLine(whole), ok }
      return { ...place, kind: 'call', role: 'tool', text: `${toolName} ${input}\n${whole}`, call }
    }),
  )
}

function callIn(entry: Entry, toolCallId: string): ToolCallPart | undefined {
  if (entry.type !== 'message') return undefined
  return toolCalls(entry.message).find((call) => call.toolCallId === toolCallId)
}

function oneLine(text: string): string {
  const line = text
    .slice(0, 4 * EXCERPT)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length <= EXCERPT ? line : `${line.slice(0, wholeCharacter(line, EXCERPT - 1))}…`
}
