import type { GatewayConnection } from '../../capability.ts'
import { requestJson } from '../../cli.ts'

export async function modelWindow(connection: GatewayConnection, id: string): Promise<number | undefined> {
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
