/** A model that the scripted server says it has. */
export interface ScriptedModel {
  readonly name: string
  /** The most it can take, tokens. 131,072 unless given; `null` is not told. */
  readonly contextLength?: number | null
  /** Ollama's words: `completion`, `tools`, `vision`, `thinking`. */
  readonly capabilities?: readonly string[]
  /** Ollama's `parameters` text, such as `num_ctx 8192`. */
  readonly parameters?: string
}

interface PlainAnswer {
  readonly status: number
  readonly body: unknown
}

/** Answers to `/api/tags`, `/api/show` and `/v1/models`; 404 for everything else. */
export function modelsAnswer(path: string, bytes: Buffer, models: readonly ScriptedModel[]): PlainAnswer {
  switch (path) {
    case '/api/tags':
      return { status: 200, body: { models: models.map(({ name }) => ({ name, model: name, size: 1, details: {} })) } }
    case '/api/show':
      return show(JSON.parse(bytes.toString('utf8')) as { model?: string; name?: string }, models)
    case '/v1/models':
      return { status: 200, body: { object: 'list', data: models.map(row) } }
    default:
      return { status: 404, body: { error: { message: `nothing answers at ${path}` } } }
  }
}

function show(asked: { model?: string; name?: string }, models: readonly ScriptedModel[]): PlainAnswer {
  const wanted = asked.model ?? asked.name ?? ''
  const found = models.find(({ name }) => name === wanted || name === `${wanted}:latest`)
  if (!found) return { status: 404, body: { error: `model '${wanted}' not found` } }
  const { contextLength = 131_072, capabilities = ['completion', 'tools'], parameters } = found
  const length = contextLength === null ? {} : { 'scripted.context_length': contextLength }
  const info = { 'general.architecture': 'scripted', ...length }
  return { status: 200, body: { details: {}, model_info: info, capabilities, ...(parameters ? { parameters } : {}) } }
}

function row({ name, contextLength = 131_072 }: ScriptedModel): object {
  return { id: name, object: 'model', ...(contextLength === null ? {} : { context_length: contextLength }) }
}
