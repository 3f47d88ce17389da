import { readFile, stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import type { AnyCapability, RunningCapabilities } from '../../capability.ts'
import type { ProviderConfiguration } from '../../model.ts'
import { addressPasswords, fieldsOf, type KnownSecrets, knownSecrets, decodeUrlPart } from '../../platform.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { loadConfiguration } from '../configuration/load.ts'
import type { Environment } from '../configuration/value.ts'
import { homeAt } from '../home/home.ts'
import type { Layer } from '../../context.ts'
import type { Redaction } from '../../tool.ts'

/** The secrets that a gateway on a home knows, and texts without them. */
export interface HomeSecrets extends KnownSecrets {
  /** Reads the files again that have changed: the token of the gateway and the keys of providers. Never rejects. */
  refresh(): Promise<void>
}

/** Collects the secrets of a home: its token, variables that are named or look like a secret, and the files of keys. */
export async function openHomeSecrets(options: {
  readonly home: string
  readonly environment: Environment
  /** As configured: variables and files are looked for by the names that it holds. */
  readonly configuration: unknown
  /** Names of further variables that hold keys. */
  readonly variables: readonly string[]
  /** Files that hold keys now, by the name of what they are for. */
  readonly files: () => Readonly<Record<string, string>>
}): Promise<HomeSecrets> {
  const { home, environment, configuration, variables, files } = options
  const known = knownSecrets()
  const named = new Set([...namedVariables(configuration, environment), ...variables])
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && (named.has(name) || SECRET_NAME.test(name)) && isSecretValue(value)) {
      known.learn(name, value)
    }
  }
  for (const [name, value] of Object.entries(environment)) {
    if (name.endsWith('_HEADERS')) for (const secret of headerSecrets(value)) known.learn(name, secret)
  }
  const configured = fieldsOf(fieldsOf(configuration)['gateway'])['token']
  if (typeof configured === 'string') known.learn('gateway.token', configured)
  for (const [name, value] of writtenSecrets(configuration)) known.learn(name, value)
  const seen = new Map<string, string>()

  async function readAgain(name: string, path: string): Promise<void> {
    try {
      const { ino, size, mtimeMs, ctimeMs } = await stat(path)
      const identity = `${ino} ${size} ${mtimeMs} ${ctimeMs}`
      if (seen.get(path) === identity || size > LARGEST_FILE) return
      known.learn(name, (await readFile(path, 'utf8')).trim())
      seen.set(path, identity)
    } catch {
      // A file that is not there holds no secret.
    }
  }

  async function refresh(): Promise<void> {
    const all = Object.entries(files()).map(([name, path]) => readAgain(name, path))
    await Promise.all([readAgain('token', homeAt(home).tokenFile), ...all])
  }

  await refresh()
  return { ...known, refresh }
}

/** The secrets of a home as its configuration is now, for a command without a runtime. */
export async function readHomeSecrets(options: {
  readonly home: string
  readonly environment: Environment
  readonly capabilities: readonly AnyCapability[]
}): Promise<HomeSecrets> {
  const { configuration } = await loadConfiguration(options)
  const { home, environment, capabilities } = options
  return openHomeSecrets({
    home,
    environment,
    configuration,
    variables: secretVariables(capabilities),
    files: () => secretFiles(configuration),
  })
}

/** A key is one line: what is larger is none, bytes. */
const LARGEST_FILE = 16_384

/** Parts of the names of variables that hold secrets. */
const SECRET_NAME =
  /(?:^|_)(?:KEY|APIKEY|TOKEN|SECRET|(?:PG)?PASSWORD|PASSWD|PASS|PASSPHRASE|CREDENTIALS?|AUTH|PAT)(?:_|$)/i

/** Paths, addresses without a password, and switches are none: they appear in many texts. */
function isSecretValue(value: string): boolean {
  if (isAbsolute(value) || /^(?:true|false|\d{1,7})$/.test(value)) return false
  return !/^\w+:\/\/[^@]*$/.test(value)
}

