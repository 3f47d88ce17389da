import { type AnyMessage, toolResults } from '../../context.ts'
import { type Entry, type SessionStore, toolSumsOf } from '../../session.ts'

/** What the log of a session says about who its calls were for, and about what tools gave. */
export interface SessionFacts {
  channelOf(turn: string): string | undefined
  tokenOf(turn: string): string | undefined
  /** What the session had chosen under a name when an entry had been written. */
  chosen(choice: string, upTo: number): string | undefined
  /** What tools gave in a turn up to an entry, and all tokens of the turn, both in full or in their least form. */
  given(turn: string, options: { readonly upTo: number; readonly isFull: boolean }): GivenInTurn
}

interface GivenInTurn {
  readonly tokens: number
  readonly results: readonly Given[]
}

/** One result. `named`: what the model named in its call. */
interface Given {
  readonly tool: string
  readonly named?: string
  readonly tokens: number
}

interface Counted {
  readonly seq: number
  readonly full: number
  readonly least: number
  readonly results: readonly Given[]
}

const none: GivenInTurn = { tokens: 0, results: [] }

export async function readSessionFacts(store: SessionStore, session: string): Promise<SessionFacts> {
  const types = ['session-start', 'input', 'edit', 'choice', 'message'] as const
  const entries = await store.entries(session, { types })
  const turns = new Map<string, Counted[]>()
  const inputs = new Map<string, Extract<Entry, { readonly type: 'input' }>>()
  const choices: Extract<Entry, { readonly type: 'choice' }>[] = []
  let bound: string | undefined
  const named = new Map<string, string>()
  for (const entry of entries) {
    if (entry.type === 'session-start') bound = entry.channel?.channel
    if (entry.type === 'choice') choices.push(entry)
    if (entry.type === 'input') inputs.set(entry.turn, entry)
    if (entry.type !== 'input' && entry.type !== 'message') continue
    noteNames(entry.message, named)
    const counted = turns.get(entry.turn) ?? []
    turns.set(entry.turn, counted)
    counted.push(countedEntry(entry, named))
  }
  return {
    channelOf: (turn) => inputs.get(turn)?.options?.channel ?? bound,
    tokenOf: (turn) => inputs.get(turn)?.options?.token,
    chosen: (choice, upTo) =>
      choices.findLast((entry) => entry.choice === choice && entry.seq <= upTo)?.value ?? undefined,
    given(turn, { upTo, isFull }) {
      const counted = turns.get(turn)?.filter(({ seq }) => seq <= upTo)
      if (!counted) return none
      return {
        tokens: counted.reduce((sum, { full, least }) => sum + (isFull ? full : least), 0),
        results: counted.flatMap(({ full, least, results }) =>
          isFull || full === 0
            ? results
            : results.map((result) => ({ ...result, tokens: (result.tokens * least) / full })),
        ),
      }
    },
  }
}

function countedEntry(entry: Extract<Entry, { readonly type: 'input' | 'message' }>, named: Map<string, string>) {
  const ids = toolResults(entry.message satisfies AnyMessage)
  const results = toolSumsOf(entry).map((sum, index): Given => {
    const name = named.get(ids[index]?.toolCallId ?? '')
    return { ...sum, ...(name === undefined ? {} : { named: name }) }
  })
  return { seq: entry.seq, full: entry.tokens.full, least: entry.tokens.least, results }
}

/** What a call names in its input, by the id of the call. */
function noteNames({ role, content }: AnyMessage, named: Map<string, string>): void {
  if (role !== 'assistant' || typeof content === 'string') return
  for (const part of content) {
    if (part.type !== 'tool-call' || typeof part.input !== 'object' || part.input === null) continue
    const name: unknown = 'name' in part.input ? part.input.name : undefined
    if (typeof name === 'string') named.set(part.toolCallId, name)
  }
}
