import { capability, serviceKey } from '../../capability.ts'
import type { PassThrough } from './open-pass-through.ts'
import { type ThroughSettings, throughSettings } from './through-settings.ts'

/** Passes on what other programs send. */
export const passThroughService = serviceKey<PassThrough>('pass-through')

/** Other people's agents: their calls go on to the provider unchanged, and are recorded, priced and held to budgets. */
export const passThrough = capability<ThroughSettings, PassThrough>({
  name: 'pass-through',
  summary: 'passes calls of other programs on to their provider unchanged, and records them',
  settings: throughSettings,
  settingsKey: 'through',
  checks: async (context) => (await import('./check-pass-through.ts')).checkPassThrough(context),
  async startLine(runtime) {
    const service = runtime.capability(passThroughService)
    return service?.isOn ? { label: 'Through', text: 'calls of other programs: /through/PROVIDER' } : undefined
  },
  start: async (host) => (await import('./open-pass-through.ts')).openPassThrough(host),
  rawEndpoints: ({ service }) => service.endpoints,
  status: ({ runtime, service }) => (service.isOn ? { through: runtime.foreign.state() } : {}),
  warnings: ({ service }) => service.warnings(),
  stop: ({ service }) => service.stop(),
})
