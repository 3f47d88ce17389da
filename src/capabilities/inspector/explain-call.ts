import { type CallPrice, costSource, hasOwnRoom, sentDifferently } from '../../capability.ts'
import {
  exactMoneyText,
  calibratedManifest,
  calibratedTokens,
  type CallFigures,
  compare,
  type Comparison,
  differenceCause,
  entryName,
  entrySentences,
  type Manifest,
  numberText,
} from '../../context.ts'
import { type CallRecord, figuresOfCall } from '../../session.ts'
import { callSummary, type LedgerCall } from './call-context.ts'

/** Limit of sentences about left out or shortened layers, and of names in a sentence. */
const MOST_SENTENCES = 20
const MOST_NAMES = 8

/** A call in sentences, from its account alone: no text of a layer or a message is quoted. */
export function explainCall({ record, before }: LedgerCall, price: CallPrice | undefined): object {
  const figures = figuresOfCall(record, price)
  const manifest = calibratedManifest(record.manifest, figures.total)
  const sentences = [
    ...sentSentences(record, manifest),
    ...leftOutSentences(manifest),
    ...sentDifferently(record.outcome ?? {}),
    endSentence(record),
    ...costSentences(record, price),
    ...changeSentences(record, before, figures),
  ]
  return { ...callSummary(record, price), sentences }
}

const SLOTS: Readonly<Record<keyof Manifest['slots'], string>> = {
  tools: 'definitions of tools',
  system: 'the system text',
  preamble: 'texts before the conversation',
  history: 'the conversation',
  'before-input': 'texts before the newest message',
  input: 'the newest message and what followed it',
  'after-input': 'texts behind the newest message',
}

function sentSentences(record: CallRecord, manifest: Manifest): readonly string[] {
  const { id, model, time } = record
  const { used, budget, slots } = manifest
  const parts = Object.entries(SLOTS).flatMap(([slot, words]) => {
    const tokens = slots[slot as keyof typeof slots]
    return tokens > 0 ? [`${numberText(tokens)} for ${words}`] : []
  })
  const made = hasLeft(record)
    ? `The call ${id} went to ${model} at ${time}.`
    : `The call ${id} was made for ${model} at ${time} and did not leave.`
  if (parts.length === 0) return [made]
  const size = hasOwnRoom(record)
    ? `${numberText(used)} of ${numberText(budget.available)} tokens that were available`
    : `${numberText(used)} tokens as Foreword counts them`
  return [made, `Its prompt has ${size}: ${list(parts)}.`]
}

function leftOutSentences(manifest: Manifest): readonly string[] {
  const all = entrySentences(manifest)
  if (all.length === 0) return ['Nothing was left out or shortened.']
  const more = all.length - MOST_SENTENCES
  return [
    ...all.slice(0, MOST_SENTENCES),
    ...(more > 0 ? [`And ${numberText(more)} more were left out or shortened.`] : []),
  ]
}

function endSentence({ outcome }: CallRecord): string {
  if (outcome === undefined) return 'It has not ended, or its end is not known.'
  const { error, usage, finish, durationMs } = outcome
  const seconds = durationMs < 100 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1_000).toFixed(1)} s`
  if (error) return `It failed after ${seconds}: ${error.code}.`
  const answer =
    usage?.outputTokens === undefined
      ? 'It was answered'
      : `It was answered with ${numberText(usage.outputTokens)} tokens`
  return `${answer} in ${seconds}${finish === undefined ? '' : `, and ended with ${finish}`}.`
}

function costSentences(record: CallRecord, price: CallPrice | undefined): readonly string[] {
  if (!hasLeft(record)) return ['It cost nothing.']
  const { usage, usageEstimated } = record.outcome ?? {}
  const { promptTokens, cachedTokens } = usage ?? {}
  const estimate = usageEstimated
    ? ['Its usage is an estimate: the answer broke off before the provider reported it.']
    : []
  const cache =
    promptTokens === undefined || cachedTokens === undefined
      ? 'The provider did not report what it read from its cache.'
      : `The provider read ${numberText(cachedTokens)} of ${numberText(promptTokens)} prompt tokens from its cache.`
  if (!price)
    return [...estimate, 'Its cost is not known: the model has no price, or the usage was not reported.', cache]
  const { cached, written, fresh, output } = price.parts
  const parts = [
    ...(cached > 0 ? [`${exactMoneyText(cached)} for what came from the cache`] : []),
    ...(written > 0 ? [`${exactMoneyText(written)} for what was written to it`] : []),
    `${exactMoneyText(fresh)} for the rest of the prompt`,
    `${exactMoneyText(output)} for the answer`,
  ]
  return [
    ...estimate,
    `It cost ${exactMoneyText(price.money)}${costSource(price)}: ${list(parts)}.`,
    `${cache} ${savedSentence(price.saved)}`.trim(),
  ]
}

/** A call that a budget or a secret held back sent nothing. */
function hasLeft({ outcome }: CallRecord): boolean {
  return outcome?.error === undefined || outcome.wire !== undefined || !HELD_BACK.has(outcome.error.code)
}

const HELD_BACK: ReadonlySet<string> = new Set(['over-budget', 'secret-in-body'])

function savedSentence(saved: number): string {
  if (saved > 0) return `The cache saved ${exactMoneyText(saved)}.`
  return saved < 0 ? `Writing to it cost ${exactMoneyText(-saved)} more than it saved.` : ''
}

function changeSentences(
  { manifest, session }: CallRecord,
  before: CallRecord | undefined,
  { total }: CallFigures,
): readonly string[] {
  if (session === undefined) return ['It belongs to no session, so there is no call before it.']
  if (!before) return ['It is the first call of its session.']
  const [old, now] = [{ manifest: before.manifest }, { manifest }]
  const comparison = compare(old, now)
  const same = calibratedTokens(comparison.commonPrefix.tokens, total, manifest.used)
  const common = `Since the call before, the first ${numberText(same)} tokens are the same.`
  return [common, differenceCause(comparison, old, now), ...cameAndWent(comparison, manifest, before.manifest)]
}

function cameAndWent({ came, went }: Comparison, now: Manifest, old: Manifest): readonly string[] {
  const names = (all: Comparison['came'], manifest: Manifest) =>
    all.flatMap(({ id, slot }) => {
      const entry = manifest.entries.find((each) => each.id === id && each.slot === slot)
      return entry ? [entryName(entry, manifest)] : []
    })
  return [
    ...(came.length > 0 ? [`New in it: ${shortList(names(came, now))}.`] : []),
    ...(went.length > 0 ? [`No longer in it: ${shortList(names(went, old))}.`] : []),
  ]
}

function shortList(names: readonly string[]): string {
  const more = names.length - MOST_NAMES
  return list(more > 0 ? [...names.slice(0, MOST_NAMES), `${more} more`] : names)
}

function list(parts: readonly string[]): string {
  const last = parts.at(-1) ?? ''
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`
}
