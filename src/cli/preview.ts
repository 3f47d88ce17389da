import type { Preview } from '../runtime.ts'
import { ask } from './answer.ts'
import type { Connection } from '../capability.ts'

/** What the next call would send. Nothing is written. */
export async function preview(connection: Connection, options: PreviewOptions): Promise<Preview> {
  return await ask<Preview>(connection, '/api/context', { method: 'POST', body: options })
}

export interface PreviewOptions {
  readonly session?: string | undefined
  readonly input?: string | undefined
  readonly model?: string | undefined
  readonly system?: string | undefined
  /** What the session would have chosen: ids by the name of the choice. */
  readonly [choice: string]: string | undefined
}
