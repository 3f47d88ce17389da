import type { EmbeddingsCaller, ForeignCallService } from '../../capability.ts'
import { errorMessage, ForewordError } from '../../platform.ts'

type Embed = (model: string, body: Readonly<Record<string, unknown>>) => Promise<unknown>

/** Asks for embeddings as a recorded call of a program: refused where over a budget or with a secret. Rejects as `embed` does. */
export async function recordedEmbeddings(
  { foreign, embed }: { readonly foreign: ForeignCallService; readonly embed: Embed },
  {
    model,
    body,
    from,
  }: {
    readonly model: string
    readonly body: Readonly<Record<string, unknown>>
    readonly from: EmbeddingsCaller
  },
): Promise<unknown> {
  const [provider = '', ...name] = model.split('/')
  const server = foreign.server(provider)
  if (!server || name.length === 0) return embed(model, body)
  const call = foreign.begin({
    provider,
    head: {
      method: 'POST',
      path: '/v1/embeddings',
      headers: from.program === undefined ? {} : { 'user-agent': from.program },
    },
    body: Buffer.from(JSON.stringify({ ...body, model: name.join('/') })),
    caller: from.caller,
    overBudget: { type: 'refuse' },
    secrets: 'refuse',
  })
  const admission = await call.admit(from.signal)
  if (admission.type === 'refuse') {
    const { code, message, hint } = admission
    call.end({ type: 'refused', message })
    throw new ForewordError(code, message, {}, hint === undefined ? {} : { hint })
  }
  await call.sent(`${server.baseURL}/embeddings`)
  try {
    const answer = await embed(model, body)
    call.answered(200, { 'content-type': 'application/json' })
    call.received(Buffer.from(JSON.stringify(withoutVectors(answer))))
    call.end({ type: 'whole' })
    return answer
  } catch (error) {
    call.end({ type: 'broken', message: errorMessage(error) })
    throw error
  }
}

function withoutVectors(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null ? { ...answer, data: [] } : answer
}
