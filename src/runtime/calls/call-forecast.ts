import { forecast, type Model } from '../../model.ts'
import type { Clock } from '../../capability.ts'
import type { Reuse, Sealed, SealedManifest } from '../ledger/seal.ts'
import type { SessionState } from '../sessions/session-state.ts'
import type { AssemblyContext } from './assembly-context.ts'

/** Where a call is made from. */
export interface CallPlace {
  readonly context: AssemblyContext
  readonly state: SessionState
  readonly model: Model
  readonly clock: Clock
  /** Reads the pieces of an earlier call again, after a restart. */
  fingerprintOf(call: string): Promise<Sealed['fingerprint'] | undefined>
}

/** Adds to the account what can be reused of the session's last call, and what the call is going to cost. */
export async function withForecast(
  { context, state, model, clock, fingerprintOf }: CallPlace,
  { manifest, fingerprint }: Sealed,
): Promise<SealedManifest> {
  const before = state.lastCall && (state.lastCall.fingerprint ?? (await fingerprintOf(state.lastCall.call)))
  const reuse = before ? reuseOf(before, fingerprint, manifest) : undefined
  const { price, cache } = model.facts
  const real = (tokens: number) => Math.round(tokens * context.calibration.ratio(model.id, context.settings.counter))
  const at = state.lastCall?.at
  const expected = forecast({
    promptTokens: real(manifest.used),
    reuseTokens: real(reuse?.tokens ?? 0),
    ...(at === undefined ? {} : { secondsSince: (clock.monotonic() - at) / 1000 }),
    ...(price ? { price } : {}),
    ...(cache ? { cache } : {}),
  })
  return { ...manifest, ...(reuse ? { reuse } : {}), forecast: expected }
}

/** Pieces that are the same from the beginning on, and the first that is not. */
function reuseOf(before: Sealed['fingerprint'], after: Sealed['fingerprint'], manifest: Sealed['manifest']): Reuse {
  let pieces = 0
  let tokens = 0
  while (pieces < before.length && pieces < after.length && before[pieces]!.content === after[pieces]!.content) {
    tokens += after[pieces]!.tokens
    pieces += 1
  }
  const next = after[pieces]
  const changed = next && manifest.entries[next.entry]
  if (!changed) return { tokens }
  const cause = pieces === before.length ? 'grew' : 'changed'
  return { tokens, firstChange: { id: changed.id, slot: changed.slot, cause } }
}
