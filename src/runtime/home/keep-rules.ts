import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Activity, type Clock, errorMessage } from '../../platform.ts'

/** How long is kept what gathers by itself, days. */
export interface KeepRules {
  /** Bodies of calls of other programs, after the last call of their session. */
  readonly bodyDays: number
  /** What programs made in the place of files of the owner. */
  readonly setAsideDays: number
}

interface KeptParts {
  readonly rules: KeepRules
  readonly data: string
  readonly clock: Clock
  readonly activity: Activity
  /** `removeBodies`: those of sessions that have rested since this time, ISO 8601. */
  readonly programs: { readonly removeBodies: (before: string) => Promise<void> }
  readonly warn: (text: string) => void
}

/** Removes what is over its time, now and once a day. What fails is a warning. Returns what stops it, once it does nothing more. */
export function startKeepRules({ rules, data, clock, activity, programs, warn }: KeptParts): () => Promise<void> {
  let swept = Promise.resolve()
  async function sweep(): Promise<void> {
    const now = clock.now()
    await removeSetAside(join(data, 'set-aside'), now - rules.setAsideDays * DAY_MS)
    await programs.removeBodies(new Date(now - rules.bodyDays * DAY_MS).toISOString())
  }
  const run = () => {
    swept = sweep().catch((error: unknown) => warn(`What is over its time stays for now: ${errorMessage(error)}`))
    void activity.run(undefined, swept)
  }
  run()
  const stop = clock.every(DAY_MS, run, { idle: true })
  return async () => {
    stop()
    await swept
  }
}

const DAY_MS = 24 * 60 * 60 * 1000

/** Each run of a program has a folder of its own. */
async function removeSetAside(place: string, before: number): Promise<void> {
  for (const run of await readdir(place).catch(() => [])) {
    const folder = join(place, run)
    const { mtimeMs = before } = (await stat(folder).catch(() => undefined)) ?? {}
    if (mtimeMs < before) await rm(folder, { recursive: true, force: true })
  }
}
