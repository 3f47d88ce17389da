import { stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Plugin } from '../capability.ts'

/** What a plugin is told of the home that it works in. */
export interface PluginSetting {
  readonly home: string
  readonly workspace: string
}

/** What the module of a plugin exports by default. */
export type PluginModule = Plugin | ((setting: PluginSetting) => Plugin | Promise<Plugin>)

/**
 * Loads the plugins that the configuration names, in order: by path (`./weather.ts`, relative to the home) or as a package
 * that is installed in the home or above it. Rejects with the name of the one that cannot be used, and why.
 */
export async function loadPlugins(names: readonly string[], setting: PluginSetting): Promise<readonly Plugin[]> {
  const plugins: Plugin[] = []
  for (const name of names) {
    try {
      plugins.push(await loadPlugin(name, setting))
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new Error(`The plugin ${name} (key plugins in config.json) cannot be used: ${why}`, { cause: error })
    }
  }
  return plugins
}

async function loadPlugin(name: string, setting: PluginSetting): Promise<Plugin> {
  const module = (await import(await urlOf(name, setting.home))) as { readonly default?: unknown }
  const exported = module.default
  if (exported === undefined)
    throw new Error('its module has no default export; export a plugin, or a function that makes one')
  const plugin: unknown =
    typeof exported === 'function' ? await (exported as (given: PluginSetting) => unknown)(setting) : exported
  return checked(plugin)
}

/** The files of plugins that are named by their path, absolute: what stands in them runs as Foreword itself. */
export function pluginFiles(names: readonly string[], home: string): readonly string[] {
  return names.flatMap((name) => fileOf(name, home) ?? [])
}

function fileOf(name: string, home: string): string | undefined {
  if (name.startsWith('file:')) return URL.parse(name)?.host === '' ? fileURLToPath(name) : undefined
  if (isAbsolute(name)) return name
  return name.startsWith('./') || name.startsWith('../') ? join(home, name) : undefined
}

async function urlOf(name: string, home: string): Promise<string> {
  if (name.startsWith('file:')) return name
  const file = fileOf(name, home)
  if (file !== undefined) {
    if (!(await isFile(file))) throw new Error(`there is no file ${file}`)
    return pathToFileURL(file).href
  }
  const { resolve } = await import('import-meta-resolve')
  try {
    return resolve(name, pathToFileURL(join(home, 'config.json')).href)
  } catch (error) {
    const here = fileURLToPath(pathToFileURL(home))
    throw new Error(
      `no package of this name is installed in ${here}; run \`npm install ${name}\` there, or name a path that begins with ./`,
      {
        cause: error,
      },
    )
  }
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() === true
}

const functions = [
  'layers',
  'date',
  'tools',
  'skills',
  'ready',
  'withheld',
  'accept',
  'start',
  'reload',
  'stop',
  'warnings',
]

/** A plugin may come from somebody whom no compiler has watched. */
function checked(value: unknown): Plugin {
  if (typeof value !== 'object' || value === null) throw new Error('it is no object with a name and a version')
  const plugin = value as Record<string, unknown>
  for (const key of ['name', 'version']) {
    if (typeof plugin[key] !== 'string' || plugin[key] === '') throw new Error(`its "${key}" must be a text`)
  }
  for (const key of functions) {
    if (plugin[key] !== undefined && typeof plugin[key] !== 'function')
      throw new Error(`its "${key}" must be a function`)
  }
  return value as Plugin
}
