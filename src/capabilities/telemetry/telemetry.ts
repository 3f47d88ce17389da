import { capability } from '../../capability.ts'
import { conventions } from './conventions.ts'
import type { Telemetry } from './open-telemetry.ts'
import { type TelemetrySettings, telemetrySettings } from './telemetry-settings.ts'

/** Spans of turns, calls and tools for a collector that speaks OTLP. Off unless it is switched on. */
export const telemetry = capability<TelemetrySettings, Telemetry | undefined>({
  name: 'telemetry',
  summary: 'OpenTelemetry: spans of turns, calls and tools for a collector of yours.',
  settings: {
    schema: telemetrySettings,
    warnings: ({ enabled, content, conventions: version }) =>
      enabled && content && conventions[version].content === undefined
        ? [
            {
              key: 'content',
              message: `has no effect: the conventions ${version} have content in logs, which are not exported`,
              hint: 'Set telemetry.conventions to a newer version, or telemetry.content to false.',
            },
          ]
        : [],
  },
  checks: async (context) => (await import('./collector.ts')).checkTelemetry(context),
  async start(host) {
    if (!host.settings.enabled || !host.writes) return undefined
    try {
      return (await import('./open-telemetry.ts')).openTelemetry(host)
    } catch (error) {
      host.warn(`Telemetry is off: ${error instanceof Error ? error.message : String(error)}`)
      return undefined
    }
  },
  status: { warnings: ({ service }) => [service?.problem() ?? []].flat() },
  lifecycle: { idle: ({ service }) => service?.idle() },
  stop: ({ service }) => service?.stop(),
})
