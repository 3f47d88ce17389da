import { type CallPrice, hasOwnRoom, RuntimeError } from '../../capability.ts'
import {
  calibratedManifest,
  entryName,
  type Manifest,
  type ManifestEntry,
  outline,
  reasonSentence,
} from '../../context.ts'
import { defined } from '../../platform.ts'
import { type CallRecord, figuresOfCall, type SessionStore } from '../../session.ts'

/** Pieces in one answer: those with the most tokens, in the order in which they were read. */
const MOST_ENTRIES = 150

/** The account of a call, for a program: names, numbers and reasons, and no words of anybody. */
export function callContext(record: CallRecord, price: CallPrice | undefined): object {
  const manifest = calibratedManifest(record.manifest, figuresOfCall(record, price).total)
  const kept = largest(manifest)
  const left = manifest.entries.length - kept.length
  return {
    ...callSummary(record, price),
    entries: kept.map((index) => entryFacts(manifest, index, price)),
    ...(left > 0 && { entries_not_shown: left }),
    outline: outlineOf(record, { ...manifest, entries: kept.map((index) => manifest.entries[index]!) }),
  }
}

/** Without the line about the room where a prompt was fitted into none. */
function outlineOf(record: CallRecord, shown: Manifest): string {
  const text = outline(shown)
  return hasOwnRoom(record) ? text : [`used ${shown.used}`, ...text.split('\n').slice(1)].join('\n')
}

export function callSummary(record: CallRecord, price: CallPrice | undefined): object {
  const { id, session, turn, time, model, kind, manifest, outcome } = record
  const { usage, finish, error, durationMs } = outcome ?? {}
  const figures = figuresOfCall(record, price)
  const { slots, budget } = calibratedManifest(manifest, figures.total)
  return {
    call: id,
    ...defined({ session, turn, kind }),
    time,
    model,
    layout: manifest.layout,
    figures,
    used: figures.total,
    ...(hasOwnRoom(record) && { available: budget.available, window: budget.window }),
    slots,
    ...defined({ reused: figures.same, finish, failed: error?.code, duration_ms: durationMs }),
    ...(usage && {
      usage: defined({
        prompt: usage.promptTokens,
        cached: usage.cachedTokens,
        cache_written: usage.cacheWrittenTokens,
        output: usage.outputTokens,
        reasoning: usage.reasoningTokens,
      }),
    }),
    ...(price && {
      cost: {
        usd: price.money,
        ...defined({ reported: price.reported, listed_usd: price.listed }),
        saved_usd: price.saved,
        parts: price.parts,
      },
    }),
  }
}

function entryFacts(manifest: Manifest, index: number, price: CallPrice | undefined): object {
  const entry: ManifestEntry = manifest.entries[index]!
  const { id, layer, slot, outcome, form, tokens, fullTokens, origin } = entry
  return {
    id,
    name: entryName(entry, manifest),
    layer,
    slot,
    outcome,
    ...defined({ form }),
    tokens,
    full_tokens: fullTokens,
    origin: origin.kind,
    ...defined({ usd: price?.entries[index], why: reasonSentence(entry, manifest) }),
  }
}

function largest({ entries }: Manifest): readonly number[] {
  const size = (index: number) => Math.max(entries[index]!.tokens, entries[index]!.fullTokens)
  return [...entries.keys()]
    .toSorted((one, other) => size(other) - size(one))
    .slice(0, MOST_ENTRIES)
    .toSorted((one, other) => one - other)
}

/** A call, and the one before it in its session. */
export interface LedgerCall {
  readonly record: CallRecord
  readonly before?: CallRecord
}

/** Calls among which the newest one that is no note is looked for. */
const NEWEST = 20
/** Calls of a session among which the one before is looked for. */
const EARLIER = 200

/** The call of this id or prefix; `last` is the newest. Rejects with `not-found`, or `invalid-input` for several. */
export async function readLedgerCall(
  store: Pick<SessionStore, 'call' | 'calls' | 'findCalls'>,
  id: string,
  session: string | undefined,
): Promise<LedgerCall> {
  const record = id === 'last' ? await newestCall(store, session) : await callOf(store, id)
  if (record.session === undefined) return { record }
  const calls = (await store.calls(record.session, { last: EARLIER })).filter(({ kind }) => kind !== 'note')
  const at = calls.findIndex((call) => call.id === record.id)
  return { record, ...defined({ before: at > 0 ? calls[at - 1] : undefined }) }
}

async function newestCall(store: Pick<SessionStore, 'calls' | 'findCalls'>, session: string | undefined) {
  const newest =
    session === undefined
      ? await store.findCalls({ limit: NEWEST })
      : (await store.calls(session, { last: NEWEST })).toReversed()
  const found = newest.find(({ kind }) => kind !== 'note') ?? newest[0]
  if (found) return found
  const where =
    session === undefined ? 'There is no call yet.' : `There is no call in a session ${JSON.stringify(session)}.`
  throw new RuntimeError('not-found', where)
}

async function callOf(store: Pick<SessionStore, 'call' | 'findCalls'>, id: string): Promise<CallRecord> {
  const exact = await store.call(id)
  if (exact) return exact
  const [first, second] = await store.findCalls({ limit: 2, beginning: id })
  if (first && second) {
    throw new RuntimeError(
      'invalid-input',
      `Several calls have an id that begins with ${JSON.stringify(id)}. Give more of it.`,
    )
  }
  if (first) return first
  throw new RuntimeError(
    'not-found',
    `There is no call ${JSON.stringify(id)}. Use the id that \`foreword calls\` shows, or last.`,
  )
}
