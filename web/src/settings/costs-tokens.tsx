import type { ReactNode } from 'react'
import type { UsageReport } from '../api/resources.ts'
import { callsText, count, percent } from '../parts/numbers.ts'
import { FigureTable, RowName, Totals, UsageSigns } from './usage-bar.tsx'
import { nounOf, titleOf } from './usage-range.ts'
import { t } from '../language/language.ts'
import { Fold } from '../parts/fold.tsx'
import { type CountedPrompt, providerTokens } from '../parts/provider-tokens.tsx'

/** What the calls of a time read and wrote, in tokens. */
export function CostsTokens({ report }: { readonly report: UsageReport }): ReactNode {
  return (
    <>
      <TokenTotals total={report.total} />
      <TokenRows report={report} />
    </>
  )
}

function TokenRows({ report }: { readonly report: UsageReport }): ReactNode {
  if (report.by !== 'layer' && report.by !== 'tool')
    return <CallTable by={report.by} rows={report.rows} rest={report.rest} />
  const prompt = { total: report.expected, used: report.counted }
  if (report.by === 'layer') return <LayerTable rows={report.rows} prompt={prompt} />
  return <ToolTable rows={report.rows} prompt={prompt} />
}

type CallReport = Extract<UsageReport, { readonly rest?: unknown }>
type CallRow = CallReport['rows'][number]

interface CallTableProps {
  readonly by: CallReport['by']
  readonly rows: readonly CallRow[]
  readonly rest: CallReport['rest']
}

const parts = [
  { id: 'fresh', title: t`New`, kind: 'fresh', color: 'var(--slot-input)' },
  { id: 'cached', title: t`Cached`, kind: 'cached', color: 'var(--slot-history)' },
  { id: 'written', title: t`Written`, kind: 'written', color: 'var(--slot-before-input)' },
  { id: 'undivided', title: t`Cache not reported`, kind: undefined, color: 'var(--slot-reserve)' },
  { id: 'output', title: t`Answers`, kind: undefined, color: 'var(--slot-tools)' },
] as const

/** Calls by day, model or session: what of their prompts was read how, and their answers. */
function CallTable({ by, rows, rest }: CallTableProps): ReactNode {
  const all: readonly TableRow[] = rest ? [...rows, rest] : rows
  const shown = parts.filter(({ id }) => id !== 'undivided' || all.some(({ undivided }) => undivided > 0))
  return (
    <div className="flex flex-col gap-3">
      <UsageSigns label={t`Tokens`} signs={shown.map(({ title, color }) => ({ text: title, color }))} />
      <FigureTable
        caption={t`Usage by ${nounOf(by)}`}
        first={titleOf(by)}
        rows={all}
        keyOf={(row) => ('rows' in row ? 'rest' : (row.key ?? ''))}
        name={(row) => ('rows' in row ? t`${row.rows} more` : <RowName by={by} row={row} />)}
        most={Math.max(...rows.map(({ prompt, output }) => prompt + output), 1)}
        bar={(row) => shown.map(({ id, color }) => ({ id, color, tokens: row[id] }))}
        below={(row) => (
          <span className="mt-1 block text-xs text-soft sm:hidden">
            {shown
              .filter(({ kind }) => !kind || !isSilent(row))
              .map(({ id, title }) => `${title} ${count(row[id])}`)
              .join(', ')}
          </span>
        )}
        columns={[
          { title: t`Calls`, figure: ({ calls }) => count(calls) },
          ...shown.map(({ id, title, kind }) => ({
            title,
            wide: true,
            // A provider that says nothing of its cache has not said 0.
            figure: (row: TableRow) => (kind && isSilent(row) ? '–' : count(row[id])),
            ...(kind && { value: (row: TableRow) => [kind, isSilent(row) ? undefined : row[id]] as const }),
          })),
        ]}
      />
    </div>
  )
}

function isSilent({ undivided, prompt }: Pick<Total, 'undivided' | 'prompt'>): boolean {
  return undivided > 0 && undivided === prompt
}

type TableRow = CallRow | NonNullable<CallReport['rest']>

type Total = UsageReport['total']

