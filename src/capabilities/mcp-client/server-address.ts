import { cleanEnvironment } from '../../tool.ts'
import type { McpSettings } from './mcp-settings.ts'

/** One of `mcp.servers` in `config.json`. Values of variables and headers are named, never written down. */
export type McpServerConfiguration = Omit<McpSettings['servers'][string], 'people'>

export type ServerAddress =
  | {
      readonly type: 'program'
      readonly argv: readonly [string, ...string[]]
      readonly folder?: string
      readonly sandbox: McpServerConfiguration['sandbox']
      readonly environment: Readonly<Record<string, string>>
    }
  | { readonly type: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }

type Secrets = Readonly<Record<string, string>>

interface AddressRead {
  /** Absent if the server cannot be contacted; a warning then gives the reason. */
  readonly address?: ServerAddress
  readonly secrets: Secrets
  readonly warnings: readonly string[]
}

type Variables = Readonly<Record<string, string | undefined>>

/** Resolves the configuration of a server. A variable that is not set is left out, with a warning that names it. */
export function readAddress(name: string, configured: McpServerConfiguration, environment: Variables): AddressRead {
  const { command, url } = configured
  const place = `mcp.servers.${name}`
  if (command === undefined && url === undefined)
    return rejectAddress(`${place} has neither command nor url: give it one`)
  if (command !== undefined && url !== undefined)
    return rejectAddress(`${place} has both command and url: leave one out`)
  if (url !== undefined) return httpAddress(place, url, configured.headers ?? {}, environment)
  const given = lookUpVariables(`${place}.environment`, configured.environment ?? {}, environment)
  const broken = Object.keys(given.values).filter((variable) => given.values[variable]!.includes('\0'))
  if (broken.length > 0) {
    const faults = broken.map((variable) => `${place}.environment.${variable}: the value holds a NUL byte`)
    return { secrets: given.secrets, warnings: [...given.warnings, ...faults] }
  }
  const { args = [], directory, sandbox } = configured
  return {
    address: {
      type: 'program',
      argv: [command!, ...args],
      sandbox,
      ...(directory !== undefined && { folder: directory }),
      environment: cleanEnvironment(environment, given.values),
    },
    secrets: given.secrets,
    warnings: given.warnings,
  }
}

function httpAddress(
  place: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  environment: Variables,
): AddressRead {
  const parsed = URL.parse(url)
  if (!parsed) return rejectAddress(`${place}.url is no URL`)
  if (parsed.username !== '' || parsed.password !== '') {
    return rejectAddress(`${place}.url holds a name or password: name a variable in headers instead`)
  }
  const given = lookUpVariables(`${place}.headers`, headers, environment)
  const broken = Object.entries(given.values).filter((header) => !isHeader(header))
  if (broken.length > 0) {
    const faults = broken.map(
      ([header]) => `${place}.headers.${header}: the value of ${headers[header]} or the name cannot stand in a header`,
    )
    return { secrets: given.secrets, warnings: [...given.warnings, ...faults] }
  }
  return { address: { type: 'http', url, headers: given.values }, secrets: given.secrets, warnings: given.warnings }
}

/** The error of `Headers` repeats the value, so it is not passed on. */
function isHeader([name, value]: readonly [string, string]): boolean {
  try {
    return new Headers([[name, value]]).has(name)
  } catch {
    return false
  }
}

function lookUpVariables(place: string, wanted: Readonly<Record<string, string>>, environment: Variables) {
  const found = Object.entries(wanted).map(([name, variable]) => ({ name, variable, value: environment[variable] }))
  const set = found.filter((entry): entry is typeof entry & { value: string } => Boolean(entry.value))
  return {
    values: Object.fromEntries(set.map(({ name, value }) => [name, value])),
    secrets: Object.fromEntries(set.map(({ variable, value }) => [variable, value])),
    warnings: found
      .filter(({ value }) => !value)
      .map(({ name, variable }) => `${place}.${name}: the environment variable ${variable} is not set`),
  }
}

function rejectAddress(warning: string): AddressRead {
  return { secrets: {}, warnings: [warning] }
}
