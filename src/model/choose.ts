import { type Connected } from './connection.ts'
import { ModelError } from './model-error.ts'
import type { Provider, Suggestion } from './provider.ts'

/** What to use where nobody chose, in words for a start screen. */
export interface Choice {
  readonly id: string
  readonly why: string
  /** No model is attached: a stand-in answers. */
  readonly standIn?: true
  readonly alternatives: readonly { readonly id: string; readonly why: string }[]
}

/** A start must not wait for what is not there, ms. */
const GLANCE_MS = 300

/** The best suggestion of all providers, or the stand-in. Reaches only what the providers' `suggest` asks. */
export async function choose(all: readonly Connected[], ways: string): Promise<Choice> {
  const found = await Promise.all(
    all.map(async (connected) => {
      const suggestions = await suggestionsOf(connected).catch(() => [])
      return suggestions.map(({ name, why, rank }) => ({ id: `${connected.connection.name}/${name}`, why, rank }))
    }),
  )
  const ranked = found.flat().toSorted((a, b) => a.rank - b.rank)
  const suggested = ranked.map(({ id, why }) => ({ id, why }))
  const standIns = all.flatMap(({ provider: { kind, standIn }, connection: { name } }) =>
    standIn === undefined || name !== kind ? [] : [{ id: name, why: `${standIn} ${ways}`, standIn: true as const }],
  )
  const [first, ...alternatives] = [...suggested, ...standIns]
  if (!first) {
    throw new ModelError('model-not-found', 'No model is attached. Set `model`.', { provider: '', model: '' })
  }
  return { ...first, alternatives: alternatives.map(({ id, why }) => ({ id, why })) }
}

async function suggestionsOf({ provider, connection }: Connected): Promise<readonly Suggestion[]> {
  if (provider.suggest) return provider.suggest(connection, GLANCE_MS)
  const { defaultModel } = provider
  if (!defaultModel || !(await connection.key())) return []
  return [{ ...defaultModel, why: `A key for ${connection.name} is set.` }]
}

/** How somebody who has no model gets one, as the known providers say. */
export function waysToAttach(known: readonly Provider[]): string {
  const keys = known
    .filter(({ builtIn, defaultModel }) => builtIn && defaultModel)
    .toSorted((a, b) => a.defaultModel!.rank - b.defaultModel!.rank)
    .flatMap(({ environmentKeys = [] }) => environmentKeys)
  const ways = [
    ...known.flatMap(({ attach }) => (attach === undefined ? [] : [attach])),
    ...(keys.length > 0 ? [`set ${keys.join(' or ')}`] : []),
    'or name a server in `providers` of config.json',
  ].join(', ')
  return `${ways.charAt(0).toUpperCase()}${ways.slice(1)}.`
}
