import type { GatewayConnection } from '../../../capability.ts'
import { requestJson } from '../../../cli.ts'
import type { WrappedProgram } from '../program/wrapped-program.ts'
import type { RunChoices } from './run-choices.ts'

/** The window of the chosen model, tokens; `undefined` where none is chosen or nothing is known of it. */
export async function windowOf(
  connection: GatewayConnection,
  program: WrappedProgram,
  { provider = program.provider, model }: Pick<RunChoices, 'provider' | 'model'>,
): Promise<number | undefined> {
  if (model === undefined) return undefined
  const id = model.startsWith(`${provider}/`) ? model : `${provider}/${model}`
  try {
    const found = await requestJson<ModelAnswer>(connection, `/api/model?id=${encodeURIComponent(id)}`)
    return found.facts?.assumed?.includes('window') === true ? undefined : found.window
  } catch {
    return undefined
  }
}

interface ModelAnswer {
  readonly window: number
  readonly facts?: { readonly assumed?: readonly string[] }
}
