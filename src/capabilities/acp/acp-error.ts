import { RequestError } from '@agentclientprotocol/sdk'
import { errorMessage, ForewordError } from '../../platform.ts'

/** Runs a handler of the protocol. What it throws becomes a JSON-RPC error with a sentence for a person and our code. */
export async function answering<Answer>(signal: AbortSignal, handle: () => Promise<Answer>): Promise<Answer> {
  try {
    return await handle()
  } catch (error) {
    if (error instanceof RequestError) throw error
    if (signal.aborted) throw RequestError.requestCancelled()
    throw requestError(error)
  }
}

/** The same error for an editor. It has no stack and no secret: `ForewordError` never has one. */
function requestError(error: unknown): RequestError {
  if (!(error instanceof ForewordError)) {
    return new RequestError(INTERNAL, `Foreword failed: ${errorMessage(error)}`, { code: 'internal' })
  }
  const { code, message, hint } = error
  return new RequestError(rpcCode(code), hint === undefined ? message : `${message} ${hint}`, {
    code,
    ...(hint === undefined ? {} : { hint }),
  })
}

/** Whether an editor has cancelled a request by its id. Turns go on when the connection ends. */
export function isCancelled({ reason }: AbortSignal): boolean {
  return reason instanceof RequestError && reason.code === REQUEST_CANCELLED
}

const REQUEST_CANCELLED = -32_800
const INTERNAL = -32_603

function rpcCode(code: string): number {
  if (code === 'invalid-input' || code === 'usage') return -32_602
  return code === 'not-found' || code === 'model-not-found' ? -32_002 : INTERNAL
}
