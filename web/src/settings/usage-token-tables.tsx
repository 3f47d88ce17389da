import type { ReactNode } from 'react'
import type { UsageReport } from '../api/resources.ts'
import { callsText, count, percent } from '../parts/numbers.ts'
import { Fold } from '../parts/fold.tsx'
import { type CountedPrompt, providerTokens } from '../parts/provider-tokens.tsx'
import { FigureTable, RowName, UsageSigns } from './usage-bar.tsx'
import { t } from '../language/language.ts'

type Rows<By extends 'layer' | 'tool'> = Extract<UsageReport, { readonly by: By }>['rows']

interface LayerTableProps {
  readonly rows: Rows<'layer'>
  readonly prompt: CountedPrompt
}

/** What each layer and the history took in all prompts. */
export function LayerTable({ rows, prompt }: LayerTableProps): ReactNode {
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
export function ToolTable({
  rows,
  prompt,
}: {
  readonly rows: Rows<'tool'>
  readonly prompt: CountedPrompt
}): ReactNode {
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