/** Secrets in the configuration that should be in a variable: passwords and keys in addresses, headers of providers. */
export function writtenSecrets(value: unknown, key = ''): readonly (readonly [name: string, value: string])[] {
  if (typeof value === 'string') {
    if (key === 'store' || key === 'store.address') return databaseSecrets(value, key)
    return /^https?:/i.test(value) && URL.canParse(value) ? addressSecrets(value, key) : []
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = key === '' ? name : `${key}.${name}`
    const isHeader = /^providers\..+\.headers\./.test(path) && SECRET_HEADER.test(name)
    return typeof inner === 'string' && isHeader ? [[path, inner] as const] : writtenSecrets(inner, path)
  })
}

function databaseSecrets(address: string, key: string): readonly (readonly [name: string, value: string])[] {
  return addressPasswords(address).flatMap((written) =>
    [written, decodeUrlPart(written)].map((value) => [`password in ${key}`, value] as const),
  )
}

const SECRET_HEADER = /auth|key|token|secret|cookie/i

/** Of `name=value,other=value`, as the headers of a collector are written: values may be percent-encoded. */
function headerSecrets(text = ''): readonly string[] {
  return text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=')
    return SECRET_HEADER.test(pair.slice(0, at)) ? [decodeUrlPart(pair.slice(at + 1).trim())] : []
  })
}

function addressSecrets(address: string, key: string): readonly (readonly [name: string, value: string])[] {
  const { password, searchParams } = new URL(address)
  const written = [...searchParams].flatMap(([name, value]) =>
    /key|token|secret|auth|pass|sig/i.test(name) ? [value] : [],
  )
  return [password, decodeUrlPart(password), ...written].map((value) => [`secret in ${key}`, value] as const)
}

/** Every variable whose name stands in the configuration as a value, such as `apiKeyEnv` or a header of an MCP server. */
function namedVariables(value: unknown, environment: Environment): readonly string[] {
  if (typeof value === 'string') return /^[A-Za-z_]\w*$/.test(value) && environment[value] !== undefined ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap((inner) => namedVariables(inner, environment))
}

/** The variables in which providers look for a key by themselves. */
export function secretVariables(capabilities: readonly AnyCapability[]): readonly string[] {
  return capabilities.flatMap(
    ({ models }) => models?.providers?.flatMap(({ environmentKeys = [] }) => environmentKeys) ?? [],
  )
}

/** The files that a configuration names for its secrets, by what they hold. */
export function secretFiles({
  providers,
  store,
  gateway,
}: {
  readonly providers: Readonly<Record<string, ProviderConfiguration>>
  readonly gateway?: Pick<Configuration['gateway'], 'openid'>
  readonly store?: Configuration['store']
}): Readonly<Record<string, string>> {
  const files = Object.entries(providers).flatMap(([name, { apiKeyFile }]) =>
    apiKeyFile === undefined ? [] : [[`key of ${name}`, apiKeyFile] as const],
  )
  const password = typeof store === 'object' ? store.passwordFile : undefined
  const secret = gateway?.openid?.clientSecretFile
  return Object.fromEntries([
    ...files,
    ...(password === undefined ? [] : [['password of the store', password]]),
    ...(secret === undefined ? [] : [['secret of gateway.openid', secret]]),
  ])
}

/** Takes the secrets out of results, those that were put into files a moment ago, too. */
export function redactionOf(secrets: HomeSecrets): Redaction {
  return async () => {
    await secrets.refresh()
    return secrets.redact
  }
}

/** Capabilities whose layers contain no secret: an instruction or a skill may have one written into it. */
export function withoutSecrets(
  capabilities: Pick<RunningCapabilities, 'layers'>,
  { redact }: Pick<HomeSecrets, 'redact'>,
): Pick<RunningCapabilities, 'layers'> {
  return {
    layers: async (context, parts) =>
      (await capabilities.layers(context, parts)).map((layer) => redactLayer(layer, redact)),
  }
}

function redactLayer(layer: Layer, redact: (text: string) => string): Layer {
  const renditions = layer.renditions.map((rendition) => {
    const text = redact(rendition.text)
    // What was counted was another text.
    return text === rendition.text ? rendition : { form: rendition.form, text }
  })
  return renditions.every((each, index) => each === layer.renditions[index]) ? layer : { ...layer, renditions }
}
