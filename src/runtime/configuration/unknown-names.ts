import { builtInProviders, type Provider } from '../../model.ts'
import { nearestName } from '../../platform.ts'
import type { ConfigurationSchema } from './schema.ts'
import { withTexts } from './setting-texts.ts'
import type { Configuration } from './settled.ts'
import type { ConfigurationWarning } from './configuration-warning.ts'

/** Names of layers and providers that nothing has: what was set for them has no effect. */
export function unknownNames(
  configuration: Configuration,
  schema: ConfigurationSchema,
): readonly ConfigurationWarning[] {
  const known = schema.providers
  const named: (readonly [key: string, id: string])[] = Object.keys(configuration.models).map((id) => [
    `models.${id}`,
    id,
  ])
  withTexts(schema.whole, configuration, (id, { model }, path) => {
    if (model) named.push([path.join('.'), id])
    return id
  })
  return [
    ...unknownLayers(configuration, schema),
    ...named.flatMap(([key, id]) => {
      const fault = modelNameFault(id, configuration, known)
      return fault === undefined ? [] : [{ key, ...fault }]
    }),
  ]
}

/** Why this can be the id of no model; `undefined` where it can. */
export function modelNameFault(
  id: string,
  configuration: Pick<Configuration, 'providers'>,
  known: readonly Provider[],
): Pick<ConfigurationWarning, 'message' | 'hint'> | undefined {
  const entries = { ...builtInProviders(known), ...configuration.providers }
  const providers = Object.keys(entries)
  const slash = id.indexOf('/')
  const provider = slash === -1 ? id : id.slice(0, slash)
  if (providers.includes(provider)) {
    if (slash !== -1 || known.some(({ kind, onlyModel }) => onlyModel && kind === entries[provider]?.kind))
      return undefined
    return { message: 'names a provider, and no model of it', hint: `Write ${provider}/MODEL.` }
  }
  const near = nearestName(provider, providers)
  const there = near === undefined ? `There are: ${providers.join(', ')}.` : `Did you mean ${near}?`
  return slash === -1
    ? {
        message: 'is not the id of a model',
        hint: `A model is named PROVIDER/MODEL, such as ollama/llama3.2. ${there}`,
      }
    : { message: `names the provider ${JSON.stringify(provider)}, which does not exist`, hint: there }
}

/** Layers that are declared with a place of their own, and so stand in no layout. */
const PLACED_BY_THEMSELVES = ['date']

/** Plugins and capabilities of the owner declare layers of their own: without any, every name is known. */
function unknownLayers(
  { context, plugins, capabilities }: Configuration,
  { layouts }: ConfigurationSchema,
): readonly ConfigurationWarning[] {
  const { layout, placements } = context
  // A layout of a capability is there as a whole; which layers it may place is for the capability to know.
  if (typeof layout === 'string' || !('extends' in layout)) return []
  const known = [...Object.keys(layouts[layout.extends]?.placements ?? {}), ...PLACED_BY_THEMSELVES]
  const names = Object.keys({ ...layout.placements, ...placements })
  return names.flatMap((name) => {
    if (known.includes(name)) return []
    const near = nearestName(name, known)
    if (near === undefined && plugins.length + capabilities.length > 0) return []
    const key = Object.hasOwn(placements, name) ? `context.placements.${name}` : `context.layout.placements.${name}`
    const hint =
      near === undefined
        ? `There are: ${known.join(', ')}. A plugin that gives another one has to be named in plugins.`
        : `Did you mean ${near}?`
    return [{ key, message: 'is the name of no layer', hint }]
  })
}
