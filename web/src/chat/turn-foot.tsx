import { ChevronRight } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { calibratedManifest } from '../../../src/context.ts'
import { type ModelList, type ReportedManifest, useResource } from '../api/resources.ts'
import { ContextBar } from '../inspector/context-bar.tsx'
import { Figure } from '../inspector/figure.tsx'
import { Fold } from '../parts/fold.tsx'
import { modelName } from '../parts/model-name.ts'
import { cacheWords, callsText, clockTime, price } from '../parts/numbers.ts'
import type { Turn } from '../log/conversation.ts'
import { t } from '../language/language.ts'

interface TurnFootProps {
  readonly session: string
  readonly turn: Pick<Turn, 'calls' | 'state' | 'time'>
}

/** Manifests of the calls of a turn by their ids, as far as they were read. */
type ReadCalls = Readonly<Record<string, ReportedManifest>>

/** `Claude Sonnet 5.5 · 14:02 · $0.0037 · 2 calls`: who answered, when, and for how much. It leads to the call, or opens to several. */
export function TurnFoot({ session, turn: { calls, state, time } }: TurnFootProps): ReactNode {
  const [read, setRead] = useState<ReadCalls>({})
  const note = useCallback((call: string, manifest: ReportedManifest) => {
    setRead((before) => ({ ...before, [call]: manifest }))
  }, [])
  const [first, ...others] = calls
  const last = read[calls.findLast((call) => call in read) ?? '']
  const { data: models } = useResource<ModelList>('/api/models', { revalidateOnFocus: false, revalidateIfStale: false })
  const known = models?.models.filter(({ id }) => id === last?.model)
  const model = last?.model === undefined ? undefined : modelName(last.model, known).name
  const head = (
    <>
      {model !== undefined && <span className="shrink-9999 truncate">{model}</span>}
      <span className="shrink-0 max-sm:sr-only">{`${model === undefined ? '' : ' · '}${clockTime(time)}`}</span>
    </>
  )
  return (
    <div className="min-w-0 flex-1 text-xs text-soft tabular-nums">
      {calls.map((call) => (
        <CallReader key={call} call={call} ended={state === 'ended'} onRead={note} />
      ))}
      {first !== undefined && last !== undefined && others.length === 0 && (
        <CallLink session={session} call={first}>
          {head}
          <span className="overflow-hidden text-ellipsis whitespace-pre">
            {' · '}
            <CallFigures call={first} manifest={last} brief />
          </span>
        </CallLink>
      )}
      {last !== undefined && others.length > 0 && (
        <Fold
          summaryClassName="flex w-fit max-w-full items-center gap-1 whitespace-pre hover:text-ink"
          className="group/foot"
          summary={
            <>
              <span className="flex min-w-0 overflow-hidden">
                {head}
                <SumWords calls={calls} read={read} />
                <span className="shrink-0 whitespace-pre">{` · ${callsText(calls.length)}`}</span>
              </span>
              <ChevronRight size={12} aria-hidden className="shrink-0 transition-transform group-open/foot:rotate-90" />
            </>
          }
        >
          <CallRows session={session} calls={calls} read={read} />
        </Fold>
      )}
    </div>
  )
}

interface CallReaderProps {
  readonly call: string
  /** Whether its turn is over. */
  readonly ended: boolean
  onRead(call: string, manifest: ReportedManifest): void
}

/** Reads what is known of a call; again when its turn is over and its provider has reported. */
function CallReader({ call, ended, onRead }: CallReaderProps): ReactNode {
  const { data, mutate } = useResource<ReportedManifest>(`/api/calls/${encodeURIComponent(call)}/manifest`, {
    revalidateOnFocus: false,
  })
  const wasEnded = useRef(ended)
  useEffect(() => {
    if (ended && !wasEnded.current) void mutate()
    wasEnded.current = ended
  }, [ended, mutate])
  useEffect(() => {
    if (data !== undefined) onRead(call, data)
  }, [call, data, onRead])
  return null
}

interface CallRowsProps {
  readonly session: string
  readonly calls: readonly string[]
  readonly read: ReadCalls
}

/** Each call of a turn with its bar, and what the cache saved in all of them. */
function CallRows({ session, calls, read }: CallRowsProps): ReactNode {
  const paid = calls.flatMap((call) => read[call]?.paid ?? [])
  const saved = paid.reduce((sum, one) => sum + one.saved, 0)
  return (
    <ul className="mt-1 flex flex-col gap-1">
      {calls.map((call) => {
        const manifest = read[call]
        if (manifest === undefined) return null
        return (
          <li key={call}>
            <CallLink session={session} call={call} className="gap-x-2">
              <span className="w-40 max-w-[40%]">
                <ContextBar manifest={calibratedManifest(manifest, manifest.figures.total)} />
              </span>
              <span>
                <CallFigures call={call} manifest={manifest} />
              </span>
            </CallLink>
          </li>
        )
      })}
      {saved !== 0 && <li>{t`The cache ${cacheWords(saved)}.`}</li>}
    </ul>
  )
}

interface CallLinkProps {
  readonly session: string
  readonly call: string
  readonly className?: string
  readonly children: ReactNode
}

function CallLink({ session, call, className = '', children }: CallLinkProps): ReactNode {
  return (
    <Link
      href={`/sessions/${encodeURIComponent(session)}/calls/${encodeURIComponent(call)}`}
      className={`flex w-fit max-w-full items-center rounded whitespace-pre hover:text-ink ${className}`}
    >
      {children}
    </Link>
  )
}

interface CallFiguresProps {
  readonly call: string
  readonly manifest: ReportedManifest
  /** On a narrow screen the size is for screen readers alone, beside what was paid. */
  readonly brief?: boolean
}

function CallFigures({ call, manifest, brief = false }: CallFiguresProps): ReactNode {
  const { total, money } = manifest.figures
  return (
    <>
      <Figure
        kind="total"
        call={call}
        value={total}
        className={brief && money !== undefined ? 'max-sm:sr-only' : undefined}
      >
        {`${t`${total} tokens`}${money === undefined ? '' : ' · '}`}
      </Figure>
      {money !== undefined && (
        <Figure kind="money" call={call} value={money}>
          {price(money)}
        </Figure>
      )}
    </>
  )
}

/** What the calls cost together; nothing before all of them were read, or where no price is known. */
function SumWords({ calls, read }: Pick<CallRowsProps, 'calls' | 'read'>): ReactNode {
  if (calls.some((call) => !(call in read))) return null
  const known = calls.flatMap((call) => read[call]?.figures.money ?? [])
  if (known.length === 0) return null
  const missing = calls.length - known.length
  const sum = price(known.reduce((all, money) => all + money, 0))
  return (
    <span className="shrink-0">
      {` · ${missing === 0 ? sum : t`at least ${sum}`}`}
      {missing > 0 && <span className="sr-only"> {t`without ${callsText(missing)} whose cost is not known`}</span>}
    </span>
  )
}
