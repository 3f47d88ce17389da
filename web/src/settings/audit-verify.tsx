import { type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import type { AuditReport } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { TextField } from '../parts/fields.tsx'
import { count } from '../parts/numbers.ts'
import { AuditRecords } from './audit-records.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { useAction } from '../parts/use-action.ts'

type Checked = { readonly report: AuditReport; readonly time: Date }

/** Checks the chain of hashes against its checkpoints, and says what was checked, or exactly where it breaks. */
export function AuditVerify(): ReactNode {
  const [expect, setExpect] = useState('')
  const [checked, setChecked] = useState<Checked>()
  const { busy: isBusy, error, act } = useAction()
  const verify = (): Promise<void> => {
    const query = expect.trim() === '' ? '' : `?expect=${encodeURIComponent(expect.trim())}`
    return act(async () => {
      const report = api<AuditReport>(`/api/audit/verify${query}`)
      await report.catch(() => setChecked(undefined))
      setChecked({ report: await report, time: new Date() })
    })
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

type Target = AuditReport['checkpoints']['targets'][number]

/** The newest record, to be noted elsewhere, and what was signed of the audit and where. */
function AuditProof({ report }: { readonly report: AuditReport }): ReactNode {
  const { head, checkpoints } = report
  const { newest, targets, restores, key } = checkpoints
  const position = head && `${head.number}:${head.hash}`
  return (
    <div className="flex flex-col gap-2 text-sm">
      {position !== undefined && (
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="text-soft">Newest record</span>
          <code className="min-w-0 break-all text-xs">{position}</code>
          <CopyButton text={position} />
        </p>
      )}
      <p>
        {newest
          ? `Newest checkpoint: record ${count(newest.number)}, ${new Date(newest.time).toLocaleString()}.`
          : 'There is no checkpoint yet.'}
      </p>
      {targets.length > 0 && (
        <ul aria-label="Checkpoints" className="flex flex-col gap-1">
          {targets.map((target) => (
            <li key={target.target}>
              <code className="text-xs break-all">{target.target}</code>
              {`: ${targetText(target)}`}
              {target.failure && <span className="text-bad">{` ${failureText(target.failure)}`}</span>}
            </li>
          ))}
        </ul>
      )}
      {restores.map(({ time, saved, before }) => (
        <p key={time} className="text-warn">
          {`A backup of ${new Date(saved).toLocaleString()} was restored on ${new Date(time).toLocaleString()}${before ? `, in place of ${count(before.number)} records` : ''}.`}
        </p>
      ))}
      {key !== undefined && (
        <p className="text-soft">
          {'Signed with '}
          <code className="text-xs break-all">{key}</code>
        </p>
      )}
    </div>
  )
}

function targetText({ newest, checkpoints }: Target): string {
  if (newest === undefined) return 'nothing written yet.'
  const read = checkpoints === undefined ? 'cannot be read back' : `${count(checkpoints)} compared`
  return `up to record ${count(newest.number)}, ${read}.`
}

function failureText({ since, message }: NonNullable<Target['failure']>): string {
  return `${since === undefined ? 'Failing' : `Failing since ${new Date(since).toLocaleString()}`}: ${message}.`
}
