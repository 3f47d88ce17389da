import type { CapabilityHost, CheckContext, Finding } from '../../capability.ts'
import type { TelemetrySettings } from './telemetry-settings.ts'
import { type Clock, errorMessage, publicAddress, redactSecrets, decodeUrlPart } from '../../platform.ts'

export interface Collector {
  readonly url: string
  /** Secrets may be among them: they appear in no message. */
  readonly headers: Readonly<Record<string, string>>
}

type Where = Pick<CapabilityHost<TelemetrySettings>, 'environment' | 'settings'>

/** By the settings, then OpenTelemetry's variables. `/v1/traces` is added unless the address is for traces alone. */
export function collectorOf({ settings, environment }: Where): Collector {
  const own = settings.endpoint
  const traces = own === undefined ? environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || undefined : undefined
  const base = own ?? (environment['OTEL_EXPORTER_OTLP_ENDPOINT'] || 'http://localhost:4318')
  const variable = traces === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
  const address = traces ?? base
  if (!/^https?:/i.test(address) || !URL.canParse(address)) {
    throw new Error(`${variable} is no http(s) address. Correct it, or set telemetry.endpoint in config.json.`)
  }
  const url = new URL(address)
  if (traces === undefined && !url.pathname.endsWith('/v1/traces')) {
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`
  }
  const given = [environment[settings.headersEnv], environment['OTEL_EXPORTER_OTLP_TRACES_HEADERS']]
  return { url: url.href, headers: Object.assign({}, ...given.map(headersOf)) as Record<string, string> }
}

/** `name=value,other=value`, as in the header `baggage` of W3C: values may be percent-encoded. What is none is left out. */
function headersOf(text = ''): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const at = pair.indexOf('=')
      const name = pair.slice(0, at).trim().toLowerCase()
      const value = decodeUrlPart(pair.slice(at + 1).trim())
      return at > 0 && /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\u0020-\u007e]*$/.test(value) ? [[name, value]] : []
    }),
  )
}

export function serviceName({ settings, environment }: Where): string {
  return settings.service ?? (environment['OTEL_SERVICE_NAME'] || 'foreword')
}

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
