import { type ForeignSessionService, RuntimeError } from '../../capability.ts'
import type { ForeignAssembly } from '../../foreign.ts'
import type { CallRecord } from '../../session.ts'
import { sessionNotFound } from '../sessions/not-found.ts'
import { isForeign } from './foreign-input.ts'
import { type ExchangeSources, exchangeReader } from './session-exchanges.ts'
import { type FindingSources, sessionFindings } from './session-findings.ts'
import { sessionPrograms } from './session-programs.ts'

interface Sources extends ExchangeSources, FindingSources {
  /** Rejects with `missing-content`. */
  takeApart(call: CallRecord): Promise<ForeignAssembly>
}

/** The sessions of other programs, read from what was recorded of their calls. */
export function createForeignSessionService(sources: Sources): ForeignSessionService {
  const { store, takeApart } = sources
  const exchanges = exchangeReader(sources)

  async function requireSession(session: string): Promise<void> {
    if (!(await store.session(session))) throw sessionNotFound(session)
  }

  return {
    programs: (sessions) => sessionPrograms(store, sessions),
    async exchanges(session, options) {
      await requireSession(session)
      return exchanges(session, options)
    },
    async findings(session) {
      await requireSession(session)
      return { session, ...(await sessionFindings(sources, session)) }
    },
    async parts(id) {
      const call = await store.call(id)
      if (!call) throw new RuntimeError('not-found', `No call has the id ${id}.`, { call: id })
      if (!isForeign(call)) {
        const hint = 'GET /api/calls/CALL/scenario has what a call of this gateway was assembled from.'
        throw new RuntimeError('not-found', `The call ${id} was made by this gateway itself.`, { call: id }, { hint })
      }
      const { manifest, pieces, request } = await takeApart(call)
      return { manifest, pieces, messages: request.messages }
    },
  }
}
