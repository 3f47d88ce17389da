import { type ReactNode, useCallback, useState } from 'react'
import type { Turn } from './conversation.ts'
import type { ReportedManifest } from '../api/resources.ts'
import { cacheWords, callsText, dollars } from '../parts/numbers.ts'
import { CallBar } from '../inspector/call-bar.tsx'

interface CallBarsProps {
  readonly session: string
  readonly turn: Pick<Turn, 'calls' | 'state'>
}

/** The calls of a turn, and what several of them cost together. */
export function CallBars({ session, turn: { calls, state } }: CallBarsProps): ReactNode {
  const [prices, setPrices] = useState<Readonly<Record<string, ReportedManifest['paid']>>>({})
  const ended = state === 'ended'
  const note = useCallback((call: string, paid: ReportedManifest['paid']) => {
    setPrices((before) => ({ ...before, [call]: paid }))
  }, [])
  const paid = calls.flatMap((call) => prices[call] ?? [])
  const sum = (of: (price: (typeof paid)[number]) => number): number => paid.reduce((all, each) => all + of(each), 0)
  const saved = sum((price) => price.saved)
  return (
    <>
      {calls.map((call) => (
        <CallBar key={call} session={session} call={call} ended={ended} onPaid={note} />
      ))}
      {ended && calls.length > 1 && paid.length > 0 && calls.every((call) => call in prices) && (
        <p className="text-xs text-soft tabular-nums">
          {`This turn: ${dollars(sum(({ money }) => money))}`}
          {paid.length < calls.length && ` without ${callsText(calls.length - paid.length)} whose price is not known`}
          {saved !== 0 && `, the cache ${cacheWords(saved)}`}
        </p>
      )}
    </>
  )
}
