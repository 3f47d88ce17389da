import { analyst } from './analysis/analyst.ts'
import { createForeignCalls } from './foreign-calls.ts'
import { createForeignCuts } from './foreign-cuts.ts'
import { createForeignLimits } from './foreign-limits.ts'
import { createForeignSessionService } from './foreign-session-service.ts'
import { createForeignSessions } from './foreign-sessions.ts'
import { createReceivedBodies } from './received-bodies.ts'
import { type EmbeddingsCaller, type ForeignCallService, type Runtime } from '../../capability.ts'
import type { Models } from '../../model.ts'
import { errorMessage, ForewordError } from '../../platform.ts'
import { runtimeFailure } from '../failure.ts'

type Calls = Parameters<typeof createForeignCalls>[0]
type Cuts = Parameters<typeof createForeignCuts>[0]
type Limits = Parameters<typeof createForeignLimits>[0]
type Sessions = Parameters<typeof createForeignSessionService>[0]

type ForeignParts = Omit<Calls, 'analysis' | 'bodies' | 'receive' | 'written' | 'sessions' | 'limits' | 'cuts'> &
  Pick<Cuts, 'context'> &
  Pick<Limits, 'budgets' | 'questions' | 'resolve'> &
  Pick<Sessions, 'priceOf'> & {
    readonly models: Pick<Models, 'embeddings'>
    /** Throws once the runtime accepts no more input. */
    readonly refuseWhenClosing: () => void
    readonly ledger: Pick<Parameters<typeof createForeignSessionService>[0], 'takeApart'> & {
      readonly foreignAssembly: Parameters<typeof createForeignSessionService>[0]['assembleAgain']
    }
  }

/** Calls of other programs over one home, and their sessions as a person reads them. */
export function createForeignServices(parts: ForeignParts) {
  const { store, clock, ledger, priceOf } = parts
  const written = new Set<string>()
  const bodies = createReceivedBodies(clock)
  const sessions = createForeignSessions({ store, clock, analysis: analyst(clock) })
  const { foreignAssembly: assembleAgain, takeApart } = ledger
  const foreign = createForeignCalls({
    ...parts,
    receive: bodies.receive,
    bodies,
    analysis: analyst(clock),
    written,
    sessions,
    limits: createForeignLimits({ ...parts, sessions }),
    cuts: createForeignCuts(parts),
  })
  const views: Pick<Runtime, 'foreign' | 'foreignSessions' | 'embeddings'> = {
    foreign,
    foreignSessions: createForeignSessionService({ store, priceOf, assembleAgain, takeApart }),
    async embeddings(model, body, from) {
      parts.refuseWhenClosing()
      const embed: Models['embeddings'] = (id, asked) => parts.models.embeddings(id, asked)
      return recordedEmbeddings({ foreign, embed }, { model, body, from }).catch((error: unknown) => {
        throw runtimeFailure(error)
      })
    },
  }
  return {
    foreign,
    views,
    /** Removes the bodies of calls whose sessions had none since `before`, ISO 8601, and the answers to them. */
    async removeBodies(before: string): Promise<void> {
      const isUsed = (session: string) => sessions.isUsedSince(session, before)
      if ((await store.removeRestingContents({ before, isUsed })) > 0) written.clear()
    },
  }
}

/** Asks for embeddings as a recorded call of a program: refused where over a budget or with a secret. Rejects as `embed` does. */
async function recordedEmbeddings(
  { foreign, embed }: { readonly foreign: ForeignCallService; readonly embed: Models['embeddings'] },
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
  const sent = Buffer.from(JSON.stringify({ ...body, model: name.join('/') }))
  const call = foreign.begin({
    provider,
    head: {
      method: 'POST',
      path: '/v1/embeddings',
      headers: from.program === undefined ? {} : { 'user-agent': from.program },
    },
    body: sent,
    plain: sent,
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
