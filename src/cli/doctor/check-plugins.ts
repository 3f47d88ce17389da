import type { Configuration } from '../../runtime.ts'
import { ok, problem } from './finding.ts'
import type { Finding } from '../../capability.ts'

/** Whether the plugins of the configuration load, as a start would load them. Nothing where there are none. */
export async function checkPlugins(home: string, { agent, plugins }: Configuration): Promise<readonly Finding[]> {
  if (plugins.length === 0) return []
  const { loadPlugins } = await import('../../runtime.ts')
  try {
    const loaded = await loadPlugins(plugins, { home, workspace: agent.workspace })
    return [ok('plugins', loaded.map(({ name, version }) => `${name} ${version}`).join(', '))]
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return [
      problem('plugins', `the gateway does not start: ${why}`, 'Correct it, or take it out of plugins in config.json.'),
    ]
  }
}
