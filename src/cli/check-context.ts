import { systemClock } from '../platform.ts'
import type { AnyCapability, CheckContext, GatewayConnection } from '../capability.ts'
import type { Configuration } from '../runtime.ts'
import { requestJson } from './answer.ts'

export interface CheckedHome extends Pick<CheckContext, 'home' | 'environment'> {
  readonly capabilities: readonly AnyCapability[]
  readonly configuration: Configuration
  readonly connection: GatewayConnection | undefined
}

export async function checkContext(
  capability: AnyCapability,
  { home, environment, capabilities, configuration, connection }: CheckedHome,
): Promise<CheckContext<unknown>> {
  const { capabilitySettings } = await import('../runtime.ts')
  return {
    settings: capabilitySettings(configuration, capability),
    home,
    workspace: configuration.agent.workspace,
    environment,
    clock: systemClock,
    settingsOf(name) {
      const other = capabilities.find((each) => each.name === name)
      return other && capabilitySettings(configuration, other)
    },
    embedders: capabilities.flatMap((each) => each.models?.embedders ?? []),
    get: async (path) => connection && (await requestJson(connection, path)),
  }
}
