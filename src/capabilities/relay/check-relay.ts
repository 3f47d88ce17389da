import { phrase } from '../../context.ts'
import type { CheckContext, Finding, ForeignCallState } from '../../capability.ts'
import { ok, warning } from '../../cli.ts'
import { lostCalls } from './open-relay.ts'
import type { RelaySettings } from './relay-settings.ts'

export async function checkRelay({ settings, get }: CheckContext<RelaySettings>): Promise<readonly Finding[]> {
  if (!settings.enabled) return [ok('through', 'off')]
  const status = await get<{ readonly through?: ForeignCallState }>('/api/status')
  const { recorded = 0, lost = 0, lastFault = 'unknown' } = status?.through ?? {}
  if (lost === 0) return [ok('through', phrase`calls of other programs go on; ${recorded} recorded since the start`)]
  return [
    warning(
      'through',
      phrase`${lostCalls(lost)} went on and could not be recorded. The last fault: ${lastFault}`,
      phrase`The log of the gateway has each of them. A full disk is the usual cause.`,
    ),
  ]
}
