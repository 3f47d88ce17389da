import type { Io } from '../capability.ts'
import type { AuditReport, ChainPosition } from '../session.ts'
import { programCapabilities } from './io.ts'
import { type HomeStore, withStore } from './open-store.ts'

/** Verifies the audit in the store of a home against its checkpoints, with or without a gateway. A store that is gone is an empty one. */
export async function verifyStoredAudit(
  kept: HomeStore,
  home: string,
  io: Io,
  expect?: ChainPosition,
): Promise<AuditReport> {
  const { verifyHomeAudit } = await import('../runtime.ts')
  const { environment } = io
  const options = { home, environment, capabilities: await programCapabilities(io), expect }
  return await withStore(
    kept,
    (store) => verifyHomeAudit({ ...options, store }),
    () => verifyHomeAudit({ ...options, store: undefined }),
  )
}
