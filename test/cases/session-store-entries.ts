import {
  type ApprovalDecision,
  type CallRecord,
  type EntryBody,
  exportSession,
  type FileRow,
  type SessionStore,
  type TurnOutcome,
} from '../../src/session.ts'

/** Short forms of entries. By default a message costs 10 tokens, and 4 when its results are cleared. */
export const start: EntryBody = { type: 'session-start', title: 'A talk' }

export function input(turn: string, idempotencyKey?: string): EntryBody {
  const message = { role: 'user' as const, content: `question of ${turn}` }
  return { type: 'input', turn, message, tokens: cost(10), ...(idempotencyKey !== undefined && { idempotencyKey }) }
}

/** An input that names the turn that it follows. */
export function inputAfter(turn: string, parent: string | null): EntryBody {
  return { ...input(turn), parent } as EntryBody
}

export function turnStart(turn: string): EntryBody {
  return { type: 'turn-start', turn }
}

export function reply(turn: string, full = 10): EntryBody {
  return { type: 'message', turn, message: { role: 'assistant', content: `answer of ${turn}` }, tokens: cost(full) }
}

export function turnEnd(turn: string, outcome: TurnOutcome = { type: 'completed' }): EntryBody {
  return { type: 'turn-end', turn, outcome }
}

export function choice(name: string, value: string | null): EntryBody {
  return { type: 'choice', choice: name, value }
}

export function label(given: Omit<EntryBody & { type: 'label' }, 'type'>): EntryBody {
  return { type: 'label', ...given }
}

export function delivery(turn: string): EntryBody {
  return { type: 'delivered', turn, channel: 'web', messageId: `${turn}-sent` }
}

export function approvalRequest(turn: string, approval = 'p1'): EntryBody {
  return {
    type: 'approval-request',
    turn,
    call: 'c1',
    approval,
    toolCallId: 'tool-1',
    rule: 'approval=ask',
    request: { tool: 'shell', input: { cmd: 'ls -l' }, argv: ['ls', '-l'], folder: '/srv', facts: { writes: false } },
    digest: 'd1',
    read: [{ kind: 'web', ref: 'https://example.org/', tool: 'open_url', step: 1 }],
  }
}

export function approvalEntry(turn: string, decision: ApprovalDecision, approval = 'p1'): EntryBody {
  return { type: 'approval', turn, approval, toolCallId: 'tool-1', digest: 'd1', decision, by: 'cli' }
}

/** A call of a tool whose result was too long for the log. */
export function toolRun(turn: string, contentHash: string): readonly EntryBody[] {
  const ofCall = { turn, call: 'c1', toolCallId: 'tool-1' }
  return [
    { ...ofCall, type: 'tool-start', toolName: 'shell', input: { cmd: 'ls -l' } },
    {
      ...ofCall,
      type: 'tool-end',
      ok: true,
      output: 'total 7 …',
      durationMs: 12,
      origin: { kind: 'web', ref: 'https://example.org/' },
      stored: { id: 'r1', content: `sha256:${contentHash}`, characters: 90_000 },
    },
  ]
}

/** A turn of 20 tokens, from its input to its end. */
export function wholeTurn(turn: string): readonly EntryBody[] {
  return [input(turn), turnStart(turn), reply(turn), turnEnd(turn)]
}

export function call(id: string, facts: Partial<CallRecord> = {}): CallRecord {
  return {
    id,
    time: at(1),
    model: 'rehearsal',
    input: { layers: [] },
    manifest: {
      version: 1,
      layout: 'any',
      counter: { id: 'chars', version: '1' },
      budget: { window: 100, reserve: 10, margin: 0, available: 90 },
      used: 0,
      slots: { tools: 0, system: 0, preamble: 0, history: 0, 'before-input': 0, input: 0, 'after-input': 0 },
      entries: [],
      displaced: 0,
    },
    requestDigest: 'e3b0',
    ...facts,
  }
}

/** A text file of the session `a` that is ready. */
export function file(id: string, facts: Partial<FileRow> = {}): FileRow {
  const content = `sha256:${'c'.repeat(64)}`
  return {
    id,
    name: `${id}.txt`,
    time: at(1),
    owner: { type: 'session', id: 'a' },
    mediaType: 'text/plain',
    bytes: 12,
    hash: 'a'.repeat(64),
    state: { type: 'ready', reading: { kind: 'text', content, characters: 12, tokens: 3, counter: 'tokenx@2' } },
    ...facts,
  }
}

/** The time `second` seconds after the start of 2026, in ISO 8601. */
export function at(second: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
}

function cost(full: number) {
  return { counter: 'chars@1', full, least: Math.min(full, 4) }
}

/** A place for one store, empty at first. */
export interface StoreFixture {
  /** Opens the stored data. It may be called again after `close`. */
  open(): Promise<SessionStore>
  remove(): Promise<void>
}

/** Runs one case on its own store. `reopen` closes it and opens it again. Afterwards it is closed and removed. */
export type StoreCase = (name: string, run: StoreCaseBody) => void

type StoreCaseBody = (store: SessionStore, reopen: () => Promise<SessionStore>) => Promise<void>

/** Runs something on a new store, which is closed and removed afterwards. */
export async function withStore(makeFixture: () => Promise<StoreFixture>, run: StoreCaseBody): Promise<void> {
  const fixture = await makeFixture()
  let store = await fixture.open()
  try {
    await run(store, async () => {
      await store.close()
      store = await fixture.open()
      return store
    })
  } finally {
    await store.close()
    await fixture.remove()
  }
}

/** The lines of an export. */
export function exportLines(store: SessionStore, id = 'a'): Promise<readonly string[]> {
  return Array.fromAsync(exportSession(store, id))
}
