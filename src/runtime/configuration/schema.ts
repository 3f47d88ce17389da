import { z } from 'zod'
import { type AnyCapability, withoutSettingFacts } from '../../capability.ts'
import { type Layout, layouts } from '../../context.ts'
import type { Provider } from '../../model.ts'
import { hostSchema, type HostShape } from './host-schema.ts'
import { factsAt, type KeyPath, type KeySchema, type PlainKey, plainKeys, settingAt } from './key.ts'
import { variableName } from './value.ts'

/** What `config.json` may contain with these capabilities. */
export interface ConfigurationSchema {
  readonly capabilities: readonly AnyCapability[]
  readonly layouts: Readonly<Record<string, Layout>>
  readonly providers: readonly Provider[]
  readonly whole: z.ZodType<HostShape>
  /** Made at every start, so without `json`. */
  readonly plainKeys: readonly PlainKey[]
  /** The JSON Schema of one key. `json` has it too, but is slow to make: most starts need none of it. */
  keyJson(path: KeyPath): KeySchema
  /** JSON Schema (2020-12), as the one of the built-in capabilities is committed in `schema/config.schema.json`. */
  readonly json: KeySchema
}

const known = new WeakMap<readonly AnyCapability[], ConfigurationSchema>()

/** The host's own keys, and the settings of each capability at its section. */
export function configurationSchema(capabilities: readonly AnyCapability[]): ConfigurationSchema {
  const schema = known.get(capabilities) ?? createSchema(capabilities)
  known.set(capabilities, schema)
  return schema
}

export function settingsSection({ name, settings }: Pick<AnyCapability, 'name' | 'settings'>): string {
  return settings?.key ?? name
}

function createSchema(capabilities: readonly AnyCapability[]): ConfigurationSchema {
  const sections = foldSections(capabilities)
  const providers = capabilities.flatMap((one) => one.models?.providers ?? [])
  const allLayouts = knownLayouts(capabilities)
  const inHost = ['gateway', 'context', 'agent', 'channels']
  const whole = hostSchema({
    layouts: allLayouts,
    providers,
    inside: (section) => sectionShape((sections[section] as Sections | undefined) ?? {}),
    sections: sectionShape(Object.fromEntries(Object.entries(sections).filter(([name]) => !inHost.includes(name)))),
  })
  let json: KeySchema | undefined
  return {
    capabilities,
    layouts: allLayouts,
    providers,
    whole,
    plainKeys: plainKeys(whole).map((path) => {
      return { path, variables: [variableName(path), ...(factsAt(whole, path).variables ?? [])] }
    }),
    keyJson: (path) => jsonOf(settingAt(whole, path) ?? z.unknown()),
    get json() {
      return (json ??= { ...jsonOf(whole), ...TITLE })
    },
  }
}

function jsonOf(schema: z.ZodType): KeySchema {
  return z.toJSONSchema(schema, { io: 'input', override: withoutSettingFacts }) as KeySchema
}

const TITLE = { title: 'config.json of Foreword' }

export function knownLayouts(capabilities: readonly AnyCapability[]): Readonly<Record<string, Layout>> {
  const given = capabilities.flatMap((one) => one.layouts ?? [])
  return { ...layouts, ...Object.fromEntries(given.map((layout) => [layout.name, layout])) }
}

interface Sections {
  [name: string]: z.ZodType | Sections
}

function foldSections(capabilities: readonly AnyCapability[]): Sections {
  const sections: Sections = {}
  for (const capability of capabilities) {
    const { settings } = capability
    if (settings === undefined) continue
    const names = settingsSection(capability).split('.')
    let folder = sections
    for (const name of names.slice(0, -1)) folder = (folder[name] ??= {}) as Sections
    folder[names.at(-1)!] = sectionSchema(settings.schema, capability.summary)
  }
  return sections
}

/** A schema that reads a single value compiles no program for each of its objects, which takes longer than to read it. */
export const withoutCompiling = { jitless: true } as const

/** A section that is left out is an empty one: what it misses is reported by its keys. */
function sectionSchema(settings: z.ZodType, summary = ''): z.ZodType {
  const described = settings.description === undefined && summary !== '' ? settings.describe(summary) : settings
  return settings.safeParse(undefined, withoutCompiling).success ? described : described.prefault({})
}

function sectionShape(sections: Sections): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(sections).map(([name, section]) => [
      name,
      '_zod' in section ? (section as z.ZodType) : z.strictObject(sectionShape(section)).prefault({}),
    ]),
  )
}
