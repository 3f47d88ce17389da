import { capability } from '../capability.ts'
import type { Provider } from '../model.ts'
import type { EmbedderKind } from '../search.ts'
import { anthropic } from './anthropic/anthropic.ts'
import { ollama, ollamaEmbedding } from './ollama/ollama.ts'
import { openaiCompatible, openaiCompatibleEmbedding } from './openai-compatible/openai-compatible.ts'
import { openai } from './openai/openai.ts'
import { rehearsal } from './rehearsal/rehearsal.ts'

/** The providers that come with Foreword. Lists and suggestions of models keep this order. */
export const providers: readonly Provider[] = [ollama, openai, anthropic, openaiCompatible, rehearsal]

const embedders: readonly EmbedderKind[] = [ollamaEmbedding, openaiCompatibleEmbedding]

/** Each as a capability of its own, which can be left out, with the embedding models of its servers. */
export const providerCapabilities = providers.map((one) =>
  capability({
    name: one.kind,
    models: { providers: [one], embedders: embedders.filter(({ kind }) => kind === one.kind) },
  }),
)

export { anthropic, ollama, openai, openaiCompatible, rehearsal }
