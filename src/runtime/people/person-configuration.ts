import { join } from 'node:path'
import type { AnyCapability } from '../../capability.ts'
import { type Configuration, capabilitySettings, homeFolders, personStore } from '../configuration/configuration.ts'
import { settingsSection } from '../configuration/schema.ts'

/**
 * The configuration of a person's home, out of that of the home around it: the same models, and folders of their own. What belongs to the owner alone, such as a bot or the access of an MCP server, is left out by its capability.
 */
export function personConfiguration(
  configuration: Configuration,
  capabilities: readonly AnyCapability[],
  { name, home }: { readonly name: string; readonly home: string },
): Configuration {
  const { agent, gateway, store } = configuration
  const { token: _ofOwner, ...rest } = gateway
  const own: Configuration = {
    ...configuration,
    gateway: rest,
    agent: { ...agent, workspace: join(home, 'workspace') },
    audit: { ...configuration.audit, checkpoints: ['audit-checkpoints.jsonl'] },
    store: store && personStore(store, name),
  }
  return capabilities.reduce((made, each) => {
    const ofPerson = each.settings?.ofPerson
    if (ofPerson === undefined) return made
    const settings: unknown = ofPerson(capabilitySettings(configuration, each), home)
    return withValue(made, settingsSection(each).split('.'), settings) as Configuration
  }, own)
}

/** Folders with files of the owner that are nothing to the people of the gateway: the workspace, and what no capability shares. */
export function ownersFolders(configuration: Configuration, capabilities: readonly AnyCapability[]): readonly string[] {
  const apart = capabilities.filter((each) => {
    const settings: unknown = capabilitySettings(configuration, each)
    return each.settings?.ofPerson?.(settings, '') !== settings
  })
  return homeFolders(configuration, apart)
}

/** The capabilities in a person's home. One that names folders of the owner, and does not say what a person has, stays out. */
export function personCapabilities(capabilities: readonly AnyCapability[]): readonly AnyCapability[] {
  return capabilities.filter((each) => each.home?.folders === undefined || each.settings?.ofPerson !== undefined)
}

function withValue(object: unknown, [name, ...inner]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value
  const fields = object as Readonly<Record<string, unknown>>
  return { ...fields, [name]: withValue(fields[name] ?? {}, inner, value) }
}
