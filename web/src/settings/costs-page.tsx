import { type ReactNode, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { type CostReport, type ListedSession, type UsageReport, useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { TextField } from '../parts/fields.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { CostsBudgets } from './costs-budgets.tsx'
import { CostsMoney } from './costs-money.tsx'
import { CostsTokens } from './costs-tokens.tsx'
import { UsageChoice } from './usage-bar.tsx'
import { dayStart, titled } from './usage-range.ts'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'

const FEW = '50'
/** As many as the gateway lists. */
const MOST = '1000'

export default function CostsPage(): ReactNode {
  const [search] = useSearchParams()
  const session = search.get('session') ?? undefined
  const [unit, setUnit] = useState<Unit>(search.get('show') === 'tokens' ? 'tokens' : 'money')
  const [range, setRange] = useState<CostRangeId>(session === undefined ? '30' : 'all')
  const [days, setDays] = useState({ since: '', until: '' })
  const [chosen, setBy] = useState(session === undefined ? 'day' : 'layer')
  const [limit, setLimit] = useState(FEW)
  const by = groups[unit].some(({ id }) => id === chosen) ? chosen : 'day'
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const asked = { by, zone, ...(session && { session }), ...costRange(range, days, new Date()) }
  const address = (more: Readonly<Record<string, string>>): string =>
    `/api/${unit === 'money' ? 'costs' : 'usage'}?${new URLSearchParams({ ...asked, ...more }).toString()}`
  // What was shown before stays until the next is there, also of the other unit.
  const { data, error, isValidating } = useResource<CostReport | UsageReport>(address({ limit }), {
    keepPreviousData: true,
  })
  return (
    <div className="flex flex-col gap-5">
      <p className="text-sm text-soft">
        {t`What the calls cost and read, as the providers reported it, at the prices known now. Days begin at midnight, ${zone}.`}
      </p>
      {session ? <OneSession session={session} /> : <CostsBudgets />}
      <div className="flex flex-wrap gap-x-2 gap-y-3 sm:gap-x-6">
        {/* The gateway adds up the tokens of all sessions only. */}
        {session === undefined && (
          <UsageChoice<Unit>
            label={t`Show`}
            name="unit"
            options={titled('money', 'tokens')}
            value={unit}
            onChange={setUnit}
          />
        )}
        <UsageChoice<CostRangeId> label={t`Time`} name="range" options={costRanges} value={range} onChange={setRange} />
        {range === 'days' && (
          <div className="flex flex-wrap gap-3">
            {(['since', 'until'] as const).map((end) => (
              <TextField
                key={end}
                type="date"
                label={end === 'since' ? t`Since` : t`Until`}
                value={days[end]}
                onChange={({ target }) => setDays({ ...days, [end]: target.value })}
              />
            ))}
          </div>
        )}
        <UsageChoice label={t`By`} name="by" options={groups[unit]} value={by} onChange={setBy} />
      </div>
      {error && <ErrorNote error={error} />}
      {data === undefined && !error && <Spinner />}
      {data !== undefined && !error && (
        <div className="flex flex-col gap-5" aria-busy={isValidating}>
          <Report report={data} />
          <div className="flex flex-wrap gap-3">
            {'rest' in data && data.rest && limit !== MOST && (
              <Button look="plain" onClick={() => setLimit(MOST)}>
                {t`Show ${data.rest.rows} more`}
              </Button>
            )}
            {unit === 'money' && data.total.calls > 0 && (
              <a
                className="py-1.5 text-sm text-accent underline"
                href={address({ limit: MOST, format: 'csv' })}
                download
              >
                {t`Download as CSV`}
              </a>
            )}
          </div>
        </div>
      )}
    </div>
  )
}

/** What is added up. */
type Unit = 'money' | 'tokens'

function Report({ report }: { readonly report: CostReport | UsageReport }): ReactNode {
  if (report.total.calls === 0 && report.total.waiting === undefined)
    return <p className="text-sm">{t`No calls in this time. They are counted from the first message on.`}</p>
  return 'nanoDollars' in report.total ? (
    <CostsMoney report={report as CostReport} />
  ) : (
    <CostsTokens report={report as UsageReport} />
  )
}

function OneSession({ session }: { readonly session: string }): ReactNode {
  const { data } = useResource<ListedSession>(`/api/sessions/${encodeURIComponent(session)}`)
  return (
    <p className="text-sm">
      {rich`Only calls of ${(
        <Link href={`/sessions/${encodeURIComponent(session)}`} className="text-accent underline">
          <bdi>{data?.title ?? data?.opening ?? session}</bdi>
        </Link>
      )}`}
      {' · '}
      <Link href="/settings/costs" className="text-accent underline">
        {t`All sessions`}
      </Link>
    </p>
  )
}

/** Which calls are counted, up to now unless it ends earlier. */
const costRanges = [
  { id: 'today', title: t`Today` },
  { id: '7', title: t`7 days` },
  { id: '30', title: t`30 days` },
  { id: '90', title: t`90 days` },
  { id: 'month', title: t`This month` },
  { id: 'last', title: t`Last month` },
  { id: 'all', title: t`All` },
  { id: 'days', title: t`Other days` },
] as const

type CostRangeId = (typeof costRanges)[number]['id']

/** Days as a date field gives them, such as `2026-11-23`; empty: not limited. */
interface ChosenDays {
  readonly since: string
  /** The last day that is counted. */
  readonly until: string
}

interface CostRange {
  /** ISO 8601. */
  readonly from?: string
  readonly to?: string
}

/** The first moment of a range and the one after its last, in the time zone of this browser. */
function costRange(id: CostRangeId, { since, until }: ChosenDays, now: Date): CostRange {
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()]
  const at = (...date: readonly [number, number, number]): string => new Date(...date).toISOString()
  if (id === 'all') return {}
  if (id === 'month') return { from: at(year, month, 1) }
  if (id === 'last') return { from: at(year, month - 1, 1), to: at(year, month, 1) }
  if (id !== 'days') return { from: at(year, month, day - (id === 'today' ? 0 : Number(id) - 1)) }
  return { ...(since === '' ? {} : { from: dayStart(since, 0) }), ...(until === '' ? {} : { to: dayStart(until, 1) }) }
}

/** What money and tokens are divided by. A capability that is left out takes its group along. */
const groups = {
  money: titled('day', 'model', 'layer', 'skill', 'tool', 'agent', 'channel', 'token', 'session'),
  tokens: titled('day', 'model', 'layer', 'tool', 'session'),
}
