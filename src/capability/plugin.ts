import type { Layer } from '../context.ts'
import { defined } from '../platform.ts'
import type { Tool } from '../tool.ts'
import { type AnyCapability, capability } from './capability.ts'
import type { LayerContext, PromptBlock } from './turn-part.ts'
import type { WithheldTool } from './runtime/runtime.ts'

/**
 * One capability: layers for the model to read, tools for it to call, and a life between start and stop. Plugins read
 * the world at `start` and at `reload`, and keep what they read, so that nothing changes in the middle of a turn. Members
 * that a `Capability` has, too, promise the same there.
 */
export interface Plugin {
  readonly name: string
  readonly version: string
  /** Called for every step. A throw ends the turn: no request is sent with something missing that nobody can see. */
  layers?(context: PluginContext): Promise<readonly Layer[]>
  /** The text for `{{date}}` in a prompt: words that fit into a sentence. */
  date?(context: PluginContext): string
  tools?(): readonly Tool[]
  /** Capabilities: their tools are offered, and their prompt blocks are sent as the layout has it. As stable as `tools`. */
  skills?(): readonly PromptBlock[]
  ready?(): Promise<void>
  /** Tools of others whose definition is not the one that was accepted: not offered until the owner accepts. */
  withheld?(): readonly WithheldTool[]
  accept?(tool: string, digest: string): Promise<boolean>
  /** A throw keeps the whole runtime from starting: what can be done without is a warning instead. */
  start?(): Promise<void>
  reload?(): Promise<void>
  stop?(): Promise<void>
  /** What was wrong with what was read last, in sentences that name the place. */
  warnings?(): readonly string[]
}

/** What a layer may depend on, as in `LayerContext`. */
interface PluginContext
  extends
    Pick<LayerContext, 'time' | 'layout' | 'tools' | 'session' | 'turn' | 'model'>,
    Partial<Pick<LayerContext, 'callsTools' | 'choices' | 'readsForeign' | 'cites'>> {
  /** Capabilities of all plugins, in the order of the plugins, whether or not their tools are offered. None where absent. */
  readonly skills?: readonly PromptBlock[]
  /** The system prompt that came with the input of this turn, in place of every other. */
  readonly system?: string
}

/** A capability of the shape that plugins had before there were capabilities. */
export function pluginAsCapability(plugin: Plugin): AnyCapability {
  const adapted: AnyCapability = capability({
    name: plugin.name,
    start: async () => plugin.start?.(),
    layers: async (_, context) => (await plugin.layers?.(pluginContext(context))) ?? [],
    tools: () => plugin.tools?.() ?? [],
    promptBlocks: () => plugin.skills?.() ?? [],
    placeholders: (_, context): Readonly<Record<string, string>> =>
      plugin.date ? { date: plugin.date(pluginContext(context)) } : {},
    lifecycle: { ready: async () => plugin.ready?.(), reload: async () => plugin.reload?.() },
    pins: () => [
      {
        withheld: () => plugin.withheld?.() ?? [],
        accept: async (tool, digest) => (await plugin.accept?.(tool, digest)) ?? false,
      },
    ],
    status: { warnings: () => plugin.warnings?.() ?? [] },
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

function pluginContext({ promptBlocks, system, ...context }: LayerContext): PluginContext {
  return { ...context, skills: promptBlocks, ...defined({ system: system?.text }) }
}
