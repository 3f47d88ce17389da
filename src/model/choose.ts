import { DEFAULT_MODELS } from './catalog-data.ts'
import { ollamaFacts, ollamaNames } from './ollama-models.ts'
import type { Place } from './place.ts'

/** What to use where nobody chose, in words for a start screen. */
export interface Choice {
  readonly id: string
  readonly why: string
  readonly alternatives: readonly { readonly id: string; readonly why: string }[]
}

/** A start must not wait for what is not there, ms. */
const GLANCE_MS = 300

/** A running Ollama, then a key in the environment, then `rehearsal`. Reaches no address beyond Ollama's. */
export async function choose(all: readonly Place[]): Promise<Choice> {
  const found = (await Promise.all(all.map(candidates))).flat()
  const ranked = found.toSorted((a, b) => a.rank - b.rank).map(({ id, why }) => ({ id, why }))
  const [first, ...alternatives] = [...ranked, REHEARSAL]
  return { ...first, alternatives }
}

const REHEARSAL = {
  id: 'rehearsal',
  why:
    'No model is attached yet, so this is a rehearsal: it answers with the outline of what a model would have been sent. ' +
    'Start Ollama, or set ANTHROPIC_API_KEY or OPENAI_API_KEY.',
}

interface Candidate {
  readonly id: string
  readonly why: string
  readonly rank: number
}

async function candidates(place: Place): Promise<readonly Candidate[]> {
  const { provider, kind } = place
  if (kind === 'ollama') return ollamaCandidates(place).catch(() => [])
  if (kind !== 'anthropic' && kind !== 'openai') return []
  const key = await place.key().catch(() => undefined)
  if (!key) return []
  const id = `${provider}/${DEFAULT_MODELS[kind]}`
  return [{ id, why: `A key for ${provider} is set.`, rank: kind === 'anthropic' ? 2 : 3 }]
}

/** As many models as are looked into for tools. */
const LOOKED_INTO = 8

async function ollamaCandidates(place: Place): Promise<readonly Candidate[]> {
  const server = await place.server()
  const names = (await ollamaNames(server, GLANCE_MS)).slice(0, LOOKED_INTO)
  const models = await Promise.all(
    names.map(async (name) => {
      const facts = await ollamaFacts(server, name, undefined, GLANCE_MS).catch(() => undefined)
      return { id: `${place.provider}/${name}`, tools: facts?.tools === true && facts.source === 'provider' }
    }),
  )
  const here = `Ollama runs at ${place.baseURL}`
  return models.map(({ id, tools }) =>
    tools
      ? { id, why: `${here}, and this model can use tools.`, rank: 0 }
      : { id, why: `${here}. This model cannot use tools.`, rank: 1 },
  )
}
