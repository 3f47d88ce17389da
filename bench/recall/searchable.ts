import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../src/platform.ts'
import { type HistoryItem, openRecallIndex } from '../../src/search.ts'

/** One message of a conversation. */
export interface Said {
  readonly id: string
  readonly session: string
  readonly text: string
  /** ISO 8601. By default all messages have the same time. */
  readonly time?: string
}

/** Searches a conversation. Returns ids, best first. */
export type Search = (question: string, limit: number) => readonly string[]

/** A filled index of one conversation. */
export interface Way {
  readonly name: string
  fill(conversation: readonly Said[]): Promise<{ readonly search: Search; close(): void }>
}

const TIME = '2026-01-01T00:00:00.000Z'

/** The index of the history, in memory. */
const recall: Way = {
  name: 'foreword',
  async fill(conversation) {
    const index = await openRecallIndex({ clock: systemClock, path: ':memory:' })
    for (const [session, said] of Map.groupBy(conversation, (each) => each.session)) {
      index.add([
        {
          session,
          created: said[0]?.time ?? TIME,
          from: 0,
          upTo: said.length,
          mark: said.at(-1)?.time ?? TIME,
          items: said.map(itemOf),
        },
      ])
    }
    return {
      search: (text, limit) => index.find({ text, limit }).passages.map(({ turn }) => turn),
      close: () => index.close(),
    }
  },
}

export function itemOf({ id, text, time = TIME }: Omit<Said, 'session'>, index: number): HistoryItem {
  const role = index % 2 === 0 ? 'user' : 'assistant'
  return { turn: id, ordinal: index + 1, seq: index + 1, time, kind: 'message', role, text }
}

/** FTS5 with its defaults, a row for each message, any word of the question. */
const plain = (name: string, tokenizer: string): Way => ({
  name,
  async fill(conversation) {
    const database = new DatabaseSync(':memory:')
    database.exec(`create virtual table said using fts5(text, tokenize = '${tokenizer}')`)
    const insert = database.prepare('insert into said (rowid, text) values (?, ?)')
    conversation.forEach(({ text }, index) => insert.run(index + 1, text))
    const select = database.prepare('select rowid from said where said match ? order by rank limit ?')
    return {
      search(question, limit) {
        const words = question.match(/[\p{L}\p{N}]+/gu) ?? []
        if (words.length === 0) return []
        const rows = select.all(words.map((word) => `"${word}"`).join(' OR '), limit)
        return rows.map((row) => conversation[Number(row['rowid']) - 1]!.id)
      },
      close: () => database.close(),
    }
  },
})

/** Messages with every word of the question, newest first. */
const everyWord: Way = {
  name: 'every word in one message',
  async fill(conversation) {
    const lower = conversation.map(({ id, text }) => ({ id, text: text.toLowerCase() })).toReversed()
    return {
      search(question, limit) {
        const words = question.toLowerCase().split(/\s+/).filter(Boolean)
        return lower
          .filter(({ text }) => words.every((word) => text.includes(word)))
          .slice(0, limit)
          .map(({ id }) => id)
      },
      close() {},
    }
  },
}

export const ways: readonly Way[] = [
  everyWord,
  plain('FTS5', 'unicode61'),
  plain('FTS5, Porter stems', 'porter unicode61'),
  recall,
]
