import type { SettingsWarning } from '../../capability.ts'
import { builtInProviders, type Provider } from '../../model.ts'
import { nearestHint, nearestName } from '../../platform.ts'
import { namesAt, withTexts } from './key.ts'
import type { ConfigurationProblem, Fault } from './problem.ts'
import type { ConfigurationSchema } from './schema.ts'
import type { Configuration } from './configuration.ts'
import type { Environment } from './value.ts'

/** Names of layers and providers that nothing has: what was set for them has no effect. */
export function unknownNames(configuration: Configuration, schema: ConfigurationSchema): readonly SettingsWarning[] {
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

/** Kinds of embedding models that no capability provides. Unlike other unknown names they are problems: a search without its model finds less, and nobody would notice. */
export function unknownEmbedders(
  value: unknown,
  { whole, capabilities }: Pick<ConfigurationSchema, 'whole' | 'capabilities'>,
): readonly Fault[] {
  const kinds = capabilities.flatMap(({ models }) => models?.embedders?.map(({ kind }) => kind) ?? [])
  const faults: Fault[] = []
  withTexts(whole, value, (kind, { embedder }, path) => {
    if (embedder && !kinds.includes(kind)) {
      const near = nearestName(kind, kinds)
      const message = kinds.length === 0 ? 'has no possible value' : `must be one of ${kinds.join(', ')}`
      const none = 'List a capability that provides embedding models, or remove this section.'
      faults.push({ path, message, hint: near ? `Did you mean ${near}?` : kinds.length === 0 ? none : '' })
    }
    return kind
  })
  return faults
}

/** Why this can be the id of no model; `undefined` where it can. */
export function modelNameFault(
  id: string,
  configuration: Pick<Configuration, 'providers'>,
  known: readonly Provider[],
): Pick<SettingsWarning, 'message' | 'hint'> | undefined {
  const entries = { ...builtInProviders(known), ...configuration.providers }
  const providers = Object.keys(entries)
  const slash = id.indexOf('/')
  const provider = slash === -1 ? id : id.slice(0, slash)
  if (providers.includes(provider)) {
    if (slash !== -1 || known.some(({ kind, onlyModel }) => onlyModel && kind === entries[provider]?.kind))
      return undefined
    return { message: 'names a provider, but no model', hint: `Write ${provider}/MODEL.` }
  }
  const there = nearestHint(provider, providers, `There are: ${providers.join(', ')}.`)
  return slash === -1
    ? { message: 'is not the id of a model', hint: `Write PROVIDER/MODEL. ${there}` }
    : { message: `names the provider ${JSON.stringify(provider)}, which does not exist`, hint: there }
}

/** Layers that are declared with a place of their own, and so are in no layout. */
const PLACED_BY_THEMSELVES = ['date']

function unknownLayers(
  { context, plugins, capabilities }: Configuration,
  { layouts }: ConfigurationSchema,
): readonly SettingsWarning[] {
  const { layout, placements } = context
  // A layout of a capability comes whole: only the capability knows which layers it may place.
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
        ? `There are: ${known.join(', ')}. List a plugin that declares another one in plugins.`
        : `Did you mean ${near}?`
    return [{ key, message: 'is not the name of a layer', hint }]
  })
}

const OTHERS = ['FOREWORD_HOME', 'FOREWORD_NETWORK_HOME', 'FOREWORD_DEBUG', 'FOREWORD_STORE_PASSWORD']

/** Of what the command starts, and of the development of Foreword: nobody means one of these. */
const INTERNAL = new Set(['FOREWORD_RUN', 'FOREWORD_LOCOMO'])

/** Set for the programs of skills (docs/guide/skills.md), which may call the command. */
const OF_TOOLS = /^FOREWORD_TOOL_/

/** Variables that begin with `FOREWORD_` and set nothing, each with the one that may be meant. An empty variable sets nothing. */
export function unknownVariables(
  environment: Environment,
  configuration: unknown,
  schema: Pick<ConfigurationSchema, 'plainKeys' | 'json'>,
): readonly ConfigurationProblem[] {
  const known = [...schema.plainKeys.flatMap(({ variables }) => variables), ...OTHERS]
  const named = textsIn(configuration)
  return Object.keys(environment)
    .filter((name) => /^foreword_/i.test(name) && (environment[name] ?? '') !== '')
    .filter((name) => !known.includes(name) && !INTERNAL.has(name) && !OF_TOOLS.test(name) && !named.has(name))
    .map((name) => ({
      key: '',
      place: name,
      message: 'this variable sets nothing',
      hint: variableHint(name, known, schema),
    }))
}

function variableHint(
  name: string,
  known: readonly string[],
  schema: Pick<ConfigurationSchema, 'plainKeys' | 'json'>,
): string {
  const map = findMap(name, schema)
  if (map !== undefined) return `Set entries of ${map} in config.json.`
  const otherwise = 'Write a key in capitals with underscores: gateway.port is FOREWORD_GATEWAY_PORT.'
  return nearestHint(name.toUpperCase(), known, otherwise)
}

/** The map that a variable would set an entry of, such as `FOREWORD_PROVIDERS_LAB_KIND`. */
function findMap(
  name: string,
  { plainKeys, json }: Pick<ConfigurationSchema, 'plainKeys' | 'json'>,
): string | undefined {
  const single = new Set(plainKeys.map(({ path: [first] }) => first))
  const maps = namesAt([], json).filter((key) => !single.has(key) && key !== '$schema')
  return maps.find((key) => name.toUpperCase().startsWith(`FOREWORD_${key.toUpperCase()}_`))
}

/** Names of variables that hold keys may begin with `FOREWORD_`, too: they appear in the configuration as texts. */
function textsIn(value: unknown): ReadonlySet<string> {
  if (typeof value === 'string') return new Set([value])
  if (typeof value !== 'object' || value === null) return new Set()
  return new Set(Object.values(value).flatMap((inner) => [...textsIn(inner)]))
}
