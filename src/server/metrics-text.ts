/** One metric of the text format of Prometheus. */
export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly MetricSample[]
}

/** `part` is what follows the name of a histogram: `_bucket`, `_sum` or `_count`. */
export interface MetricSample {
  readonly value: number
  readonly labels?: Readonly<Record<string, string>>
  readonly part?: string
}

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Metrics as Prometheus reads them. A metric without samples is left out. */
export function metricsText(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(
        ({ part = '', labels = {}, value }) => `${name}${part}${labelsText(labels)} ${numberText(value)}\n`,
      )
      return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`
    })
    .join('')
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(text: string): string {
  return text.toWellFormed().replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

function numberText(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value)
  return value > 0 ? '+Inf' : '-Inf'
}

/** What `/metrics` reports of a gateway among several on one store. */
export function gatewayMetrics({
  isActive,
  takeovers,
}: {
  readonly isActive: boolean
  readonly takeovers: number
}): readonly Metric[] {
  return [
    {
      name: 'foreword_gateway_active',
      help: 'Whether this gateway works (1) or stands by (0).',
      type: 'gauge',
      samples: [{ value: isActive ? 1 : 0 }],
    },
    {
      name: 'foreword_gateway_takeovers_total',
      help: 'Times that this process took the store over from another gateway.',
      type: 'counter',
      samples: [{ value: takeovers }],
    },
  ]
}
