import { type ReactNode, useState } from 'react'
import { type AuditFilter, AuditFilterForm, filterQuery, noFilter } from './audit-filter.tsx'
import { AuditHistory } from './audit-records.tsx'
import { AuditVerify } from './audit-verify.tsx'

export default function AuditPage(): ReactNode {
  const [filter, setFilter] = useState<AuditFilter>(noFilter)
  const query = filterQuery(filter).toString()
  return (
    <div className="flex flex-col gap-5">
      <p className="text-sm text-soft">
        Every call of a tool, every decision about one and every change of what may run has a record. Records are never
        changed or removed, also when their session is deleted; each has the hash of the one before. Signed checkpoints
        outside the store show later that nothing was cut off or rewritten.
      </p>
      <AuditVerify />
      <AuditFilterForm filter={filter} onChange={setFilter} />
      <section aria-label="What is recorded" className="flex flex-col gap-3">
        <a
          href={`/api/audit/export${query === '' ? '' : `?${query}`}`}
          download="foreword-audit.jsonl"
          className="self-start text-sm text-accent underline"
        >
          {query === '' ? 'Export all records as JSON Lines' : 'Export these records as JSON Lines'}
        </a>
        <AuditHistory key={query} filter={query} onSession={(session) => setFilter({ ...noFilter, session })} />
      </section>
    </div>
  )
}
