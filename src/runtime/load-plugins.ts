import type { Plugin } from '../capability.ts'
import { errorMessage, ForewordError } from '../platform.ts'
import { importDefault } from './load-module.ts'

interface PluginSetting {
  readonly home: string
  readonly workspace: string
}

/**
 * Loads the plugins that the configuration names, in order: by path (`./weather.ts`, relative to the home) or as a package
 * that is installed in the home or above it. A module exports a plugin by default, or a function that makes one of a
 * `PluginSetting`. Rejects with the name of the one that cannot be used, and why.
 */
export async function loadPlugins(names: readonly string[], setting: PluginSetting): Promise<readonly Plugin[]> {
  const plugins: Plugin[] = []
  for (const name of names) {
    try {
      plugins.push(await loadPlugin(name, setting))
    } catch (error) {
      const why = errorMessage(error)
      const message = `Cannot load the plugin ${name} (key plugins in config.json): ${why}`
      throw new ForewordError('configuration', message, { plugin: name }, { cause: error })
    }
  }
  return plugins
}

async function loadPlugin(name: string, setting: PluginSetting): Promise<Plugin> {
  const exported = await importDefault(name, setting.home)
  if (exported === undefined)
    throw new Error('its module has no default export; export a plugin, or a function that makes one')
  const plugin: unknown =
    typeof exported === 'function' ? await (exported as (given: PluginSetting) => unknown)(setting) : exported
  return checkPlugin(plugin)
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
function checkPlugin(value: unknown): Plugin {
  if (typeof value !== 'object' || value === null) throw new Error('it is not an object with a name and a version')
  const plugin = value as Record<string, unknown>
  for (const key of ['name', 'version']) {
    if (typeof plugin[key] !== 'string' || plugin[key] === '') throw new Error(`its "${key}" must be a string`)
  }
  for (const key of functions) {
    if (plugin[key] !== undefined && typeof plugin[key] !== 'function')
      throw new Error(`its "${key}" must be a function`)
  }
  return value as Plugin
}
