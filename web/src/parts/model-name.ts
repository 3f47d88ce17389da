/** A model as a person calls it, and the provider where that does not go without saying. */
export interface ModelName {
  readonly name: string
  readonly provider: string
}

/** `claude-sonnet-4-5` of `anthropic/claude-sonnet-4-5`; the whole id where a model of another provider has the same name. */
export function modelName(id: string, all: readonly { readonly id: string }[] = []): ModelName {
  const at = id.indexOf('/')
  const name = id.slice(at + 1)
  const isTwice = all.some((other) => other.id !== id && other.id.slice(other.id.indexOf('/') + 1) === name)
  return { name: isTwice ? id : name, provider: at === -1 || isTwice ? '' : id.slice(0, at) }
}
