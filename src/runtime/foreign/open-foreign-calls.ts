import type { ForeignCallService } from '../../capability.ts'
import type { Models } from '../../model.ts'
import type { AssemblyContext } from '../calls/assembly-context.ts'
import type { BudgetService } from '../budgets/budget-service.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { ModelChoice } from '../models/model-choice.ts'
import { createForeignCalls } from './foreign-calls.ts'
import { createForeignCuts } from './foreign-cuts.ts'
import { createForeignLimits } from './foreign-limits.ts'
import { createForeignSessions } from './foreign-sessions.ts'
import type { RecordParts } from './record-call.ts'

interface ForeignHome extends Omit<RecordParts, 'factsOf' | 'sessions' | 'written'> {
  readonly context: Pick<AssemblyContext, 'calibration' | 'settings' | 'limits'>
  readonly models: Models
  readonly choice: Pick<ModelChoice, 'resolve'>
  readonly budgets: BudgetService
  readonly ledger: Pick<Ledger, 'foreignAssembly'>
  readonly warn: (text: string) => void
}

/** The calls of other programs over one home, with their sessions and their limits. */
export function openForeignCalls({ choice, budgets, ledger, ...home }: ForeignHome): ForeignCallService {
  const resolve = (id: string) => choice.resolve(id)
  const factsOf = (id: string) => home.models.knownFacts?.(id)
  return createForeignCalls({
    ...home,
    factsOf,
    written: new Set(),
    sessions: createForeignSessions({ ...home, assembleAgain: ledger.foreignAssembly }),
    limits: createForeignLimits({ ...home, budgets, factsOf, resolve }),
    cuts: createForeignCuts({ ...home, factsOf, resolve }),
  })
}
