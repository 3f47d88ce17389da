import type { ReactNode } from 'react'
import type { UsageReport } from '../api/resources.ts'
import { callsText, count, percent } from '../parts/numbers.ts'
import { FigureTable, RowName, UsageSigns } from './usage-bar.tsx'
import { t } from '../language/language.ts'

type Rows<By extends 'layer' | 'tool'> = Extract<UsageReport, { readonly by: By }>['rows']

interface LayerTableProps {
  readonly rows: Rows<'layer'>
  /** Tokens of all prompts. */
  readonly counted: number
}

/** What each layer and the history took in all prompts. */
export function LayerTable({ rows, counted }: LayerTableProps): ReactNode {
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-soft">
        {t`${counted} prompt tokens in all, as Foreword counted them before the calls. A provider may count otherwise.`}
      </p>
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
          { title: t`Tokens`, figure: ({ tokens }) => count(tokens) },
          { title: t`Share`, figure: ({ tokens }) => percent(counted === 0 ? 0 : tokens / counted) },
        ]}
      />
    </div>
  )
}

const colors = { definitions: 'var(--slot-tools)', results: 'var(--slot-history)' } as const

/** What the definition of each tool took in prompts, and what its results were. */
export function ToolTable({ rows }: { readonly rows: Rows<'tool'> }): ReactNode {
  if (rows.length === 0) return <p className="text-sm">{t`No call of this time offered a tool.`}</p>
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-soft">
        {t`A definition is sent with every call that offers its tool. A result is counted once, when it was written; later calls read it again as history.`}
      </p>
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
          { title: t`Definitions`, figure: ({ definitions }) => count(definitions) },
          { title: t`Results`, figure: ({ resultTokens }) => count(resultTokens) },
        ]}
      />
    </div>
  )
}
