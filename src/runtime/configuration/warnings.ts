import type { SettingsWarning } from '../../capability.ts'
import { stat } from 'node:fs/promises'
import { withTexts } from './key.ts'
import type { LoadedConfiguration } from './load.ts'
import type { ConfigurationProblem } from './problem.ts'
import { type ConfigurationSchema, settingsSection } from './schema.ts'
import { type Configuration, capabilitySettings } from './configuration.ts'
import { unknownNames, unknownVariables } from './unknown-names.ts'
import type { Environment } from './value.ts'
import { layoutOf, numberText, phrase } from '../../context.ts'
import type { Provider as KnownProvider } from '../../model.ts'
import { unusedKeys } from './providers-schema.ts'

/**
 * What is odd about a configuration that has no problem: names that nothing has, paths where nothing is, values that
 * have no effect beside others, and variables that set nothing. `foreword start` and `foreword doctor` list it. Looks at
 * the disk and sends no request.
 */
export async function configurationWarnings(
  { configuration, origins, schema }: LoadedConfiguration,
  environment: Environment,
): Promise<readonly ConfigurationProblem[]> {
  const odd = [
    ...unknownNames(configuration, schema),
    ...unusedValues(configuration, environment, schema),
    ...(await missingPaths(configuration, schema, origins)),
  ]
  const placed = odd.map((warning) => ({ ...warning, place: findOrigin(warning.key, origins) }))
  return [...placed, ...unknownVariables(environment, configuration, schema)]
}

function findOrigin(key: string, origins: LoadedConfiguration['origins']): string {
  for (let at = key; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    const inner = origins[at] ?? Object.entries(origins).find(([other]) => other.startsWith(`${at}.`))?.[1]
    if (inner !== undefined) return inner
  }
  return 'config.json'
}

/** Files and folders that somebody named and that are not there. Those that are nobody's choice need not be there. */
async function missingPaths(
  configuration: Configuration,
  schema: ConfigurationSchema,
  origins: LoadedConfiguration['origins'],
): Promise<readonly SettingsWarning[]> {
  const named: Promise<SettingsWarning | undefined>[] = []
  withTexts(schema.whole, configuration, (place, { path, whenMissing }, names) => {
    const key = names.join('.')
    if (typeof path === 'string' && Object.hasOwn(origins, key)) named.push(checkPath(key, place, path, whenMissing))
    return place
  })
  const found = await Promise.all(named)
  return found.filter((warning) => warning !== undefined)
}

async function checkPath(
  key: string,
  path: string,
  kind: 'file' | 'folder',
  hint = phrase`Create it, or name another one.`,
): Promise<SettingsWarning | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) {
    const message =
      kind === 'file'
        ? phrase`names the file ${path}, which does not exist`
        : phrase`names the folder ${path}, which does not exist`
    return { key, message, hint }
  }
  if (kind === 'folder' && !found.isDirectory()) {
    return { key, message: phrase`names ${path}, which is not a folder`, hint: phrase`Name the folder.` }
  }
  if (kind === 'file' && found.isDirectory())
    return { key, message: phrase`names ${path}, which is a folder`, hint: phrase`Name the file.` }
  return undefined
}

