import type { ModelStatus } from '../runtime.ts'
import { ask } from './answer.ts'
import type { Connection } from '../capability.ts'
import { wrappedLine } from './help.ts'
import { fittedTable } from './table.ts'
import { withLocalTimes } from './time-text.ts'

/** A model, or a provider that cannot be used as it is and says why. */
export type ModelLine = ModelStatus & { readonly why?: string; readonly window?: number }

export async function fetchModels(connection: Connection): Promise<readonly ModelLine[]> {
  return (await ask<{ readonly models: readonly ModelLine[] }>(connection, '/api/models')).models
}

/** One model a line: what it can take and do, where that is known from, and what was learned of its counting. What is assumed has a `~`. */
export function modelTable(models: readonly ModelLine[], columns: number): string {
  const head = ['', 'model', 'window', 'output', 'can', 'known from', 'calibration']
  const ready = models.filter((model) => model.why === undefined)
  const reasons = models.flatMap(({ id, why }) => (why === undefined ? [] : [reasonLine(id, why)]))
  const note = ready.some(({ facts }) => facts?.assumed) ? [ASSUMED_NOTE] : []
  const limits = models.flatMap(({ limit }) => (limit === undefined ? [] : [withLocalTimes(limit.sentence)]))
  const rows = fittedTable([head, ...ready.map(modelRow)], { right: [2, 3], columns, spare: [6, 5, 4, 3] })
  return [rows, ...[...note, ...reasons, ...limits].map((line) => wrappedLine(line, columns))].join('\n')
}

/** One line, such as `openai needs a key: set OPENAI_API_KEY`. */
function reasonLine(id: string, why: string): string {
  const line = why.replaceAll(/\s+/g, ' ').trim()
  return line.toLowerCase().startsWith(id.toLowerCase()) ? line : `${id}: ${line}`
}

const ASSUMED_NOTE =
  '~ marks an assumed figure, which no source gives. Set what you know in config.json: "models": {"ID": {"window": TOKENS, "maxOutput": TOKENS}}'

function modelRow({ current, id, facts, window, calibration }: ModelLine): readonly string[] {
  return [
    current ? '*' : '',
    id,
    facts ? marked(facts, 'window') : String(window ?? '-'),
    facts ? marked(facts, 'maxOutput') : '-',
    facts === undefined ? '-' : abilities(facts),
    facts === undefined ? '-' : [facts.source, facts.date].filter(Boolean).join(' '),
    calibration === undefined
      ? '-'
      : `×${calibration.ratio.toFixed(2)} (${calibration.counter}, ${calibration.samples} ${calibration.samples === 1 ? 'call' : 'calls'})`,
  ]
}

type Facts = NonNullable<ModelStatus['facts']>

function marked(facts: Facts, name: 'window' | 'maxOutput'): string {
  return `${facts.assumed?.includes(name) ? '~' : ''}${facts[name]}`
}

function abilities(facts: Facts): string {
  const found = (['tools', 'vision', 'reasoning'] as const)
    .filter((name) => facts[name])
    .map((name) => (facts.assumed?.includes(name) ? `~${name}` : name))
  return found.length === 0 ? '-' : found.join(' ')
}
