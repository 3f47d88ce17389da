import type { ReactNode } from 'react'
import { entryName, forecastRange, promptCostParts } from '../../../src/context.ts'
import { type ModelView, type ReportedManifest, useResource } from '../api/resources.ts'
import { cacheWords, count, dollars, percent } from '../parts/numbers.ts'

/** What a call is expected to cost, and beside it what its provider reported, with the error between the two. Money is shown where the price of the model is known, and nowhere else. */
export function CostLine({ manifest }: { readonly manifest: ReportedManifest }): ReactNode {
  const { model, forecast, reported, reuse, budget } = manifest
  const { data: view } = useResource<ModelView>(
    model === undefined ? undefined : `/api/model?id=${encodeURIComponent(model)}`,
    { revalidateOnFocus: false },
  )
  if (forecast === undefined && reported === undefined) return null
  const price = view?.facts?.price
  const longest =
    reported === undefined && forecast && price ? forecastRange(forecast, budget.reserve, price) : undefined
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-xs text-soft">
      {forecast && (
        <Row name="Forecast">
          {forecast.money !== undefined && dollars(forecast.money)}
          {longest && ` to ${dollars(longest.most)}`}
          {forecast.money !== undefined && ': '}
          {tokensText(forecast, price && promptCostParts(forecast, price))}
          {longest && `, an answer of up to ${count(budget.reserve)} for ${dollars(longest.answer)}`}
        </Row>
      )}
      {reported?.promptTokens !== undefined && (
        <Row name="Reported">
          {`${count(reported.promptTokens)} read`}
          {reported.cachedTokens !== undefined && `, ${count(reported.cachedTokens)} of them from the cache`}
          {reported.outputTokens !== undefined && `, ${count(reported.outputTokens)} written`}
          {forecast && errorText(forecast, reported.promptTokens)}
        </Row>
      )}
      <Paid manifest={manifest} facts={view?.facts} />
      {reuse && (
        <Row name="Reuse">
          {`${count(reuse.tokens)} tokens are the same as in the call before`}
          {reuse.firstChange && <Changed first={reuse.firstChange} manifest={manifest} />}
        </Row>
      )}
    </dl>
  )
}

interface PaidProps {
  readonly manifest: ReportedManifest
  readonly facts: ModelView['facts'] | undefined
}

/** What the provider reported in money, part by part, and what its cache saved; without a price, that it is not known. */
function Paid({ manifest: { reported, paid }, facts }: PaidProps): ReactNode {
  if (reported === undefined || (paid === undefined && facts === undefined)) return null
  const { promptTokens = 0, cachedTokens: cached = 0, cacheWrittenTokens: written = 0, outputTokens } = reported
  const prompt = { cached, written, fresh: Math.max(0, promptTokens - cached - written) }
  return (
    <Row name="Paid">
      {paid === undefined || outputTokens === undefined
        ? facts?.free
          ? 'nothing: the model runs on your machine'
          : `not known: ${facts?.price ? 'the provider did not report everything' : 'the model has no price'}`
        : `${dollars(paid.money)}${paid.reported ? ' reported by the provider' : ''}` +
          (paid.listed === undefined ? '' : `, ${dollars(paid.listed)} by the price list`) +
          `: ${tokensText(prompt, paid.parts)}, ${count(outputTokens)} answered for ` +
          dollars(paid.parts.output) +
          (paid.saved === 0 ? '' : `. The cache ${cacheWords(paid.saved)}.`)}
    </Row>
  )
}

interface ChangedProps {
  readonly first: FirstChange
  readonly manifest: ReportedManifest
}

/** What is the first that a cache does not have, by the name that people know, on one line. */
function Changed({ first: { id, slot, cause, why }, manifest }: ChangedProps): ReactNode {
  if (why !== undefined) return `. ${why}`
  const entry = manifest.entries.find((each) => each.id === id && each.slot === slot)
  const name = entry ? entryName(entry, manifest) : id
  return (
    <>
      {'; then '}
      <span className="inline-block max-w-full truncate align-bottom" title={name}>
        {name}
      </span>
      {cause === 'grew' ? ' continued' : ' changed'}
    </>
  )
}

type FirstChange = NonNullable<NonNullable<ReportedManifest['reuse']>['firstChange']>

type Tokens = Omit<NonNullable<ReportedManifest['forecast']>, 'money'>

/** The parts of a prompt, each with its cost where the price is known. */
function tokensText({ cached, written, fresh }: Tokens, parts: Tokens | undefined): string {
  const cost = (money: number | undefined): string => (money === undefined ? '' : ` for ${dollars(money)}`)
  return [
    ...(cached > 0 ? [`${count(cached)} from the cache${cost(parts?.cached)}`] : []),
    ...(written > 0 ? [`${count(written)} written to it${cost(parts?.written)}`] : []),
    `${count(fresh)} fresh${cost(parts?.fresh)}`,
  ].join(', ')
}

function errorText({ cached, written, fresh }: Tokens, reported: number): string {
  const error = cached + written + fresh - reported
  if (reported === 0) return ''
  return error === 0 ? ', as forecast' : `, forecast ${error > 0 ? '+' : '−'}${percent(Math.abs(error) / reported)}`
}

function Row({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}
