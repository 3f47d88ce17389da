import type { AuditVerdict } from '../../session.ts'
import type { CommandCall, Io } from '../../capability.ts'
import { print, printJson } from '../io.ts'
import { withStore } from '../open-store.ts'

/** Examines the whole chain. Exit code 1 where it is broken. */
export async function verifyAudit(call: CommandCall, io: Io): Promise<number> {
  const verdict = await withStore<AuditVerdict>(
    call.home,
    async (store) => {
      const session = await import('../../session.ts')
      return await session.verifyAudit(store)
    },
    () => ({ type: 'whole', records: 0 }),
  )
  if (call.json) printJson(io, verdict)
  else print(io, sentenceOf(verdict))
  return verdict.type === 'whole' ? 0 : 1
}

function sentenceOf(verdict: AuditVerdict): string {
  if (verdict.type === 'broken') return `broken at record ${verdict.number}: ${verdict.why}`
  return verdict.records === 1 ? 'whole: 1 record' : `whole: ${verdict.records} records`
}
