import { type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import type { AuditReport } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-text.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { TextField } from '../parts/fields.tsx'
import { AuditRecords } from './audit-records.tsx'
import { useAction } from '../parts/use-action.ts'
import { timeText } from '../parts/numbers.ts'
import { t, translated } from '../language/language.ts'
import { rich } from '../language/rich.ts'

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
    <section aria-label={t`The chain`} className="flex flex-col gap-2">
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          void verify()
        }}
      >
        <div className="min-w-60 grow">
          <TextField
            label={t`A record that you noted`}
            placeholder={t`NUMBER:HASH, or nothing`}
            spellCheck={false}
            value={expect}
            onChange={({ target }) => setExpect(target.value)}
          />
        </div>
        <Button look="plain" type="submit" disabled={isBusy}>
          {isBusy ? t`Verifying…` : t`Verify`}
        </Button>
      </form>
      <p role="status" className="text-sm">
        {checked?.report.type === 'whole' && (
          <span className="text-good">{`${wholeText(checked.report.records)} ${t`Verified at ${timeText(checked.time, { timeStyle: 'medium' })}.`}`}</span>
        )}
      </p>
      {error && <ErrorNote error={error} />}
      {checked?.report.type === 'broken' && <Broken report={checked.report} />}
      {checked && <AuditProof report={checked.report} />}
    </section>
  )
}

function wholeText(records: number): string {
  if (records === 0) return t`There are no records yet.`
  if (records === 1) return t`The only record matches its hash.`
  return t`All ${records} records match their hashes, and each follows the one before.`
}

function Broken({ report }: { readonly report: Extract<AuditReport, { readonly type: 'broken' }> }): ReactNode {
  const { number, why, hint, against } = report
  const isChain = against === 'chain'
  const before =
    number === 1 || !isChain
      ? ''
      : ` ${number === 2 ? t`Record 1 is whole.` : t`Records 1 to ${number - 1} are whole.`}`
  return (
    <div className="flex flex-col gap-2">
      <ErrorNote
        error={{
          message: isChain
            ? `${t`The chain is broken at record ${number}: ${why}.`}${before}`
            : t`The audit is not what it was: ${why}.`,
          hint: hint && translated(hint),
        }}
      />
      <AuditRecords label={t`Around the break`} query={`after=${Math.max(0, number - 2)}&limit=3`} />
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
          <span className="text-soft">{t`Newest record`}</span>
          <code className="min-w-0 break-all text-xs">{position}</code>
          <CopyButton text={position} />
        </p>
      )}
      <p>
        {newest
          ? t`Newest checkpoint: record ${newest.number}, ${timeText(newest.time)}.`
          : t`There is no checkpoint yet.`}
      </p>
      {targets.length > 0 && (
        <ul aria-label={t`Checkpoints`} className="flex flex-col gap-1">
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
          {before
            ? t`A backup of ${timeText(saved)} was restored on ${timeText(time)}, in place of ${before.number} records.`
            : t`A backup of ${timeText(saved)} was restored on ${timeText(time)}.`}
        </p>
      ))}
      {key !== undefined && (
        <p className="text-soft">{rich`Signed with ${<code className="text-xs break-all">{key}</code>}`}</p>
      )}
    </div>
  )
}

function targetText({ newest, checkpoints }: Target): string {
  if (newest === undefined) return t`nothing written yet.`
  const read = checkpoints === undefined ? t`cannot be read back` : t`${checkpoints} compared`
  return t`up to record ${newest.number}, ${read}.`
}

function failureText({ since, message }: NonNullable<Target['failure']>): string {
  return since === undefined ? t`Failing: ${message}.` : t`Failing since ${timeText(since)}: ${message}.`
}
