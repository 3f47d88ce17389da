import type { CommandCall } from '../../capability.ts'
import { usageFailure } from '../failure.ts'

/** What `--limit` says, from 1 to 100. */
export function limitOf(call: CommandCall): string | undefined {
  const limit = call.text('limit')
  if (limit === undefined || /^([1-9]\d?|100)$/.test(limit)) return limit
  throw usageFailure(`--limit cannot be ${limit}.`, 'Write a number from 1 to 100.')
}
