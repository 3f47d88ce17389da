import { type ReactNode, useState } from 'react'
import { type ApiError, api } from '../api/client.ts'
import type { AuditVerdict } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { count } from '../parts/numbers.ts'
import { AuditRecords } from './audit-records.tsx'

type Verdict = { readonly verdict: AuditVerdict; readonly time: Date }

/** Checks the chain of hashes, and says what was checked, or exactly where it breaks. */
export function AuditVerify(): ReactNode {
  const [checked, setChecked] = useState<Verdict>()
  const [error, setError] = useState<ApiError>()
  const [isBusy, setBusy] = useState(false)
  const verify = async (): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      setChecked({ verdict: await api<AuditVerdict>('/api/audit/verify'), time: new Date() })
    } catch (failure) {
      setError(failure as ApiError)
    }
    setBusy(false)
  }
  return (
    <section aria-label="The chain" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <Button look="plain" disabled={isBusy} onClick={() => void verify()}>
          {isBusy ? 'Verifying…' : 'Verify'}
        </Button>
        <p role="status" className="text-sm">
          {checked?.verdict.type === 'whole' && (
            <span className="text-good">{`${wholeText(checked.verdict.records)} Verified at ${checked.time.toLocaleTimeString()}.`}</span>
          )}
        </p>
      </div>
      {error && <ErrorNote error={error} />}
      {checked?.verdict.type === 'broken' && <Broken verdict={checked.verdict} />}
    </section>
  )
}

function wholeText(records: number): string {
  if (records === 0) return 'There are no records yet.'
  if (records === 1) return 'The only record matches its hash.'
  return `All ${count(records)} records match their hashes, and each follows the one before.`
}

function Broken({ verdict }: { readonly verdict: Extract<AuditVerdict, { readonly type: 'broken' }> }): ReactNode {
  const { number, why } = verdict
  const before =
    number === 1 ? '' : number === 2 ? ' Record 1 is whole.' : ` Records 1 to ${count(number - 1)} are whole.`
  return (
    <div className="flex flex-col gap-2">
      <ErrorNote
        error={{
          message: `The chain is broken at record ${count(number)}: ${why}.${before}`,
          hint: 'Something changed the store outside Foreword. Keep a copy of it, and look at the records around the break:',
        }}
      />
      <AuditRecords label="Around the break" query={`after=${Math.max(0, number - 2)}&limit=3`} />
    </div>
  )
}
