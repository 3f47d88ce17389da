import type { Layer } from '../context.ts'
import type { Tool } from '../tool.ts'
import type { Plugin, PluginContext } from './plugin.ts'
import type { WithheldTool } from './withheld-tool.ts'
import { errorMessage } from '../platform.ts'
import { ruleSaidOnce } from './foreign-text-rule.ts'
import { placedGuidance } from './placed-guidance.ts'
import type { PromptBlock } from './prompt-block.ts'
import { withoutPrompt } from './without-prompt.ts'

/** Plugins between start and stop, as one. */
export interface RunningPlugins {
  readonly plugins: readonly Plugin[]
  /** The layers of all plugins, in the order of the plugins. Rejects with the name of the plugin that failed. */
  layers(context: Omit<PluginContext, 'skills'>): Promise<readonly Layer[]>
  /** Of each plugin its own tools, then those of its skills. Throws with the name of the plugin that failed. */
  tools(): readonly Tool[]
  skills(): readonly PromptBlock[]
  /** Name of the plugin that a tool comes from: the last one that declares it. */
  ownerOf(tool: string): string | undefined
  ready(): Promise<void>
  withheld(): readonly WithheldTool[]
  accept(tool: string, digest: string): Promise<boolean>
  /** Each sentence begins with the name of its plugin. */
  warnings(): readonly string[]
  reload(): Promise<void>
  /** In reverse order. Every plugin is stopped, whatever another one says; then rejects with what went wrong. */
  stop(): Promise<void>
}

/** Starts plugins one after another. Where one fails, those already started are stopped again, in reverse. */
export async function startPlugins(plugins: readonly Plugin[]): Promise<RunningPlugins> {
  const started: Plugin[] = []
  for (const plugin of plugins) {
    try {
      await plugin.start?.()
      started.push(plugin)
    } catch (error) {
      const faults = await stopAll(started)
      throw faultOf(plugin, 'did not start', error, faults)
    }
  }
  let stopped: Promise<void> | undefined
  const skills = () => plugins.flatMap((plugin) => plugin.skills?.() ?? [])
  return {
    plugins,
    async layers(context) {
      const whole = { ...context, skills: skills() }
      const all = (await Promise.all(plugins.map((plugin) => layersOf(plugin, whole)))).flat()
      const dates = plugins.flatMap((plugin) => plugin.date?.(whole) ?? [])
      return ruleSaidOnce(withoutPrompt(placedGuidance(all, context.layout, dates.at(-1)), context.layout))
    },
    tools: () => plugins.flatMap(toolsOf),
    skills,
    ownerOf: (tool) => plugins.findLast((plugin) => toolsOf(plugin).some(({ name }) => name === tool))?.name,
    async ready() {
      await Promise.all(plugins.map(async (plugin) => plugin.ready?.()))
    },
    withheld: () => plugins.flatMap((plugin) => plugin.withheld?.() ?? []),
    async accept(tool, digest) {
      for (const plugin of plugins) if (await plugin.accept?.(tool, digest)) return true
      return false
    },
    warnings: () =>
      plugins.flatMap((plugin) => (plugin.warnings?.() ?? []).map((warning) => `${plugin.name}: ${warning}`)),
    async reload() {
      for (const plugin of plugins) await reload(plugin)
    },
    stop: () => (stopped ??= stop(plugins)),
  }
}

function toolsOf(plugin: Plugin): readonly Tool[] {
  try {
    return [...(plugin.tools?.() ?? []), ...(plugin.skills?.() ?? []).flatMap(({ tools }) => tools)]
  } catch (error) {
    throw faultOf(plugin, 'could not give its tools', error)
  }
}

async function layersOf(plugin: Plugin, context: PluginContext): Promise<readonly Layer[]> {
  try {
    return (await plugin.layers?.(context)) ?? []
  } catch (error) {
    throw faultOf(plugin, 'could not give its layers', error)
  }
}

async function reload(plugin: Plugin): Promise<void> {
  try {
    await plugin.reload?.()
  } catch (error) {
    throw faultOf(plugin, 'could not be read again', error)
  }
}

async function stop(plugins: readonly Plugin[]): Promise<void> {
  const faults = await stopAll(plugins)
  if (faults.length === 1) throw faults[0]
  if (faults.length > 1) throw new AggregateError(faults, faults.map(({ message }) => message).join('; '))
}

async function stopAll(plugins: readonly Plugin[]): Promise<readonly Error[]> {
  const faults: Error[] = []
  for (const plugin of plugins.toReversed()) {
    try {
      await plugin.stop?.()
    } catch (error) {
      faults.push(faultOf(plugin, 'did not stop', error))
    }
  }
  return faults
}

function faultOf(plugin: Plugin, what: string, error: unknown, others: readonly Error[] = []): Error {
  const why = [errorMessage(error), ...others.map(({ message }) => message)]
  return new Error(`The plugin ${plugin.name} ${what}: ${why.join('; ')}`, { cause: error })
}
