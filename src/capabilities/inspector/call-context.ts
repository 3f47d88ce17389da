import type { CallPrice } from '../../capability.ts'
import { entryName, type Manifest, type ManifestEntry, outline, reasonSentence } from '../../context.ts'
import { defined } from '../../platform.ts'
import type { CallRecord } from '../../session.ts'
import type { FoundCall } from './ledger-call.ts'

export interface PricedCall extends FoundCall {
  readonly price: CallPrice | undefined
}

/** Pieces in one answer: those with the most tokens, in the order in which they were read. */
const MOST_ENTRIES = 150

/** The account of a call, for a program: names, numbers and reasons, and no words of anybody. */
export function callContext({ record, price }: PricedCall): object {
  const { manifest } = record
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
  const { reuse }: Manifest & { readonly reuse?: { readonly tokens: number } } = manifest
  return {
    call: id,
    ...defined({ session, turn, kind }),
    time,
    model,
    layout: manifest.layout,
    used: manifest.used,
    ...(hasOwnRoom(record) && { available: manifest.budget.available, window: manifest.budget.window }),
    slots: manifest.slots,
    ...defined({ reused: reuse?.tokens, finish, failed: error?.code, duration_ms: durationMs }),
    ...(usage && {
      usage: defined({
        prompt: usage.promptTokens,
        cached: usage.cachedTokens,
        cache_written: usage.cacheWrittenTokens,
        output: usage.outputTokens,
        reasoning: usage.reasoningTokens,
      }),
    }),
    ...(price && { cost: { usd: price.money, saved_usd: price.saved, parts: price.parts } }),
  }
}

/** Whether a prompt was fitted into a budget. What another program sends is as large as it is, unless its conversation was cut. */
export function hasOwnRoom({ kind, manifest: { budget, used } }: CallRecord): boolean {
  return kind !== 'foreign' || budget.available > used
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
