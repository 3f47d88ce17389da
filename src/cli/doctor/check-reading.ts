import type { Finding } from '../../capability.ts'
import type { SandboxProgram } from '../../tool.ts'
import { ok, warning } from './finding.ts'

/** Node's permissions cover the network: from Node 25 on. */
const NETWORK_IS_COVERED = process.allowedNodeEnvironmentFlags.has('--allow-net')

/** Whether the processes that read documents of others have more than these. */
export async function checkReading(): Promise<Finding> {
  const { findNodeSandbox } = await import('../../tool.ts')
  return describeReading(await findNodeSandbox(), process.platform, NETWORK_IS_COVERED)
}

export function describeReading(found: SandboxProgram, platform: string, networkIsCovered: boolean): Finding {
  const check = 'documents'
  if (found.type === 'bubblewrap') return ok(check, 'read in a sandbox: no files, no network, no other processes')
  if (found.isUnsure) return warning(check, `not read for now: ${found.why}`, found.hint)
  const message = `read under Node's permissions, without a sandbox: ${found.why}`
  if (platform === 'linux') return warning(check, message, found.hint)
  if (networkIsCovered) return ok(check, message)
  return warning(
    check,
    `${message}; the permissions of this Node do not cover the network`,
    'Use Node 25 or newer, whose permissions cover it.',
  )
}
