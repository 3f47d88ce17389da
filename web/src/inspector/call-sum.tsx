import type { ReactNode } from 'react'
import { type CallFigures, entryName, type Manifest } from '../../../src/context.ts'
import type { ReportedManifest } from '../api/resources.ts'
import { Fold } from '../parts/fold.tsx'
import { cacheWords, count, dollars, percent, price } from '../parts/numbers.ts'
import { sentence } from '../parts/sentence.ts'
import { Figure } from './figure.tsx'
import { t, translated } from '../language/language.ts'

interface CallSumProps {
  readonly call: string | undefined
  readonly figures: CallFigures
  /** As our counter has it. */
  readonly counted: ReportedManifest
  /** In the tokens of the provider. */
  readonly manifest: ReportedManifest
  /** What the longest answer would cost, US dollars: of the next call. */
  readonly answer?: number | undefined
  /** One that does not fit is never sent: no cache has any of it, and it costs nothing. */
  readonly fits?: boolean
}

/** What a call reads from the cache, writes to it, and reads anew, in tokens and money: rows that add up. */
export function CallSum({ call, figures, counted, manifest, answer, fits = true }: CallSumProps): ReactNode {
  const { basis, total, cached, written, fresh, money, parts } = figures
  const isMade = call !== undefined
  const output = counted.reported?.outputTokens
  const promptMoney = parts && parts.cached + parts.written + parts.fresh
  return (
    <section aria-label={t`Cost of the call`} className="text-sm">
      <table className="w-full tabular-nums">
        <tbody>
          {!fits ? null : cached === undefined ? (
            <SumRow name={t`From the cache`} money={undefined}>
              <Figure kind="cached" call={call} value={undefined}>
                {basis === 'reported' ? t`not reported` : t`not known`}
              </Figure>
            </SumRow>
          ) : (
            <SumRow name={t`From the cache`} money={cached > 0 ? parts?.cached : undefined}>
              <Figure kind="cached" call={call} value={cached}>
                {count(cached)}
              </Figure>
            </SumRow>
          )}
          {written !== undefined && written > 0 && (
            <SumRow name={t`Written to it`} money={parts?.written}>
              <Figure kind="written" call={call} value={written}>
                {count(written)}
              </Figure>
            </SumRow>
          )}
          {fresh !== undefined && (
            <SumRow name={t`New`} money={fresh > 0 ? parts?.fresh : undefined}>
              <Figure kind="fresh" call={call} value={fresh}>
                {count(fresh)}
              </Figure>
            </SumRow>
          )}
          <tr className="border-t border-line font-semibold">
            <th scope="row" className="py-1 text-start font-semibold">
              {basis === 'reported' || !isMade ? t`Prompt` : t`Prompt, as expected`}
            </th>
            <td className="text-end whitespace-nowrap">
              <Figure kind="total" call={call} value={total}>
                {count(total)}
              </Figure>
            </td>
            <td className="min-w-24 ps-3 text-end whitespace-nowrap">
              {!fits ? (
                <span className="text-bad">{t`does not fit`}</span>
              ) : isMade ? (
                promptMoney !== undefined && price(promptMoney)
              ) : (
                <Figure kind="money" call={call} value={money}>
                  {money === undefined ? t`price not known` : price(money)}
                </Figure>
              )}
            </td>
          </tr>
          {isMade && (
            <SumRow name={t`Answer`} money={parts?.output}>
              {output === undefined ? t`not reported` : count(output)}
            </SumRow>
          )}
          {isMade && (
            <tr className="font-semibold">
              <th scope="row" className="py-1 text-start font-semibold">
                {t`Cost`}
              </th>
              <td />
              <td className="text-end whitespace-nowrap">
                <Figure kind="money" call={call} value={money}>
                  {money === undefined ? t`not known` : price(money)}
                </Figure>
              </td>
            </tr>
          )}
        </tbody>
      </table>
      {answer !== undefined && answer > 0 && (
        <p className="text-xs text-soft">
          {t`An answer of up to ${counted.budget.reserve} tokens adds at most ${dollars(answer)}.`}
        </p>
      )}
      <Fold className="mt-1 text-xs text-soft" summary={t`How this is counted`}>
        <Explained figures={figures} counted={counted} manifest={manifest} />
      </Fold>
    </section>
  )
}

