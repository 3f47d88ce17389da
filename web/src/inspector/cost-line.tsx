import type { ReactNode } from 'react'
import type { ReportedManifest } from '../api/resources.ts'
import { count, dollars, percent } from '../parts/numbers.ts'

/** What a call is expected to cost, and beside it what its provider reported, with the error between the two. */
export function CostLine({ manifest }: { readonly manifest: ReportedManifest }): ReactNode {
  const { forecast, reported, reuse } = manifest
  if (forecast === undefined && reported === undefined) return null
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-xs text-soft">
      {forecast && (
        <Row name="Forecast">
          {tokensText(forecast)}
          {forecast.money !== undefined && `, ${dollars(forecast.money)}`}
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
      {reuse && (
        <Row name="Reuse">
          {`${count(reuse.tokens)} tokens are the same as in the call before`}
          {reuse.firstChange && `; then ${reuse.firstChange.id} ${causes[reuse.firstChange.cause] ?? 'changed'}`}
        </Row>
      )}
    </dl>
  )
}

const causes: Readonly<Record<string, string>> = {
  came: 'was added',
  went: 'was taken out',
  moved: 'moved',
  form: 'changed its form',
  content: 'changed',
  grew: 'continued',
  shrank: 'ended',
}

function tokensText({ cached, written, fresh }: NonNullable<ReportedManifest['forecast']>): string {
  return [
    ...(cached > 0 ? [`${count(cached)} from the cache`] : []),
    ...(written > 0 ? [`${count(written)} written to it`] : []),
    `${count(fresh)} fresh`,
  ].join(', ')
}

function errorText({ cached, written, fresh }: NonNullable<ReportedManifest['forecast']>, reported: number): string {
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
