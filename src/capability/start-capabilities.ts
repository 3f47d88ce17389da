import { join } from 'node:path'
import type { AnyCapability, Self } from './capability.ts'
import { collectChoices, type OwnedChoices, runChoices } from './capability-choices.ts'
import type { CapabilityHost, CapabilityPlaces } from './host.ts'
import { isPlugin } from './plugin.ts'
import { runCapabilities, type RunningCapabilities } from './running-capabilities.ts'
import { layouts } from '../context.ts'
import { createSandbox, obeyedAtHome } from '../tool.ts'
import type { Runtime } from './runtime/runtime.ts'
import type { ServiceKey } from './service.ts'
import { capabilityError, type Started, stopAll } from './started.ts'

/** What a host gives all capabilities alike. */
export interface CapabilityBase extends Omit<
  CapabilityHost,
  'settings' | 'runtime' | 'capability' | 'settingsOf' | 'choices' | 'embedders' | 'places' | 'layouts' | 'sandbox'
> {
  /** Settings of the capabilities, by name. What is absent is parsed from nothing. */
  readonly settings?: Readonly<Record<string, unknown>>
  readonly places?: CapabilityPlaces
  /** Throws until there is one. */
  runtime(): Runtime
}

/**
 * Starts capabilities one after another. Where one fails, those already started are stopped again, in reverse. Two of one
 * name, or two choices of one name, are refused before anything starts.
 */
export async function startCapabilities(
  capabilities: readonly AnyCapability[],
  base: CapabilityBase,
): Promise<RunningCapabilities> {
  assertNamesDiffer(capabilities)
  const choices = collectChoices(capabilities)
  const hosts = createHosts(capabilities, choices, base)
  const started: Started[] = []
  for (const [index, value] of capabilities.entries()) {
    const host = hosts.of(index)
    try {
      const service: unknown = await value.start?.(host)
      started.push({ value, self: createSelf(host, service) })
      hosts.services.set(value.name, service)
    } catch (error) {
      const faults = await stopAll(started)
      throw capabilityError(value, 'did not start', error, faults)
    }
  }
  return runCapabilities(started, runChoices(choices, started), hosts.services)
}

function assertNamesDiffer(capabilities: readonly AnyCapability[]): void {
  const names = new Set<string>()
  for (const value of capabilities) {
    const { name } = value
    if (names.has(name) && !isPlugin(value)) throw new Error(`There are two capabilities named ${name}; keep one.`)
    names.add(name)
  }
}

function createHosts(capabilities: readonly AnyCapability[], choices: OwnedChoices, base: CapabilityBase) {
  const { settings: given = {}, places: own = {}, runtime, ...shared } = base
  const services = new Map<string, unknown>()
  const known = new Map<string, unknown>()
  const settingsOf = (name: string): unknown => {
    const found = capabilities.find((each) => each.name === name)
    if (!found) return undefined
    if (!known.has(name)) known.set(name, Object.hasOwn(given, name) ? given[name] : parseDefaults(found))
    return known.get(name)
  }
  const places = (): Required<CapabilityPlaces> => {
    const { folder } = shared.home
    const all = [own, ...capabilities.flatMap(({ name, home }) => home?.places?.(settingsOf(name), folder) ?? [])]
    const together = (kind: keyof CapabilityPlaces) => [...new Set(all.flatMap((each) => each[kind] ?? []))]
    return {
      outOfReach: together('outOfReach'),
      readOnly: [...new Set([...together('readOnly'), ...obeyedAtHome(shared.environment)])],
      readable: together('readable'),
      programs: together('programs'),
    }
  }
  const { home, environment, access } = shared
  const sandbox = createSandbox({
    home: home.folder,
    workspace: home.workspace,
    setAside: join(home.data, 'set-aside'),
    environment,
    access,
    places,
    maxBytes: () => shared.ofOwner?.room().maxWorkspaceBytes,
  })
  const contributed = capabilities.flatMap((one) => one.layouts ?? [])
  const allLayouts = { ...layouts, ...Object.fromEntries(contributed.map((layout) => [layout.name, layout])) }
  return {
    services,
    of(index: number): CapabilityHost<unknown> {
      return {
        ...shared,
        settings: settingsOf(capabilities[index]!.name),
        layouts: allLayouts,
        choices: Object.fromEntries(Object.entries(choices).map(([name, { choice }]) => [name, choice])),
        get runtime() {
          return runtime()
        },
        capability: <Service>({ name }: ServiceKey<Service>) => services.get(name) as Service | undefined,
        settingsOf,
        embedders: capabilities.flatMap(({ models }) => models?.embedders ?? []),
        places,
        sandbox,
      }
    },
  }
}

function parseDefaults({ name, settings }: AnyCapability): unknown {
  const read = settings?.schema.safeParse({})
  if (!read || read.success) return read?.data
  const missing = read.error.issues.map(({ path }) => path.join('.')).join(', ')
  throw new Error(`The capability ${name} needs settings that are missing: ${missing}.`)
}

/** The host with the service. `runtime` stays a getter: there is none while capabilities start. */
function createSelf(host: CapabilityHost<unknown>, service: unknown): Self<unknown, unknown> {
  const properties = { ...Object.getOwnPropertyDescriptors(host), service: { value: service, enumerable: true } }
  return Object.defineProperties({}, properties) as Self<unknown, unknown>
}
