import { providers as known } from '../../capabilities/providers.ts'
import type { Environment } from './environment.ts'
import { unusedKeys } from './providers-schema.ts'
import type { Configuration } from './settled.ts'
import type { ConfigurationWarning } from './warnings.ts'

/** Values that cannot have the effect that was meant, because of other values or of what they are. */
export function unusedValues(configuration: Configuration, environment: Environment): readonly ConfigurationWarning[] {
  const { models, providers, mcp } = configuration
  return [
    ...Object.entries(providers).flatMap(([name, provider]) => ofProvider(name, provider, environment)),
    ...Object.entries(models).flatMap(([id, facts]) => ofModel(id, facts)),
    ...Object.entries(mcp.servers).flatMap(([name, server]) => ofServer(name, server)),
    ...ofLimits(configuration),
    ...ofGateway(configuration),
    ...ofSkills(configuration),
    ...ofSearches(configuration),
    ...ofTelegram(configuration),
  ]
}

type Provider = Configuration['providers'][string]

function ofProvider(name: string, provider: Provider, environment: Environment): readonly ConfigurationWarning[] {
  const key = `providers.${name}`
  const { kind, apiKeyEnv, apiKeyFile, headers = {} } = provider
  const unused = unusedKeys(provider, known).map((field) => ({
    key: `${key}.${field}`,
    message: `has no effect on a provider of the kind ${kind}`,
    hint: 'Take it out, or choose another kind.',
  }))
  return [
    ...(/^[^\s/]+$/.test(name)
      ? []
      : [{ key, message: 'cannot be named in PROVIDER/MODEL', hint: 'Its name has no slash and no blank.' }]),
    ...(known.some((one) => one.kind === kind && one.needsBaseURL) && provider.baseURL === undefined
      ? [{ key: `${key}.baseURL`, message: 'is missing', hint: 'Say where the server is: http://127.0.0.1:1234/v1.' }]
      : []),
    ...unused,
    ...(apiKeyEnv !== undefined && apiKeyFile !== undefined
      ? [{ key: `${key}.apiKeyEnv`, message: 'has no effect beside apiKeyFile', hint: 'Keep one of the two.' }]
      : []),
    ...(apiKeyEnv !== undefined && apiKeyFile === undefined && !unused.length && !environment[apiKeyEnv]
      ? [
          {
            key: `${key}.apiKeyEnv`,
            message: `names ${apiKeyEnv}, which is not set`,
            hint: 'Set it in the environment.',
          },
        ]
      : []),
    ...Object.entries(headers)
      .filter((header) => !isHeader(header))
      .map(([header]) => ({
        key: `${key}.headers.${header}`,
        message: 'cannot be sent',
        hint: 'It is no HTTP header.',
      })),
  ]
}

/** What a fault of `Headers` says repeats the value, so it is not passed on. */
function isHeader(header: readonly [string, string]): boolean {
  try {
    return new Headers([[...header]]).has(header[0])
  } catch {
    return false
  }
}

function ofModel(id: string, { window, maxOutput }: Configuration['models'][string]): readonly ConfigurationWarning[] {
  if (window === undefined || maxOutput === undefined || maxOutput < window) return []
  return [
    {
      key: `models.${id}.maxOutput`,
      message: 'leaves no room for a prompt',
      hint: `Prompt and answer share the window of ${window} tokens.`,
    },
  ]
}

function ofServer(name: string, server: Configuration['mcp']['servers'][string]): readonly ConfigurationWarning[] {
  const { command, url } = server
  if ((command === undefined) === (url === undefined)) return []
  const useless = command === undefined ? (['args', 'environment', 'directory'] as const) : (['headers'] as const)
  return useless
    .filter((field) => server[field] !== undefined)
    .map((field) => ({
      key: `mcp.servers.${name}.${field}`,
      message: `has no effect on a server that is reached by ${command === undefined ? 'url' : 'command'}`,
      hint: 'Take it out.',
    }))
}

function ofLimits({ context, model, models }: Configuration): readonly ConfigurationWarning[] {
  const window = model === undefined ? undefined : models[model]?.window
  const taken = (context.reserve ?? 0) + (context.margin ?? 0)
  if (window === undefined || taken < window) return []
  const key = context.reserve === undefined ? 'context.margin' : 'context.reserve'
  return [{ key, message: 'leaves no room for a prompt', hint: `The window of ${model} has ${window} tokens.` }]
}

function ofGateway({ gateway }: Configuration): readonly ConfigurationWarning[] {
  return gateway.allowedHosts
    .filter((host) => !/^(?:[^\s/?#@:]+|\[[\da-f:.]+\]|[\da-f:.]+)(?::\d+)?$/i.test(host))
    .map((host) => ({
      key: 'gateway.allowedHosts',
      message: `has ${JSON.stringify(host)}, which is not a name that callers can use`,
      hint: 'Write a name or an address alone, such as box.local.',
    }))
}

function ofSkills({ context, skills }: Configuration): readonly ConfigurationWarning[] {
  const layout = typeof context.layout === 'string' ? context.layout : context.layout.extends
  if (layout !== 'ayati' || skills.contextMode === 'auto') return []
  const hint = 'There each skill is a block of its own. Name those that are not needed in skills.disabled.'
  return [{ key: 'skills.contextMode', message: 'has no effect in the layout ayati', hint }]
}

function ofSearches({ subjects, web }: Configuration): readonly ConfigurationWarning[] {
  return [
    ...(web.allowHosts.length > 0 && web.search === undefined
      ? [{ key: 'web.allowHosts', message: 'has no effect without web.search', hint: 'Name the search service there.' }]
      : []),
    ...(subjects.summaryModel !== undefined && !subjects.summarize
      ? [{ key: 'subjects.summaryModel', message: 'has no effect', hint: 'Set subjects.summarize to true.' }]
      : []),
  ]
}

function ofTelegram({ channels: { telegram } }: Configuration): readonly ConfigurationWarning[] {
  if (!telegram) return []
  const wrong = (key: 'allowedUsers' | 'allowedChats', message: string, ids: readonly number[]) =>
    ids.map((id) => ({ key: `channels.telegram.${key}`, message: `has ${id}: ${message}`, hint: 'Take it out.' }))
  return [
    ...wrong(
      'allowedUsers',
      'ids of people are above 0',
      telegram.allowedUsers.filter((id) => id <= 0),
    ),
    ...wrong(
      'allowedChats',
      'ids of groups are below 0',
      telegram.allowedChats.filter((id) => id >= 0),
    ),
  ]
}
