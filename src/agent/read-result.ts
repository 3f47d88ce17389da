import { fittingPage } from '../capability/toolkit.ts'
import { type Entry, type LogStore, readReferredContent, type SessionStore, type StoredResult } from '../session.ts'
import type { Tool } from '../tool.ts'

/** Entries that are read at once, from the newest backwards. */
const PAGE = 500

/** The tool `read_result`: reads, in pages, a tool result of this session that was too long to be shown. */
export function readResultTool(store: Pick<SessionStore, 'entries' | 'session' | 'content'>): Tool {
  return {
    name: 'read_result',
    description: 'More of a long tool result.',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string' }, offset: { type: 'integer' } },
      required: ['id'],
    },
    idempotent: true,
    readsContext: true,
    async execute(input, { session, room }) {
      // The toolbox has checked it against the schema above.
      const { id, offset = 0 } = input as { readonly id: string; readonly offset?: number }
      if (offset < 0) return { ok: false, error: 'invalid input: offset must be at least 0' }
      const stored = await storedResult(store, session, id)
      const text = stored && (await readReferredContent(store, stored.content))
      if (text === undefined) return { ok: false, error: `there is no stored result ${id} in this conversation` }
      return { ok: true, output: fittingPage(text, offset, room) }
    },
  }
}

async function storedResult(
  store: Pick<LogStore, 'entries' | 'session'>,
  session: string,
  id: string,
): Promise<StoredResult | undefined> {
  let upTo = (await store.session(session))?.entries ?? 0
  while (upTo > 0) {
    const after = Math.max(0, upTo - PAGE)
    const entries: readonly Entry[] = await store.entries(session, { types: ['tool-end'], after, upTo })
    const found = entries.findLast((entry) => entry.type === 'tool-end' && entry.stored?.id === id)
    if (found?.type === 'tool-end') return found.stored
    upTo = after
  }
  return undefined
}
