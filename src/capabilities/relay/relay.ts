import { capability } from '../../capability.ts'
import type { Relay } from './open-relay.ts'
import { type RelaySettings, relaySettings } from './relay-settings.ts'

/** Other people's agents: their calls go on to the provider unchanged, and are recorded, priced and held to budgets. */
export const relay = capability<RelaySettings, Relay>({
  name: 'relay',
  summary: 'passes calls of other programs on to their provider unchanged, and records them',
  settings: { schema: relaySettings, key: 'through' },
  checks: async (context) => (await import('./check-relay.ts')).checkRelay(context),
  status: {
    startLine: ({ service }) =>
      service.isOn ? { label: 'Through', text: 'calls of other programs: /through/PROVIDER' } : undefined,
    facts: ({ runtime, service }) => (service.isOn ? { through: runtime.foreign.state() } : {}),
    warnings: ({ service }) => service.warnings(),
  },
  start: async (host) => (await import('./open-relay.ts')).openRelay(host),
  http: { raw: ({ service }) => service.endpoints },
  stop: ({ service }) => service.stop(),
})
