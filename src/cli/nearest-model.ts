import type { Connection } from './connection.ts'
import { CommandFailure } from './failure.ts'
import { fetchModels, type ModelLine } from './model-table.ts'
import { nearestName } from '../platform.ts'

/** Does what names a model. Where there is none of that id, the failure says which one was meant. */
export async function withNearestModel<T>(
  connection: Connection,
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

export const NOT_FOUND = 'model-not-found'

/** Which model was meant, in a sentence; how to list them where none is near. */
export async function nearestModelHint(connection: Connection, model: string): Promise<string> {
  const models = await fetchModels(connection).catch(() => [])
  const ids = models.filter(({ ready }) => ready).map(({ id }) => id)
  const name = model.slice(model.indexOf('/') + 1)
  const ofOther = ids.find((id) => id.slice(id.indexOf('/') + 1) === name)
  const near = ofOther ?? nearestName(model, ids) ?? nearestOf(name, ids) ?? withNearestProvider(model, models)
  return near === undefined ? '`foreword models` lists the models.' : `Did you mean ${near}?`
}

/** The same model of a provider whose name is near, whether or not its models can be listed now. */
function withNearestProvider(model: string, models: readonly ModelLine[]): string | undefined {
  const [provider = '', ...name] = model.split('/')
  if (name.length === 0) return undefined
  const near = nearestName(provider, [...new Set(models.map(({ id }) => id.split('/')[0]!))])
  return near === undefined || near === provider ? undefined : [near, ...name].join('/')
}

/** By the name behind the provider alone. */
function nearestOf(name: string, ids: readonly string[]): string | undefined {
  const names = new Map(ids.map((id) => [id.slice(id.indexOf('/') + 1), id]))
  const near = nearestName(name, [...names.keys()])
  return near === undefined ? undefined : names.get(near)
}
