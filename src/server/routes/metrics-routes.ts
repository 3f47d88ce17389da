import { type Route, route, type Runtime, type RuntimeMetrics, type UsageSums } from '../../capability.ts'
import { type Pauses, watchPauses } from '../../platform.ts'
import { securityHeaders } from '../answer.ts'
import { gatewayMetrics, type Metric, METRICS_TYPE, metricsText, type MetricSample } from '../metrics-text.ts'

/** What a monitoring system reads. Nothing of it is about what anybody said. */
export function metricsRoutes(runtime: Runtime, version: string): readonly Route[] {
  let pauses: (() => Pauses) | undefined
  return [
    route('GET /metrics', {
      scope: 'read',
      tag: 'system',
      summary: 'Metrics in the text format of Prometheus',
      description:
        'Counters begin with the process. A read adds up the calls since the one before, whatever the store has. ' +
        'Pauses of the event loop are watched from the first read on.',
      answers: { 200: { description: 'The metrics', media: 'text/plain' } },
      async handle() {
        const { gateways } = runtime.store
        pauses ??= watchPauses(runtime.store.clock)
        const [metrics, why] = await Promise.all([runtime.metrics(), runtime.unready()])
        const body = metricsText([
          ...runtimeMetrics(metrics),
          ...processMetrics(metrics.started, pauses()),
          gauge('foreword_ready', 'Whether a message would be accepted.', [{ value: why ? 0 : 1 }]),
          ...(gateways ? gatewayMetrics({ isActive: !why, takeovers: gateways.tookOver ? 1 : 0 }) : []),
          gauge('foreword_info', 'The version.', [{ value: 1, labels: { version } }]),
        ])
        return new Response(body, { headers: { ...securityHeaders, 'content-type': METRICS_TYPE } })
      },
    }),
  ]
}

function runtimeMetrics({ turns, calls, ...now }: RuntimeMetrics): readonly Metric[] {
  const byModel = (of: (sums: UsageSums) => number) =>
    calls.map(({ model, ...sums }) => ({ value: of(sums), labels: { model: model ?? 'other' } }))
  return [
    counter(
      'foreword_turns_total',
      'Turns that ended.',
      Object.entries(turns).map(([outcome, value]) => ({ value, labels: { outcome } })),
    ),
    counter(
      'foreword_calls_total',
      'Calls to models that ended.',
      byModel((sums) => sums.calls),
    ),
    counter(
      'foreword_calls_unreported_total',
      'Of the calls, those whose provider did not report the prompt or the answer.',
      byModel((sums) => sums.unreported),
    ),
    counter(
      'foreword_calls_unpriced_total',
      'Of the calls, those without a price or a report of their usage.',
      byModel((sums) => sums.unpriced),
    ),
    counter(
      'foreword_tokens_total',
      'Tokens as providers reported them. Of a prompt: fresh, cached, written to a cache, or undivided.',
      (['fresh', 'cached', 'written', 'undivided', 'output'] as const).flatMap((kind) =>
        byModel((sums) => sums[kind]).map(({ value, labels }) => ({ value, labels: { ...labels, kind } })),
      ),
    ),
    counter(
      'foreword_cost_dollars_total',
      'US dollars of the calls that have a price.',
      byModel((sums) => sums.money ?? 0),
    ),
    gauge('foreword_turns_running', 'Turns that run.', [{ value: now.running }]),
    gauge('foreword_turns_queued', 'Turns that wait for their session.', [{ value: now.queued }]),
    gauge('foreword_approvals_waiting', 'Calls that wait for a person.', [{ value: now.waiting }]),
    gauge(
      'foreword_provider_failures',
      'Calls to a provider that failed one after the other. Absent while it answers.',
      now.breakers.map(({ provider, failures }) => ({ value: failures, labels: { provider } })),
    ),
    gauge(
      'foreword_provider_breaker',
      'The state of the breaker of a provider. Absent while it answers.',
      now.breakers.flatMap(({ provider, state }) =>
        BREAKER_STATES.map((each) => ({ value: each === state ? 1 : 0, labels: { provider, state: each } })),
      ),
    ),
    gauge('foreword_store_bytes', 'Size of the store on disk.', [{ value: now.storeBytes }]),
  ]
}

const BREAKER_STATES = ['closed', 'half-open', 'open'] as const

/** Names as other programs have them. */
function processMetrics(started: string, { buckets, sum }: Pauses): readonly Metric[] {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  const name = 'foreword_event_loop_delay_seconds'
  return [
    {
      name,
      help: 'How late timers ran.',
      type: 'histogram',
      samples: [
        ...buckets.map(({ bound, count }) => ({
          part: '_bucket',
          value: count,
          labels: { le: bound === Infinity ? '+Inf' : String(bound) },
        })),
        { part: '_sum', value: sum },
        { part: '_count', value: buckets.at(-1)!.count },
      ],
    },
    counter('process_cpu_seconds_total', 'Processor time.', [{ value: (user + system) / 1e6 }]),
    gauge('process_resident_memory_bytes', 'Resident memory.', [{ value: rss }]),
    gauge('nodejs_heap_size_used_bytes', 'Used heap.', [{ value: heapUsed }]),
    gauge('process_start_time_seconds', 'When it started, since 1970.', [{ value: Date.parse(started) / 1_000 }]),
  ]
}

const counter = (name: string, help: string, samples: readonly MetricSample[]): Metric => ({
  name,
  help,
  type: 'counter',
  samples,
})
const gauge = (name: string, help: string, samples: readonly MetricSample[]): Metric => ({
  name,
  help,
  type: 'gauge',
  samples,
})
