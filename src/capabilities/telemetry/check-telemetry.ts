import type { CheckContext, Finding } from '../../capability.ts'
import { type Clock, errorMessage, publicAddress, redactSecrets } from '../../platform.ts'
import { type Collector, collectorOf } from './collector.ts'
import type { TelemetrySettings } from './telemetry-settings.ts'

const ANSWER_MS = 5_000

/** Sends the collector an export without spans. Nothing where telemetry is off. */
export async function checkTelemetry(context: CheckContext<TelemetrySettings>): Promise<readonly Finding[]> {
  if (!context.settings.enabled) return []
  try {
    const collector = collectorOf(context)
    const fault = await faultOf(collector, context.clock)
    const where = publicAddress(collector.url)
    if (fault === undefined) return [{ check: 'telemetry', level: 'ok', message: `spans go to ${where}` }]
    return [warning(`the collector at ${where} ${redactSecrets(fault, Object.values(collector.headers))}`)]
  } catch (error) {
    return [warning(errorMessage(error))]
  }
}

function warning(message: string): Finding {
  const hint = 'Start the collector, or correct telemetry.endpoint and its headers. Turns do not need it.'
  return { check: 'telemetry', level: 'warning', message, hint }
}

async function faultOf({ url, headers }: Collector, clock: Clock): Promise<string | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"resourceSpans":[]}',
      signal: clock.timeoutSignal(ANSWER_MS),
      redirect: 'manual',
    })
    await response.body?.cancel()
    return response.ok ? undefined : `answers ${response.status}`
  } catch (error) {
    return `does not answer: ${errorMessage((error as { readonly cause?: unknown }).cause ?? error)}`
  }
}