/** Values that cannot have the effect that was meant, because of other values or of what they are. */
function unusedValues(
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
    ...gatewayWarnings(configuration, environment),
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
    message: phrase`has no effect on a provider of the kind ${kind}`,
    hint: phrase`Remove it, or choose another kind.`,
  }))
  return [
    ...(/^[^\s/]+$/.test(name)
      ? []
      : [
          {
            key,
            message: phrase`cannot be named in PROVIDER/MODEL`,
            hint: phrase`Use a name without a slash or a space.`,
          },
        ]),
    ...(known.some((one) => one.kind === kind && one.needsBaseURL) && provider.baseURL === undefined
      ? [
          {
            key: `${key}.baseURL`,
            message: phrase`is missing`,
            hint: phrase`Set the address of the server, such as http://127.0.0.1:1234/v1.`,
          },
        ]
      : []),
    ...unused,
    ...(unused.length > 0 && apiKeyFile === undefined
      ? []
      : secretWarnings({ key: `${key}.apiKey`, variable: apiKeyEnv, file: apiKeyFile }, environment)),
    ...Object.entries(headers)
      .filter((header) => !isHeader(header))
      .map(([header]) => ({
        key: `${key}.headers.${header}`,
        message: phrase`cannot be sent`,
        hint: phrase`It is not an HTTP header.`,
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

function modelWarnings(
  id: string,
  { window, maxOutput, fallback = [] }: Configuration['models'][string],
): readonly SettingsWarning[] {
  const noRoom = {
    key: `models.${id}.maxOutput`,
    message: phrase`leaves no room for a prompt`,
    hint: phrase`Prompt and answer share the window of ${numberText(window ?? 0)} tokens.`,
  }
  const again = fallback.filter((each, index) => each === id || fallback.indexOf(each) < index)
  return [
    ...(window !== undefined && maxOutput !== undefined && maxOutput >= window ? [noRoom] : []),
    ...again.map((each) => ({
      key: `models.${id}.fallback`,
      message: each === id ? phrase`names the model itself` : phrase`names ${each} twice`,
      hint: phrase`Each model is asked once. Remove it from the list.`,
    })),
  ]
}

function limitWarnings({ context, model, models }: Configuration): readonly SettingsWarning[] {
  const window = model === undefined ? undefined : models[model]?.window
  const taken = (context.reserve ?? 0) + (context.margin ?? 0)
  if (window === undefined || taken < window) return []
  const key = context.reserve === undefined ? 'context.margin' : 'context.reserve'
  return [
    {
      key,
      message: phrase`leaves no room for a prompt`,
      hint: phrase`The window of ${model ?? ''} has ${numberText(window)} tokens.`,
    },
  ]
}

function gatewayWarnings({ gateway }: Configuration, environment: Environment): readonly SettingsWarning[] {
  const { allowedHosts, openid } = gateway
  const hosts = allowedHosts
    .filter((host) => !/^(?:[^\s/?#@:]+|\[[\da-f:.]+\]|[\da-f:.]+)(?::\d+)?$/i.test(host))
    .map((host) => ({
      key: 'gateway.allowedHosts',
      message: phrase`has ${JSON.stringify(host)}, which is not a name that callers can use`,
      hint: phrase`Write a name or an address alone, such as box.local.`,
    }))
  return [
    ...hosts,
    ...secretWarnings(
      { key: 'gateway.openid.clientSecret', variable: openid?.clientSecretEnv, file: openid?.clientSecretFile },
      environment,
    ),
  ]
}

/** A secret that can be named in two ways, by keys that begin alike. */
function secretWarnings(
  {
    key,
    variable,
    file,
  }: { readonly key: string; readonly variable?: string | undefined; readonly file?: string | undefined },
  environment: Environment,
): readonly SettingsWarning[] {
  if (variable === undefined) return []
  if (file !== undefined) {
    const other = `${key.split('.').at(-1)}File`
    return [{ key: `${key}Env`, message: phrase`has no effect beside ${other}`, hint: phrase`Keep one of the two.` }]
  }
  if (environment[variable]) return []
  return [
    {
      key: `${key}Env`,
      message: phrase`names ${variable}, which is not set`,
      hint: phrase`Set it in the environment.`,
    },
  ]
}

/** What each capability finds odd about its own settings. */
function capabilityWarnings(
  configuration: Configuration,
  environment: Environment,
  { capabilities, layouts }: ConfigurationSchema,
): readonly SettingsWarning[] {
  const layout = layoutOf(configuration.context.layout, layouts)
  return capabilities.flatMap((capability) => {
    const own = capabilitySettings<unknown>(configuration, capability)
    const odd = capability.settings?.warnings?.(own, { environment, layout }) ?? []
    const section = settingsSection(capability)
    return odd.map(({ key, ...warning }) => ({ key: key === '' ? section : `${section}.${key}`, ...warning }))
  })
}
