import type { Clock } from '../../capability.ts'
import type { SessionStore } from '../../session.ts'
import type { Configuration } from '../configuration/configuration.ts'
import type { Environment } from '../../model.ts'
import { openCheckpoints } from './checkpoint-service.ts'
import { checkpointTargets } from '../checkpoints/checkpoint-targets.ts'

/** Takes a checkpoint of what was written without a gateway, for the process that has claimed the home. Never rejects. */
export async function takeHomeCheckpoint(options: {
  readonly home: string
  readonly environment: Environment
  readonly configuration: Configuration
  readonly store: SessionStore
  readonly clock: Clock
  readonly warn: (text: string) => void
}): Promise<void> {
  const { home, environment, configuration, store, clock, warn } = options
  const { checkpoints, checkpointRecords: everyRecords, checkpointMinutes } = configuration.audit
  const service = await openCheckpoints({
    home,
    store,
    targets: checkpointTargets(checkpoints, { home, environment }),
    everyRecords,
    everyMs: checkpointMinutes * MINUTE_MS,
    clock,
    warn,
  })
  await service.close()
}

const MINUTE_MS = 60_000
