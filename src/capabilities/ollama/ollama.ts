import { z } from 'zod'
import { provider } from '../../model/provider.ts'
import type { EmbedderKind } from '../../search.ts'

/** Ollama, over its native API. The list of models always comes from the server, which can only call models that it has pulled. */
export const ollama = provider({
  kind: 'ollama',
  title: 'Ollama',
  website: 'https://ollama.com/download',
  builtIn: true,
  baseURL: ollamaAddress(''),
  baseURLVariable: 'OLLAMA_HOST',
  readBaseURL: ollamaAddress,
  embeddingsPath: '/v1/embeddings',
  calls: [
    ...['chat', 'generate', 'embed', 'embeddings', 'show'].map((name) => `POST /api/${name}`),
    ...['tags', 'ps', 'version'].map((name) => `GET /api/${name}`),
  ],
  settings: {
    keepAlive: z
      .string()
      .regex(/^(?:server|forever|\d+|(?:\d+[smh])+)$/)
      .optional()
      .describe(
        'How long Ollama is asked to keep a model loaded after a call: `30m` unless given here or in OLLAMA_KEEP_ALIVE, `forever`, or `server` for what the server is set to.',
      ),
  },
  attach: 'start Ollama (`ollama serve`)',
  open: async (settings) => (await import('./ollama-model.ts')).ollamaModel(settings),
  list: async (connection, milliseconds) => (await import('./ollama-server.ts')).ollamaModels(connection, milliseconds),
  verify: async (connection, milliseconds) =>
    (await import('./ollama-server.ts')).ollamaModels(connection, milliseconds),
  facts: async (connection, model, milliseconds) =>
    (await import('./ollama-server.ts')).ollamaModelFacts(connection, model, milliseconds),
  suggest: async (connection, milliseconds) =>
    (await import('./ollama-server.ts')).suggestOllamaModels(connection, milliseconds),
})

/** Embedding models of Ollama, at `baseURL`, at `OLLAMA_HOST`, or at its usual address. */
export const ollamaEmbedding: EmbedderKind = {
  kind: 'ollama',
  open: async ({ environment, baseURL = environment['OLLAMA_HOST'] ?? '', ...service }) =>
    (await import('./ollama-embedder.ts')).ollamaEmbedder({ ...service, baseURL: ollamaAddress(baseURL) }),
}

/** Reads `OLLAMA_HOST` as Ollama does: host, port, both, or address. 0.0.0.0, which servers bind, is this machine. */
export function ollamaAddress(host: string): string {
  const given = host.trim()
  if (given === '') return 'http://127.0.0.1:11434'
  const text = /^https?:\/\//.test(given) ? given : `http://${given.startsWith(':') ? `127.0.0.1${given}` : given}`
  const url = new URL(text)
  const portless = url.port === '' && !/^https?:\/\//.test(given)
  if (portless) url.port = '11434'
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1'
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/(?:api|v1)$/, '')}`
}
