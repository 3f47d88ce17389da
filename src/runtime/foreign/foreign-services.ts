import { analyst } from './analysis/analyst.ts'
import { createForeignCalls } from './foreign-calls.ts'
import { createForeignCuts } from './foreign-cuts.ts'
import { createForeignLimits } from './foreign-limits.ts'
import { createForeignSessionService } from './foreign-session-service.ts'
import { createForeignSessions } from './foreign-sessions.ts'
import { createReceivedBodies } from './received-bodies.ts'

type Calls = Parameters<typeof createForeignCalls>[0]
type Cuts = Parameters<typeof createForeignCuts>[0]
type Limits = Parameters<typeof createForeignLimits>[0]
type Sessions = Parameters<typeof createForeignSessionService>[0]

type ForeignParts = Omit<Calls, 'analysis' | 'bodies' | 'receive' | 'written' | 'sessions' | 'limits' | 'cuts'> &
  Pick<Cuts, 'context'> &
  Pick<Limits, 'budgets' | 'questions' | 'resolve'> &
  Pick<Sessions, 'priceOf'> & {
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
  return {
    foreign: createForeignCalls({
      ...parts,
      receive: bodies.receive,
      bodies,
      analysis: analyst(clock),
      written,
      sessions,
      limits: createForeignLimits({ ...parts, sessions }),
      cuts: createForeignCuts(parts),
    }),
    foreignSessions: createForeignSessionService({ store, priceOf, assembleAgain, takeApart }),
    /** Removes the bodies of calls whose sessions had none since `before`, ISO 8601, and the answers to them. */
    async removeBodies(before: string): Promise<void> {
      const isUsed = (session: string) => sessions.isUsedSince(session, before)
      if ((await store.removeRestingContents({ before, isUsed })) > 0) written.clear()
    },
  }
}
