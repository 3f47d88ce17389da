import type { AnyCapability, CapabilityHost, Channel, Io } from '../capability.ts'
import type { Configuration } from '../runtime.ts'

/** The channels of capabilities, before the runtime that they work with is there: each is started with it. */
export async function configuredChannels(
  capabilities: readonly AnyCapability[],
  configuration: Configuration,
  { environment }: Pick<Io, 'environment'>,
  warn: (text: string) => void,
): Promise<readonly Channel[]> {
  const { settingsOf } = await import('../runtime.ts')
  const choices = Object.fromEntries(capabilities.flatMap(({ session = {} }) => Object.entries(session)))
  const opened: Channel[] = []
  for (const capability of capabilities) {
    const host: Partial<CapabilityHost<unknown>> = {
      settings: settingsOf(configuration, capability),
      environment,
      choices,
      settingsOf(name) {
        const other = capabilities.find((each) => each.name === name)
        return other && settingsOf(configuration, other)
      },
      warn,
    }
    opened.push(...((await capability.channels?.(host as never)) ?? []))
  }
  return opened
}
