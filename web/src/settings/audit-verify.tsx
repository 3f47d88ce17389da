import { type ReactNode, useState } from 'react'
import { type ApiError, api } from '../api/client.ts'
import type { AuditReport } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { TextField } from '../parts/fields.tsx'
import { count } from '../parts/numbers.ts'
import { AuditProof } from './audit-proof.tsx'
import { AuditRecords } from './audit-records.tsx'

type Checked = { readonly report: AuditReport; readonly time: Date }

/** Checks the chain of hashes against its checkpoints, and says what was checked, or exactly where it breaks. */
export function AuditVerify(): ReactNode {
  const [expect, setExpect] = useState('')
  const [checked, setChecked] = useState<Checked>()
  const [error, setError] = useState<ApiError>()
  const [isBusy, setBusy] = useState(false)
  const verify = async (): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      const query = expect.trim() === '' ? '' : `?expect=${encodeURIComponent(expect.trim())}`
      setChecked({ report: await api<AuditReport>(`/api/audit/verify${query}`), time: new Date() })
    } catch (failure) {
      setChecked(undefined)
      setError(failure as ApiError)
    }
    setBusy(false)
  }
  return (
    <section aria-label="The chain" className="flex flex-col gap-2">
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          void verify()
        }}
      >
        <div className="min-w-60 grow">
          <TextField
            label="A record that you noted"
            placeholder="NUMBER:HASH, or nothing"
            spellCheck={false}
            value={expect}
            onChange={({ target }) => setExpect(target.value)}
          />
        </div>
        <Button look="plain" type="submit" disabled={isBusy}>
          {isBusy ? 'Verifying…' : 'Verify'}
        </Button>
      </form>
      <p role="status" className="text-sm">
        {checked?.report.type === 'whole' && (
          <span className="text-good">{`${wholeText(checked.report.records)} Verified at ${checked.time.toLocaleTimeString()}.`}</span>
        )}
      </p>
      {error && <ErrorNote error={error} />}
      {checked?.report.type === 'broken' && <Broken report={checked.report} />}
      {checked && <AuditProof report={checked.report} />}
    </section>
  )
}

function wholeText(records: number): string {
  if (records === 0) return 'There are no records yet.'
  if (records === 1) return 'The only record matches its hash.'
  return `All ${count(records)} records match their hashes, and each follows the one before.`
}

function Broken({ report }: { readonly report: Extract<AuditReport, { readonly type: 'broken' }> }): ReactNode {
  const { number, why, hint, against } = report
  const isChain = against === 'chain'
  const before =
    number === 1 || !isChain
      ? ''
      : number === 2
        ? ' Record 1 is whole.'
        : ` Records 1 to ${count(number - 1)} are whole.`
  return (
    <div className="flex flex-col gap-2">
      <ErrorNote
        error={{
          message: isChain
            ? `The chain is broken at record ${count(number)}: ${why}.${before}`
            : `The audit is not what it was: ${why}.`,
          hint,
        }}
      />
      <AuditRecords label="Around the break" query={`after=${Math.max(0, number - 2)}&limit=3`} />
    </div>
  )
}
