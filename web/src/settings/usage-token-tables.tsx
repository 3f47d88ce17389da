import type { ReactNode } from 'react'
import type { UsageReport } from '../api/resources.ts'
import { count, percent } from '../parts/numbers.ts'
import { UsageBar, UsageSigns } from './usage-bar.tsx'

type Rows<By extends 'layer' | 'tool'> = Extract<UsageReport, { readonly by: By }>['rows']

/** Names of rows that are not layers. */
const words: Readonly<Record<string, string>> = {
  history: 'history (earlier turns)',
  input: 'input (the turn that is answered)',
  tools: 'tools (definitions)',
}

interface LayerTableProps {
  readonly rows: Rows<'layer'>
  /** Tokens of all prompts. */
  readonly counted: number
}

/** What each layer and the history took in all prompts. */
export function LayerTable({ rows, counted }: LayerTableProps): ReactNode {
  const most = Math.max(...rows.map(({ tokens }) => tokens), 1)
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-soft">
        {count(counted)} prompt tokens in all, as Foreword counted them before the calls. A provider may count
        otherwise.
      </p>
      <table className="w-full text-sm tabular-nums">
        <caption className="sr-only">Usage by layer</caption>
        <Head name="Layer" titles={['Calls', 'Tokens', 'Share']} />
        <tbody>
          {rows.map(({ key, calls, tokens }) => (
            <tr key={key} className="border-b border-line align-top">
              <th scope="row" className="w-full max-w-0 py-2 text-start font-normal break-words">
                {words[key] ?? key}
                <UsageBar most={most} parts={[{ id: 'tokens', color: 'var(--accent)', tokens }]} />
              </th>
              <Figure>{count(calls)}</Figure>
              <Figure>{count(tokens)}</Figure>
              <Figure>{percent(counted === 0 ? 0 : tokens / counted)}</Figure>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const colors = { definitions: 'var(--slot-tools)', results: 'var(--slot-history)' } as const

/** What the definition of each tool took in prompts, and what its results were. */
export function ToolTable({ rows }: { readonly rows: Rows<'tool'> }): ReactNode {
  const most = Math.max(...rows.map(({ definitions, resultTokens }) => definitions + resultTokens), 1)
  if (rows.length === 0) return <p className="text-sm">No call of this time offered a tool.</p>
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-soft">
        A definition is sent with every call that offers its tool. A result is counted once, when it was written; later
        calls read it again as history.
      </p>
      <UsageSigns
        label="Tokens"
        signs={[
          { text: 'Definitions in prompts', color: colors.definitions },
          { text: 'Results', color: colors.results },
        ]}
      />
      <table className="w-full text-sm tabular-nums">
        <caption className="sr-only">Usage by tool</caption>
        <Head name="Tool" titles={['Definitions', 'Results']} />
        <tbody>
          {rows.map(({ key, calls, definitions, results, resultTokens }) => (
            <tr key={key} className="border-b border-line align-top">
              <th scope="row" className="w-full max-w-0 py-2 text-start font-normal break-words">
                {key}
                <UsageBar
                  most={most}
                  parts={[
                    { id: 'definitions', color: colors.definitions, tokens: definitions },
                    { id: 'results', color: colors.results, tokens: resultTokens },
                  ]}
                />
                <span className="mt-1 block text-xs text-soft">
                  {`offered in ${count(calls)} ${calls === 1 ? 'call' : 'calls'}, used ${results === 1 ? 'once' : `${count(results)} times`}`}
                </span>
              </th>
              <Figure>{count(definitions)}</Figure>
              <Figure>{count(resultTokens)}</Figure>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface HeadProps {
  readonly name: string
  /** Titles of the columns with numbers. */
  readonly titles: readonly string[]
}

function Head({ name, titles }: HeadProps): ReactNode {
  return (
    <thead className="text-xs text-soft">
      <tr className="border-b border-line align-bottom">
        <th scope="col" className="py-1.5 text-start font-medium">
          {name}
        </th>
        {titles.map((title) => (
          <th key={title} scope="col" className="py-1.5 ps-3 text-end font-medium whitespace-nowrap">
            {title}
          </th>
        ))}
      </tr>
    </thead>
  )
}

function Figure({ children }: { readonly children: ReactNode }): ReactNode {
  return <td className="py-2 ps-3 text-end whitespace-nowrap">{children}</td>
}
