/** A model as a person calls it, and the provider where that does not go without saying. */
export interface ModelName {
  readonly name: string
  readonly provider: string
}

interface NamedModel {
  readonly id: string
  readonly facts?: { readonly name?: string } | undefined
}

/**
 * The name that the catalogue knows, such as `Claude Sonnet 5.5`; else `llama3.2` of `ollama/llama3.2`, and the whole id where a
 * model of another provider has the same one.
 */
export function modelName(id: string, all: readonly NamedModel[] = []): ModelName {
  const at = id.indexOf('/')
  const provider = at === -1 ? '' : id.slice(0, at)
  const known = all.find((model) => model.id === id)?.facts?.name
  if (known !== undefined) return { name: known, provider }
  const name = id.slice(at + 1)
  const isTwice = all.some((other) => other.id !== id && other.id.slice(other.id.indexOf('/') + 1) === name)
  return { name: isTwice ? id : name, provider: isTwice ? '' : provider }
}
