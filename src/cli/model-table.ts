import { requestList } from './answer.ts'
import { countedText, numberText } from '../context.ts'
import type { GatewayConnection } from '../capability.ts'
import { nearestName } from '../platform.ts'
import type { ModelStatus } from '../runtime.ts'
import { CommandFailure } from './failure.ts'
import { wrappedLine } from './wrapped-line.ts'
import { fittedTable } from './table.ts'
import { withLocalTimes } from './time-text.ts'

/** A model, or a provider that cannot be used, with the reason. */
type ModelLine = ModelStatus & { readonly why?: string; readonly window?: number }

/** Every model that can be used, and every provider that cannot. */
export async function fetchModels(connection: GatewayConnection): Promise<readonly ModelLine[]> {
  return await requestList<ModelLine>(connection, '/api/models', 'models')
}

/** One model per line: its name, its sizes in tokens, its abilities, their source, and the calibration of its token counts. `~` marks assumed figures. */
export function modelTable(models: readonly ModelLine[], columns: number): string {
  const head = ['', 'model', 'window', 'output', 'can', 'known from', 'calibration', 'name']
  const ready = models.filter((model) => model.why === undefined)
  const reasons = models.flatMap(({ id, why }) => (why === undefined ? [] : [reasonLine(id, why)]))
  const note = ready.some(({ facts }) => facts?.assumed) ? [ASSUMED_NOTE] : []
  const limits = models.flatMap(({ limit }) => (limit === undefined ? [] : [withLocalTimes(limit.sentence)]))
  const isNamed = ready.some(({ facts }) => facts?.name !== undefined)
  const lines = [head, ...ready.map(modelRow)].map((row) => (isNamed ? row : row.slice(0, -1)))
  const rows = fittedTable(lines, { right: [2, 3], columns, spare: [6, 5, 7, 4, 3] })
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
    facts ? figure(facts, 'window') : window === undefined ? '-' : numberText(window),
    facts ? figure(facts, 'maxOutput') : '-',
    facts === undefined ? '-' : abilities(facts),
    facts === undefined ? '-' : [facts.source, facts.date].filter(Boolean).join(' '),
    calibration === undefined
      ? '-'
      : `×${calibration.ratio.toFixed(2)} (${calibration.counter}, ${countedText(calibration.samples, 'call')})`,
    facts?.name ?? '',
  ]
}

type Facts = NonNullable<ModelStatus['facts']>

function figure(facts: Facts, name: 'window' | 'maxOutput'): string {
  return `${facts.assumed?.includes(name) ? '~' : ''}${numberText(facts[name])}`
}

function abilities(facts: Facts): string {
  const found = (['tools', 'vision', 'audio', 'reasoning'] as const)
    .filter((name) => facts[name])
    .map((name) => `${name !== 'audio' && facts.assumed?.includes(name) ? '~' : ''}${ABILITIES[name]}`)
  return found.length === 0 ? '-' : found.join(' ')
}

/** The words of the page. */
const ABILITIES = { tools: 'tools', vision: 'images', audio: 'sound', reasoning: 'reasoning' } as const

/** Runs `work`, which names a model. Where the model does not exist, the failure has the nearest one as its hint. */
export async function withNearestModel<T>(
  connection: GatewayConnection,
  model: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (model === undefined || !(error instanceof CommandFailure) || error.code !== NOT_FOUND) throw error
    throw new CommandFailure(error.code, error.message, {
      hint: await nearestModelHint(connection, model),
      cause: error,
    })
  }
}

const MOST_PROPOSED = 3

export const NOT_FOUND = 'model-not-found'

/** A hint with the nearest model; how to list the models where none is near. */
export async function nearestModelHint(connection: GatewayConnection, model: string): Promise<string> {
  const models = await fetchModels(connection).catch(() => [])
  // One that is listed and not there at its provider is no proposal for itself.
  const ids = models.filter(({ ready, id }) => ready && id !== model).map(({ id }) => id)
  const name = model.slice(model.indexOf('/') + 1)
  const ofOther = ids.find((id) => id.slice(id.indexOf('/') + 1) === name)
  const near = ofOther ?? nearestName(model, ids) ?? nearestByName(name, ids) ?? withNearestProvider(model, models)
  if (near !== undefined) return `Did you mean ${near}?`
  const some = ids.slice(0, MOST_PROPOSED).join(', ')
  return `${some === '' ? '' : `Use one of these, for example: ${some}. `}List the models with \`foreword models\`.`
}

function withNearestProvider(model: string, models: readonly ModelLine[]): string | undefined {
  const [provider = '', ...name] = model.split('/')
  if (name.length === 0) return undefined
  const near = nearestName(provider, [...new Set(models.map(({ id }) => id.split('/')[0]!))])
  return near === undefined || near === provider ? undefined : [near, ...name].join('/')
}

/** The nearest model by its name without the provider. */
function nearestByName(name: string, ids: readonly string[]): string | undefined {
  const names = new Map(ids.map((id) => [id.slice(id.indexOf('/') + 1), id]))
  const near = nearestName(name, [...names.keys()])
  return near === undefined ? undefined : names.get(near)
}
