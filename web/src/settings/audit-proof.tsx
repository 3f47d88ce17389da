import type { ReactNode } from 'react'
import type { AuditReport } from '../api/resources.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { count } from '../parts/numbers.ts'

type Target = AuditReport['checkpoints']['targets'][number]

/** The newest record, to be noted elsewhere, and what was signed of the audit and where. */
export function AuditProof({ report }: { readonly report: AuditReport }): ReactNode {
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
