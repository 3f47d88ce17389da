import { type ForecastManifest, exactMoneyText } from '../../capability.ts'
import { countedText, type Manifest, numberText } from '../../context.ts'
import { defined } from '../../platform.ts'
import type { SessionStore } from '../../session.ts'
import type { InsteadOf } from '../models/fallback.ts'
import type { FallbackRecord, SealedManifest } from './seal.ts'

interface FallbackCall {
  readonly instead: InsteadOf
  readonly model: string
  readonly manifest: SealedManifest
}

/** Compares a call with the last one that was made to a model that failed: what fits, what the cache loses, and what it costs. */
export async function fallbackRecord(
  store: Pick<SessionStore, 'call'>,
  { instead, model, manifest }: FallbackCall,
): Promise<FallbackRecord> {
  const { model: wanted, failures } = instead
  const failed = failures.findLast((each) => each.call !== undefined)
  const before: ForecastManifest | undefined =
    failed?.call === undefined ? undefined : (await store.call(failed.call))?.manifest
  const sentences = [
    `${model} answers instead of ${wanted}.`,
    ...failures.map(({ message }) => message),
    ...(before && failed ? changes(before, manifest, failed.model) : []),
    costSentence(manifest),
  ]
  return {
    wanted,
    failed: failures.map(({ model: id, code, call }) => ({ model: id, code, ...defined({ call }) })),
    sentence: sentences.join(' ').trim(),
  }
}

function changes(before: ForecastManifest, after: Manifest, failed: string): readonly string[] {
  const sent = new Map(after.entries.map((entry) => [`${entry.slot} ${entry.id}`, entry.tokens]))
  const lost = before.entries
    .map(({ slot, id, tokens }) => tokens - (sent.get(`${slot} ${id}`) ?? 0))
    .filter((tokens) => tokens > 0)
  const blind = after.entries.some(({ reason }) => reason?.code === 'model-cannot-see')
  const wasBlind = before.entries.some(({ reason }) => reason?.code === 'model-cannot-see')
  const cached = before.forecast?.cached ?? 0
  return [
    lost.length > 0
      ? `${countedText(lost.length, 'part')} of what ${failed} was sent, ${tokensText(lost.reduce((sum, each) => sum + each, 0))}, are left out or shortened to fit.`
      : `Everything that ${failed} was sent fits.`,
    ...(before.slots.tools > 0 && after.slots.tools === 0 ? ['It cannot call the tools.'] : []),
    ...(blind && !wasBlind ? ['It cannot see the images.'] : []),
    ...(cached > 0 ? [`${tokensText(cached)} that the cache of ${failed} had are sent again.`] : []),
  ]
}

function costSentence({ forecast, budget: { window } }: SealedManifest): string {
  const size = `Its window has ${tokensText(window)}`
  if (forecast?.money === undefined) return `${size}; its price is not known.`
  return forecast.money === 0
    ? `${size}; the call is free.`
    : `${size}; the prompt costs about ${exactMoneyText(forecast.money)}.`
}

function tokensText(tokens: number): string {
  return `${numberText(Math.round(tokens))} tokens`
}
