import type { Replay } from '../../capability.ts'
import type { SessionStore } from '../../session.ts'
import { findCounter } from '../models/counters.ts'
import { createLedger } from './ledger.ts'

/**
 * Rebuilds the requests of every call of a session from a store alone, without a model: bodies are not made again.
 *
 * @throws RuntimeError `not-found`, `storage-damaged`
 */
export async function replayStored(store: SessionStore, session: string): Promise<Replay> {
  return createLedger(store, findCounter, () => ({ prove: async () => undefined })).views.replay(session)
}
