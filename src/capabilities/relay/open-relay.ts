import { Agent } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import type { CapabilityHost, ForeignCallService, RawEndpoint } from '../../capability.ts'
import { fairTurns, timeSlice } from '../../platform.ts'
import { ASSEMBLE, THROUGH } from './address.ts'
import { answerCall } from './answer-call.ts'
import { gatewayToken } from './gateway-token.ts'
import { refuseCall } from './refusal.ts'
import type { RelaySettings } from './relay-settings.ts'

export type Relay = ReturnType<typeof openRelay>

/** Idle connections to a provider are kept for so long, ms: less than servers keep theirs. */
const IDLE_MS = 4_000

/** Bodies that are unpacked at the same time, and those of one token: a decoder has up to 16 MB that no budget counts. */
const UNPACKED_AT_ONCE = 3
const UNPACKED_OF_ONE = 2

export function openRelay(host: CapabilityHost<RelaySettings>) {
  const { settings } = host
  const isOn = settings.enabled && host.writes
  const options = {
    keepAlive: true,
    maxSockets: Infinity,
    maxFreeSockets: 64,
    timeout: IDLE_MS,
    scheduling: 'lifo',
  } as const
  const agents = { http: new Agent(options), https: new SecureAgent(options) }
  const unpacking = fairTurns(UNPACKED_AT_ONCE, host.clock, UNPACKED_OF_ONE)
  const receiving = timeSlice(host.clock)
  /** Asked for with the first call: before that there may be no runtime, and nothing is lost. */
  let foreign: ForeignCallService | undefined
  const endpointAt = (path: string): RawEndpoint => ({
    path,
    scope: 'talk',
    token: gatewayToken,
    answer: (call) =>
      answerCall(
        {
          foreign: (foreign ??= host.runtime.foreign),
          clock: host.clock,
          settings,
          unpacking,
          receiving,
          agentOf: ({ protocol }) => agents[protocol === 'https:' ? 'https' : 'http'],
        },
        call,
      ),
    refuse: (failure, { incoming, outgoing }) => refuseCall(failure, incoming, outgoing),
  })
  return {
    isOn,
    endpoints: isOn ? [THROUGH, ASSEMBLE].map(endpointAt) : [],
    warnings(): readonly string[] {
      const { lost, lastFault } = foreign?.state() ?? { lost: 0 }
      if (lost === 0) return []
      return [`${lostCalls(lost)} went on and could not be recorded. The last fault: ${lastFault ?? 'unknown'}`]
    },
    stop(): void {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

export function lostCalls(lost: number): string {
  return lost === 1 ? '1 call of another program' : `${lost} calls of other programs`
}
