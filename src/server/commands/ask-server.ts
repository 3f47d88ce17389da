import type { SlashCommandCall } from '../../capability.ts'
import { ForewordError } from '../../platform.ts'

/** Calls endpoints within this process: no port has to be open. `fetch` answers without asking for a token. */
export function askServer(fetch: (request: Request) => Response | Promise<Response>): SlashCommandCall['ask'] {
  return async <Answer>(path: string, { method, body }: { readonly method?: string; readonly body?: unknown } = {}) => {
    const response = await fetch(
      new Request(`http://${ADDRESS}${path}`, {
        ...(method === undefined ? {} : { method }),
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      }),
    )
    if (!response.ok) throw await refusalError(response)
    return (response.status === 204 ? undefined : await response.json()) as Answer
  }
}

/** What such requests name as their host. */
const ADDRESS = '127.0.0.1'

async function refusalError(response: Response): Promise<ForewordError> {
  const body = (await response.json().catch(() => undefined)) as { readonly error?: Refusal } | undefined
  const { code = 'internal', message = `The gateway answered ${response.status}.`, hint } = body?.error ?? {}
  return new ForewordError(code, message, { status: response.status }, { hint })
}

interface Refusal {
  readonly code?: string
  readonly message?: string
  readonly hint?: string
}
