import { defined } from '../platform.ts'
import { type AnyCapability, capability } from './capability.ts'
import type { LayerContext } from './layer-context.ts'
import type { Plugin, PluginContext } from './plugin.ts'

/** A capability of the shape that plugins had before there were capabilities. */
export function pluginAsCapability(plugin: Plugin): AnyCapability {
  const adapted: AnyCapability = capability({
    name: plugin.name,
    version: plugin.version,
    start: async () => plugin.start?.(),
    layers: async (_, context) => (await plugin.layers?.(pluginContext(context))) ?? [],
    tools: () => plugin.tools?.() ?? [],
    promptBlocks: () => plugin.skills?.() ?? [],
    placeholders: (_, context): Readonly<Record<string, string>> =>
      plugin.date ? { date: plugin.date(pluginContext(context)) } : {},
    ready: async () => plugin.ready?.(),
    reload: async () => plugin.reload?.(),
    withheld: () => plugin.withheld?.() ?? [],
    accept: async (_, tool, digest) => (await plugin.accept?.(tool, digest)) ?? false,
    warnings: () => plugin.warnings?.() ?? [],
    stop: async () => plugin.stop?.(),
  })
  plugins.add(adapted)
  return adapted
}

const plugins = new WeakSet<AnyCapability>()

/** Whether a capability was a plugin: several may have one name, and it is called what its owner calls it. */
export function isPlugin(value: AnyCapability): boolean {
  return plugins.has(value)
}

/** What plugins of that shape were told of a call. */
export function pluginContext({ promptBlocks, system, ...context }: LayerContext): PluginContext {
  return { ...context, skills: promptBlocks, ...defined({ system: system?.text }) }
}
