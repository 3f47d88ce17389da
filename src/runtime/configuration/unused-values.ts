import type { SettingsWarning } from '../../capability.ts'
import { layoutOf } from '../../context.ts'
import type { Provider as KnownProvider } from '../../model.ts'
import type { Environment } from './value.ts'
import { unusedKeys } from './providers-schema.ts'
import { type ConfigurationSchema, settingsSection } from './schema.ts'
import { type Configuration, capabilitySettings } from './configuration.ts'

/** Values that cannot have the effect that was meant, because of other values or of what they are. */
export function unusedValues(
  configuration: Configuration,
  environment: Environment,
  schema: ConfigurationSchema,
): readonly SettingsWarning[] {
  const { models, providers } = configuration
  return [
    ...Object.entries(providers).flatMap(([name, provider]) =>
      providerWarnings(name, provider, environment, schema.providers),
    ),
    ...Object.entries(models).flatMap(([id, facts]) => modelWarnings(id, facts)),
    ...limitWarnings(configuration),
    ...gatewayWarnings(configuration),
    ...capabilityWarnings(configuration, environment, schema),
  ]
}

type Provider = Configuration['providers'][string]

function providerWarnings(
  name: string,
  provider: Provider,
  environment: Environment,
  known: readonly KnownProvider[],
): readonly SettingsWarning[] {
  const key = `providers.${name}`
  const { kind, apiKeyEnv, apiKeyFile, headers = {} } = provider
  const unused = unusedKeys(provider, known).map((field) => ({
    key: `${key}.${field}`,
    message: `has no effect on a provider of the kind ${kind}`,
    hint: 'Remove it, or choose another kind.',
  }))
  return [
    ...(/^[^\s/]+$/.test(name)
      ? []
      : [{ key, message: 'cannot be named in PROVIDER/MODEL', hint: 'Use a name without a slash or a space.' }]),
    ...(known.some((one) => one.kind === kind && one.needsBaseURL) && provider.baseURL === undefined
      ? [
          {
            key: `${key}.baseURL`,
            message: 'is missing',
            hint: 'Set the address of the server, such as http://127.0.0.1:1234/v1.',
          },
        ]
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
        hint: 'It is not an HTTP header.',
      })),
  ]
}

/** An error of `Headers` repeats the value, so it is not passed on. */
function isHeader(header: readonly [string, string]): boolean {
  try {
    return new Headers([[...header]]).has(header[0])
  } catch {
    return false
  }
}

function modelWarnings(id: string, { window, maxOutput }: Configuration['models'][string]): readonly SettingsWarning[] {
  if (window === undefined || maxOutput === undefined || maxOutput < window) return []
  return [
    {
      key: `models.${id}.maxOutput`,
      message: 'leaves no room for a prompt',
      hint: `Prompt and answer share the window of ${window} tokens.`,
    },
  ]
}

function limitWarnings({ context, model, models }: Configuration): readonly SettingsWarning[] {
  const window = model === undefined ? undefined : models[model]?.window
  const taken = (context.reserve ?? 0) + (context.margin ?? 0)
  if (window === undefined || taken < window) return []
  const key = context.reserve === undefined ? 'context.margin' : 'context.reserve'
  return [{ key, message: 'leaves no room for a prompt', hint: `The window of ${model} has ${window} tokens.` }]
}

function gatewayWarnings({ gateway }: Configuration): readonly SettingsWarning[] {
  return gateway.allowedHosts
    .filter((host) => !/^(?:[^\s/?#@:]+|\[[\da-f:.]+\]|[\da-f:.]+)(?::\d+)?$/i.test(host))
    .map((host) => ({
      key: 'gateway.allowedHosts',
      message: `has ${JSON.stringify(host)}, which is not a name that callers can use`,
      hint: 'Write a name or an address alone, such as box.local.',
    }))
}

/** What each capability finds odd about its own settings. */
function capabilityWarnings(
  configuration: Configuration,
  environment: Environment,
  { capabilities, layouts }: ConfigurationSchema,
): readonly SettingsWarning[] {
  const layout = layoutOf(configuration.context.layout, layouts)
  return capabilities.flatMap((capability) => {
    const odd =
      capability.settingsWarnings?.(capabilitySettings(configuration, capability), { environment, layout }) ?? []
    const section = settingsSection(capability)
    return odd.map(({ key, ...warning }) => ({ key: key === '' ? section : `${section}.${key}`, ...warning }))
  })
}