/** `free` where nothing is paid. */
interface SumRowProps {
  readonly name: string
  readonly money: number | undefined
  readonly children: ReactNode
}

function SumRow({ name, money, children }: SumRowProps): ReactNode {
  return (
    <tr>
      <th scope="row" className="py-0.5 text-start font-normal">
        {name}
      </th>
      <td className="text-end whitespace-nowrap">{children}</td>
      <td className="w-24 text-end whitespace-nowrap text-soft">{money !== undefined && price(money)}</td>
    </tr>
  )
}

type ExplainedProps = Pick<CallSumProps, 'figures' | 'counted' | 'manifest'>

/** What the words mean, whose count it is, and what is kept free. */
function Explained({ figures, counted, manifest }: ExplainedProps): ReactNode {
  const { basis, same, total, window } = figures
  const { used, budget, counter, forecast, paid, reuse } = counted
  const between = basis === 'forecast' ? forecast?.between : undefined
  const expected = forecast && forecast.cached + forecast.written + forecast.fresh
  return (
    <div className="flex flex-col gap-1 py-1">
      <p>
        {t`From the cache: the provider has read it before and charges less for it. Written to it: kept for the next call. New: neither. Together they are the prompt.`}
      </p>
      {same !== undefined && (
        <p>
          {t`Same beginning: the first ${same} tokens are, byte for byte, those of the call before.`}{' '}
          {reuse?.firstChange && changedWords(reuse.firstChange, manifest)}{' '}
          {t`Whether the provider still has them in its cache is another matter.`}
        </p>
      )}
      {paid !== undefined && paid.saved !== 0 && <p>{t`The cache ${cacheWords(paid.saved)}.`}</p>}
      {paid?.reported && (
        <p>
          {paid.listed === undefined
            ? t`The provider reported the cost itself.`
            : t`The provider reported the cost itself; by the price list it is ${dollars(paid.listed)}.`}
        </p>
      )}
      <p>
        {basis === 'counted'
          ? t`Counted here, by ${counter.id}: ${used} tokens.`
          : basis === 'reported'
            ? t`As the provider reported them: ${total} tokens. Counted here, by ${counter.id}: ${used}.`
            : t`As the provider is expected to count them: ${total} tokens. Counted here, by ${counter.id}: ${used}.`}
        {basis === 'reported' &&
          expected !== undefined &&
          ` ${t`Expected: ${`${count(expected)}${errorText(expected, total)}`}.`}`}
        {between && between[0] < between[1] && ` ${t`Nine prompts in ten have ${between[0]} to ${between[1]}.`}`}
      </p>
      <p>
        {manifest.budget.margin > 0
          ? t`The window of the model has ${window} tokens: ${budget.reserve} are kept for the answer, and ${manifest.budget.margin} stay free, because an estimate can be short; the more a model reports, the fewer.`
          : t`The window of the model has ${window} tokens: ${budget.reserve} are kept for the answer.`}
      </p>
    </div>
  )
}

function errorText(expected: number, reported: number): string {
  const error = expected - reported
  if (error === 0 || reported === 0) return ''
  return ` (${error > 0 ? '+' : '−'}${percent(Math.abs(error) / reported)})`
}

type FirstChange = NonNullable<NonNullable<ReportedManifest['reuse']>['firstChange']>

/** What is the first that is not as before, by the name that people know. */
function changedWords({ id, slot, cause, why }: FirstChange, manifest: Manifest): string {
  if (why !== undefined) return translated(sentence(why))
  const entry = manifest.entries.find((each) => each.id === id && each.slot === slot)
  const name = entry ? translated(entryName(entry, manifest)) : id
  return cause === 'grew' ? t`Then ${name} continued.` : t`Then ${name} changed.`
}
