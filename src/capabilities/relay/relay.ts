import { capability, serviceKey } from '../../capability.ts'
import type { Relay } from './open-relay.ts'
import { type RelaySettings, relaySettings } from './relay-settings.ts'

const relayService = serviceKey<Relay>('relay')

/** Other people's agents: their calls go on to the provider unchanged, and are recorded, priced and held to budgets. */
export const relay = capability<RelaySettings, Relay>({
  name: 'relay',
  summary: 'passes calls of other programs on to their provider unchanged, and records them',
  settings: { schema: relaySettings, key: 'through' },
  checks: async (context) => (await import('./check-relay.ts')).checkRelay(context),
  async startLine(runtime) {
    const service = runtime.capability(relayService)
    return service?.isOn ? { label: 'Through', text: 'calls of other programs: /through/PROVIDER' } : undefined
  },
  start: async (host) => (await import('./open-relay.ts')).openRelay(host),
  http: { raw: ({ service }) => service.endpoints },
  status: ({ runtime, service }) => (service.isOn ? { through: runtime.foreign.state() } : {}),
  warnings: ({ service }) => service.warnings(),
  stop: ({ service }) => service.stop(),
})
