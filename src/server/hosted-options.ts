import type { HostedRuntime } from '../runtime.ts'
import { contributionsOf } from './contributions.ts'
import type { ServerOptions } from './create-server.ts'

/** What a runtime brings to its server: contributions, choices, and the endpoints at which services of channels call. */
export async function hostedOptions({
  contributed,
  channels,
}: HostedRuntime): Promise<Pick<ServerOptions, 'contributions' | 'choices' | 'hooks'>> {
  return {
    contributions: await contributionsOf(contributed),
    choices: contributed.choices,
    hooks: Object.fromEntries(channels.flatMap(({ hook }) => (hook ? [[hook.path, hook.handle] as const] : []))),
  }
}
