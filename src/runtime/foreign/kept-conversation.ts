import type { Manifest, ManifestEntry, Piece } from '../../context.ts'
import type { ForeignReuse, KeptConversation } from '../../foreign.ts'
import type { CallRecord } from '../../session.ts'
import type { Sealed, SealedPiece } from '../calls/seal.ts'

const LAYER = 'kept-by-provider'

/** The entry of what the provider keeps of a conversation: what it read for the call before, and its answer to that. */
export function keptEntry(kept: KeptConversation, before: CallRecord, now: Pick<Manifest, 'slots'>): ManifestEntry {
  const { manifest, outcome } = before
  const { usage, usageEstimated } = outcome ?? {}
  const { slots, used } = manifest
  const tools = manifest.layout === 'responses' || now.slots.tools > 0 ? slots.tools : 0
  // What a call says of its tools and its system text is not said twice.
  const repeated = tools + (now.slots.system > 0 ? slots.system : 0)
  const read = (usageEstimated ? undefined : usage?.promptTokens) ?? used
  const tokens = Math.max(0, read - repeated) + (usage?.outputTokens ?? 0)
  const id = 'answer' in kept ? kept.answer : kept.conversation
  const origin = { kind: 'model', ref: before.id } as const
  return { id, layer: LAYER, slot: 'history', outcome: 'included', form: 'full', tokens, fullTokens: tokens, origin }
}

/** The entry of a cache that the model reads before the body: what the call `from` shows that it holds. */
export function cacheEntry({ id, tokens, from }: KeptCache): ManifestEntry {
  const origin = { kind: 'operator', ref: from } as const
  return { id, layer: LAYER, slot: 'history', outcome: 'included', form: 'full', tokens, fullTokens: tokens, origin }
}

/** A cache of the provider's, as a call shows it: the one that made it, or one that read it. */
export interface KeptCache {
  readonly id: string
  readonly tokens: number
  readonly from: string
}

export function keptEntryOf({ entries }: Pick<Manifest, 'entries'>): ManifestEntry | undefined {
  return entries.find(({ layer }) => layer === LAYER)
}

/** The account with this entry before the conversation that the body has. */
export function withKeptEntry<Account extends Manifest>(account: Account, kept: ManifestEntry): Account {
  const { entries, slots, budget } = account
  const at = placeOf(entries)
  const used = account.used + kept.tokens
  // Without a known window it is the prompt itself.
  const isUnknown = budget.window === account.used
  return {
    ...account,
    used,
    slots: { ...slots, history: slots.history + kept.tokens },
    entries: [...entries.slice(0, at), kept, ...entries.slice(at)],
    ...(isUnknown ? { budget: { ...budget, window: used, available: used } } : {}),
  }
}

/** The pieces of the body with the places that they have in such an account. */
export function besideKeptEntry(pieces: readonly Piece[], entries: Manifest['entries']): readonly Piece[] {
  const at = placeOf(entries)
  const moved = (entry: number) => (entry < at ? entry : entry + 1)
  return pieces.map((piece) => ({
    ...piece,
    entry: moved(piece.entry),
    ...(piece.joined ? { joined: piece.joined.map((part) => ({ ...part, entry: moved(part.entry) })) } : {}),
  }))
}

function placeOf(entries: Manifest['entries']): number {
  const place = entries.findIndex(({ slot }) => slot === 'history' || slot === 'input')
  return place < 0 ? entries.length : place
}

/** The pieces of a call with those that the provider keeps, as far as they are known: so its costs can be foreseen. */
export function withKeptPieces(
  { fingerprint }: Pick<Sealed, 'fingerprint'>,
  kept: ManifestEntry,
  before: { readonly fingerprint: Sealed['fingerprint']; readonly record: Pick<CallRecord, 'outcome'> } | undefined,
): Sealed['fingerprint'] {
  const isHead = ({ role }: SealedPiece) => role === 'tools' || role === 'system'
  const said = before?.fingerprint.filter((piece) => !isHead(piece)) ?? []
  const tokens = before?.record.outcome?.usage?.outputTokens ?? 0
  const form = { entry: 0, role: 'assistant', blocks: 1, kind: 'prose' } as const
  const whole = { ...form, content: `${LAYER} ${kept.id}` }
  const pieces = said.length > 0 ? [...said, { ...whole, tokens }] : [{ ...whole, tokens: kept.tokens }]
  const head = fingerprint.findLastIndex(isHead) + 1
  return [...fingerprint.slice(0, head), ...pieces, ...fingerprint.slice(head)]
}

/** What a cache can give of such a call: the body alone would say that the conversation is gone. */
export function keptReuse(
  reuse: ForeignReuse | undefined,
  kept: ManifestEntry,
  { entries }: Manifest,
): Omit<ForeignReuse, 'pieces'> {
  const change = reuse?.firstChange
  if (change && (change.slot === 'tools' || change.slot === 'system' || change.cause === 'model')) {
    return { tokens: reuse.tokens, again: (reuse.again ?? 0) + kept.tokens, firstChange: change }
  }
  const newest = entries.find(({ slot }) => slot === 'input') ?? kept
  const why = `The conversation goes on from what the provider keeps (${kept.id}).`
  const { id, slot } = newest
  return { tokens: (reuse?.tokens ?? 0) + kept.tokens, firstChange: { id, slot, cause: 'grew', why } }
}

const TURN = /^turn-(\d+)/

/** The number of the last turn of an account; 0 where it has none. */
function lastTurn({ entries }: Pick<Manifest, 'entries'>): number {
  return entries.reduce((last, { id }) => Math.max(last, Number(TURN.exec(id)?.[1] ?? 0)), 0)
}

/** How many turns came before those of a body that has the newest part of a conversation alone. */
export function turnsBefore(
  { turn = '', manifest }: Pick<CallRecord, 'manifest' | 'turn'>,
  now: Pick<Manifest, 'entries'>,
  isNewTurn: boolean,
): number {
  const last = Number(TURN.exec(turn)?.[1] ?? lastTurn(manifest))
  return Math.max(0, last + (isNewTurn ? 1 : 0) - Math.max(1, lastTurn(now)))
}

/** The same account with the numbers that its turns have in the whole conversation. */
export function withTurnsBefore<Account extends Pick<Manifest, 'entries'>>(account: Account, before: number): Account {
  if (before === 0) return account
  const entries = account.entries.map((entry): ManifestEntry => {
    const id = laterTurn(entry.id, before)
    return entry.layer === 'turn' ? { ...entry, id, origin: { ...entry.origin, ref: id } } : { ...entry, id }
  })
  return { ...account, entries }
}

export function laterTurn(id: string, before: number): string {
  return id.replace(TURN, (_, number: string) => `turn-${Number(number) + before}`)
}
