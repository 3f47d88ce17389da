import { isAbsolute, join } from 'node:path'
import { type LayoutChanges, type LayoutChoice, layoutOf, layouts } from '../../context.ts'
import type { AnyCapability, Capability } from '../../capability.ts'
import type { HostShape } from './host-schema.ts'
import { type ConfigurationSchema, settingsSection } from './schema.ts'
import { withTexts } from './key.ts'

/** Everything that was decided in `config.json` and the environment; defaults in their place, paths absolute. */
export interface Configuration extends Omit<HostShape, 'channels' | 'context'> {
  readonly channels: Sections
  readonly context: Omit<HostShape['context'], 'layout' | 'timeZone'> & {
    /** With `headShare`, `lowWater` and `placements` worked in. */
    readonly layout: LayoutChoice
    readonly timeZone: string
  } & Sections
  /** The sections of capabilities: `capabilitySettings` reads them with their types. */
  readonly [section: string]: any // oxlint-disable-line typescript/no-explicit-any -- capabilities know what is in theirs
}

type Sections = Readonly<Record<string, any>> // oxlint-disable-line typescript/no-explicit-any -- likewise

export function capabilitySettings<Settings>(
  configuration: Configuration,
  capability: Pick<Capability<Settings, never>, 'name' | 'settings'>,
): Settings {
  const names = settingsSection(capability).split('.')
  return names.reduce<unknown>((value, name) => (value as Sections | undefined)?.[name], configuration) as Settings
}

/** Folders with files of the owner that the configuration names: absolute paths, each once. They may be outside the home. */
export function homeFolders(configuration: Configuration, capabilities: readonly AnyCapability[]): readonly string[] {
  const named = capabilities.flatMap((each) => each.home?.folders?.(capabilitySettings(configuration, each)) ?? [])
  return [...new Set([...named, configuration.agent.workspace])]
}

/** What a configuration depends on besides its text. */
interface Surroundings {
  readonly home: string
  /** The person's own folder, for paths that begin with `~/`. */
  readonly userFolder: string | undefined
  readonly timeZone: string
}

/** A configuration that no longer depends on where it was written. */
export function resolveConfiguration(
  shape: HostShape,
  { whole, layouts: known }: Pick<ConfigurationSchema, 'whole' | 'layouts'>,
  surroundings: Surroundings,
): Configuration {
  const absolute = withTexts(whole, shape, (text, { path }) =>
    path === undefined ? text : absolutePath(text, surroundings),
  ) as Configuration
  const { context } = shape
  return {
    ...absolute,
    context: {
      ...absolute.context,
      layout: withData(layoutChoice(context), known),
      timeZone: context.timeZone ?? surroundings.timeZone,
    },
  }
}

/** The single keys beside `layout` change the layout it names, whether or not that is changed already. */
function layoutChoice({ layout, headShare, lowWater, placements }: HostShape['context']): string | LayoutChanges {
  const isChanged = headShare !== undefined || lowWater !== undefined || Object.keys(placements).length > 0
  if (typeof layout === 'string' && !isChanged) return layout
  const base: Exclude<typeof layout, string> = typeof layout === 'string' ? { extends: layout } : layout
  const share = headShare ?? base.headShare
  const water = lowWater ?? base.cut?.lowWater
  const choice: LayoutChanges = {
    extends: base.extends,
    placements: { ...base.placements, ...placements },
    ...(base.priorities && { priorities: base.priorities }),
    cut: { ...(base.cut?.unit && { unit: base.cut.unit }), ...(water !== undefined && { lowWater: water }) },
    ...(share !== undefined && { headShare: share }),
  }
  return choice
}

/** A layout of a capability goes with its data: nobody else knows it by its name. */
function withData(choice: string | LayoutChanges, known: ConfigurationSchema['layouts']): LayoutChoice {
  const name = typeof choice === 'string' ? choice : choice.extends
  return Object.hasOwn(layouts, name) ? choice : layoutOf(choice, known)
}

function absolutePath(path: string, { home, userFolder }: Surroundings): string {
  if (path.startsWith('~/') && userFolder) return join(userFolder, path.slice(2))
  return isAbsolute(path) ? path : join(home, path)
}

/** The setting of a database as an object, also where it is its address alone. */
export function storeFields(store: NonNullable<Configuration['store']>) {
  return typeof store === 'string' ? { address: store, passwordEnv: 'FOREWORD_STORE_PASSWORD' } : store
}

/** Where the store of a person is: in the database of the owner's home, in a schema of their own. Connections are few: there is one such store for each person. */
export function personStore(store: NonNullable<Configuration['store']>, name: string): Configuration['store'] {
  const setting = storeFields(store)
  // A name has no underscore, so two names are two schemas.
  const schema = `${setting.schema ?? 'foreword'}_${name.replaceAll('-', '_')}`
  return { ...setting, schema, readers: 1 }
}