function TokenTotals({ total }: { readonly total: Total }): ReactNode {
  const figures = [
    { name: t`Prompts`, value: count(total.prompt), below: t`tokens` },
    { name: t`Answers`, value: count(total.output), below: t`tokens` },
    { name: t`Calls`, value: count(total.calls) },
  ]
  return (
    <section aria-label={t`Together`} className="flex flex-col gap-3">
      <Totals figures={figures} />
      <p className="text-sm text-soft">
        {promptWords(total)} {total.unreported > 0 && t`Of ${callsText(total.unreported)} there is no complete report.`}
      </p>
    </section>
  )
}

/** How prompts were read, as far as it was reported. */
function promptWords(total: Total): string {
  const { fresh, cached, written, undivided } = total
  if (isSilent(total)) return t`Of ${undivided} tokens the providers did not report what came from a cache.`
  return undivided === 0
    ? t`${fresh} prompt tokens were new, ${cached} from a cache, ${written} written to one.`
    : t`${fresh} prompt tokens were new, ${cached} from a cache, ${written} written to one; for ${undivided} the cache was not reported.`
}

type Rows<By extends 'layer' | 'tool'> = Extract<UsageReport, { readonly by: By }>['rows']

interface LayerTableProps {
  readonly rows: Rows<'layer'>
  readonly prompt: CountedPrompt
}

/** What each layer and the history took in all prompts. */
function LayerTable({ rows, prompt }: LayerTableProps): ReactNode {
  const sized = (counted: number): number => providerTokens(counted, prompt)
  return (
    <div className="flex flex-col gap-3">
      <ReportedPrompts prompt={prompt} />
      <FigureTable
        caption={t`Usage by layer`}
        first={t`Layer`}
        rows={rows}
        keyOf={({ key }) => key}
        name={(row) => <RowName by="layer" row={row} />}
        most={Math.max(...rows.map(({ tokens }) => tokens), 1)}
        bar={({ tokens }) => [{ id: 'tokens', color: 'var(--accent)', tokens }]}
        columns={[
          { title: t`Calls`, figure: ({ calls }) => count(calls) },
          { title: t`Tokens`, figure: ({ tokens }) => count(sized(tokens)) },
          { title: t`Share`, figure: ({ tokens }) => percent(prompt.used === 0 ? 0 : tokens / prompt.used) },
        ]}
      />
    </div>
  )
}

const colors = { definitions: 'var(--slot-tools)', results: 'var(--slot-history)' } as const

/** What the definition of each tool took in prompts, and what its results were. */
function ToolTable({ rows, prompt }: { readonly rows: Rows<'tool'>; readonly prompt: CountedPrompt }): ReactNode {
  if (rows.length === 0) return <p className="text-sm">{t`No call of this time offered a tool.`}</p>
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-soft">
        {t`Definitions are sent with every call that offers the tool. Results are counted once, when they were written.`}
      </p>
      <ReportedPrompts prompt={prompt} />
      <UsageSigns
        label={t`Tokens`}
        signs={[
          { text: t`Definitions in prompts`, color: colors.definitions },
          { text: t`Results`, color: colors.results },
        ]}
      />
      <FigureTable
        caption={t`Usage by tool`}
        first={t`Tool`}
        rows={rows}
        keyOf={({ key }) => key}
        name={({ key }) => key}
        most={Math.max(...rows.map(({ definitions, resultTokens }) => definitions + resultTokens), 1)}
        bar={({ definitions, resultTokens }) => [
          { id: 'definitions', color: colors.definitions, tokens: definitions },
          { id: 'results', color: colors.results, tokens: resultTokens },
        ]}
        below={({ calls, results }) => (
          <span className="mt-1 block text-xs text-soft">
            {results === 1
              ? t`offered in ${callsText(calls)}, used once`
              : t`offered in ${callsText(calls)}, used ${results} times`}
          </span>
        )}
        columns={[
          { title: t`Definitions`, figure: ({ definitions }) => count(providerTokens(definitions, prompt)) },
          { title: t`Results`, figure: ({ resultTokens }) => count(providerTokens(resultTokens, prompt)) },
        ]}
      />
    </div>
  )
}

/** Both counts of the prompts that the rows are parts of. */
function ReportedPrompts({ prompt: { total, used } }: { readonly prompt: CountedPrompt }): ReactNode {
  if (total === used) return null
  return (
    <Fold className="text-xs text-soft" summary={t`How this is counted`}>
      <p className="py-1">
        {t`As the providers count: ${total} tokens, expected where they reported none. Counted here: ${used}. The parts are divided by the count here.`}
      </p>
    </Fold>
  )
}
