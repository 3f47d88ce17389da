import { type ReactNode, useEffect, useState } from 'react'
import { AuditHistory } from './audit-records.tsx'
import { AuditVerify } from './audit-verify.tsx'
import { Button } from '../parts/button.tsx'
import { Select, TextField } from '../parts/fields.tsx'
import { decisions } from './audit-words.ts'
import { dayStart } from './usage-range.ts'
import { t } from '../language/language.ts'

export default function AuditPage(): ReactNode {
  const [filter, setFilter] = useState<AuditFilter>(noFilter)
  const query = filterQuery(filter).toString()
  return (
    <div className="flex flex-col gap-5">
      <p className="text-sm text-soft">
        {t`Records every call of a tool, every decision about one, and every change of what may run. Records are never changed or removed.`}
      </p>
      <AuditVerify />
      <AuditFilterForm filter={filter} onChange={setFilter} />
      <section aria-label={t`What is recorded`} className="flex flex-col gap-3">
        <a
          href={`/api/audit/export${query === '' ? '' : `?${query}`}`}
          download="foreword-audit.jsonl"
          className="self-start text-sm text-accent underline"
        >
          {query === '' ? t`Export all records as JSON Lines` : t`Export these records as JSON Lines`}
        </a>
        <AuditHistory filter={query} onSession={(session) => setFilter({ ...noFilter, session })} />
      </section>
    </div>
  )
}

/** Which records are shown; empty where all are. Days of this browser's time zone, the last one included. */
interface AuditFilter {
  readonly session: string
  readonly tool: string
  readonly decision: string
  readonly from: string
  readonly to: string
}

const noFilter: AuditFilter = { session: '', tool: '', decision: '', from: '', to: '' }

function filterQuery({ session, tool, decision, from, to }: AuditFilter): URLSearchParams {
  const given = {
    session: session.trim(),
    tool: tool.trim(),
    decision,
    since: dayStart(from, 0),
    until: dayStart(to, 1),
  }
  return new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ''))
}

interface AuditFilterFormProps {
  readonly filter: AuditFilter
  onChange(filter: AuditFilter): void
}

/** The fields of the filter. Each applies at once; texts when one leaves the field or presses Enter. */
function AuditFilterForm({ filter, onChange }: AuditFilterFormProps): ReactNode {
  const texts = [
    { name: 'tool', label: t`Tool` },
    { name: 'session', label: t`Session` },
  ] as const
  return (
    <form
      aria-label={t`Which records`}
      className="grid grid-cols-2 gap-3 sm:grid-cols-3"
      onSubmit={(event) => event.preventDefault()}
    >
      {texts.map(({ name, label }) => (
        <LateField
          key={name}
          label={label}
          value={filter[name]}
          onChange={(value) => onChange({ ...filter, [name]: value })}
        />
      ))}
      <Select
        label={t`Decision`}
        options={decisions}
        value={filter.decision}
        onChange={({ target }) => onChange({ ...filter, decision: target.value })}
      />
      <TextField
        label={t`From`}
        type="date"
        value={filter.from}
        onChange={({ target }) => onChange({ ...filter, from: target.value })}
      />
      <TextField
        label={t`To`}
        type="date"
        value={filter.to}
        onChange={({ target }) => onChange({ ...filter, to: target.value })}
      />
      <div className="flex items-end">
        <Button look="plain" disabled={filterQuery(filter).size === 0} onClick={() => onChange(noFilter)}>
          {t`Show all`}
        </Button>
      </div>
    </form>
  )
}

interface LateFieldProps {
  readonly label: string
  readonly value: string
  onChange(value: string): void
}

/** A text that applies on Enter or when the field loses the focus. */
function LateField({ label, value, onChange }: LateFieldProps): ReactNode {
  const [draft, setDraft] = useState(value)
  useEffect(() => setDraft(value), [value])
  const apply = (): void => {
    if (draft !== value) onChange(draft)
  }
  return (
    <TextField
      label={label}
      value={draft}
      placeholder={t`Any`}
      onChange={({ target }) => setDraft(target.value)}
      onBlur={apply}
      onKeyDown={({ key }) => key === 'Enter' && apply()}
    />
  )
}
