import type { ReactNode } from 'react'
import { type CallFigures, windowShare } from '../../../src/context.ts'
import { dollars, localNumbers } from '../parts/numbers.ts'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'

export interface FigureProps {
  /** `total`, `cached`, `written` and `fresh` are tokens of the prompt, `window` those of the model's window, `file` those of an attached file, `money` US dollars. */
  readonly kind: 'total' | 'cached' | 'written' | 'fresh' | 'money' | 'window' | 'file'
  /** Id of the call; absent: the next one. */
  readonly call: string | undefined
  /** Absent where it is not known. */
  readonly value: number | undefined
  readonly children: ReactNode
  readonly className?: string
}

/** A figure of a call as it is drawn, with the number that it means: every place that draws the same figure has the same number. */
export function Figure({ kind, call = 'next', value = Number.NaN, children, className }: FigureProps): ReactNode {
  return (
    <span data-figure={kind} data-call={call} data-value={Number.isNaN(value) ? '' : value} className={className}>
      {children}
    </span>
  )
}

interface FigureLineProps {
  readonly call?: string | undefined
  readonly figures: CallFigures
}

/** `8 % of the window · about $0.001 · 93 % cached`: a call on one line. */
export function FigureLine({ call, figures }: FigureLineProps): ReactNode {
  const { total, cached, money, window } = figures
  return (
    <>
      {rich`${(
        <Figure kind="total" call={call} value={total}>
          {localNumbers(windowShare(figures))}
        </Figure>
      )} of the ${(
        <Figure kind="window" call={call} value={window}>
          {t`window`}
        </Figure>
      )}`}
      {' · '}
      <Figure kind="money" call={call} value={money}>
        {moneyWords(money)}
      </Figure>
      {/* A narrow line has no room for what says that there is nothing. */}
      <span className={cached ? undefined : 'max-sm:sr-only'}>
        {' · '}
        <Figure kind="cached" call={call} value={cached}>
          {cachedWords(figures)}
        </Figure>
      </span>
    </>
  )
}

/** `about $0.001`, or `free`. */
function moneyWords(money: number | undefined): string {
  if (money === undefined) return t`price not known`
  return money === 0 ? t`free` : t`about ${dollars(money)}`
}

function cachedWords({ basis, total, cached }: CallFigures): string {
  if (cached === undefined) return basis === 'reported' ? t`cache not reported` : t`cache not known`
  return cached === 0 ? t`nothing cached` : t`${Math.floor((cached / Math.max(1, total)) * 100)} % cached`
}
