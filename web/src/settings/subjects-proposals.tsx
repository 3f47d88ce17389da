import type { ReactNode } from 'react'
import { type ListedProposal, useResource } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Fold } from '../parts/fold.tsx'
import { LongList } from '../parts/long-text.tsx'
import { Proposal } from '../parts/proposal.tsx'
import { timeText } from '../parts/numbers.ts'
import { t } from '../language/language.ts'

interface SubjectProposalsProps {
  /** Only those about the notes of this subject. Absent: all, those about tastes too. */
  readonly subject?: string
  onDecided(): void
}

/** How often the list is read again, ms: a model proposes when it likes to. */
const AGAIN_MS = 3_000

type DatedProposal = ListedProposal & { readonly time: string }

const states = { waiting: t`waits`, confirmed: t`written`, declined: t`declined`, undone: t`undone` } as const

/** What models would like to write: what waits is decided in place, and what was written can be undone. */
export function SubjectProposals({ subject, onDecided }: SubjectProposalsProps): ReactNode {
  const { data, error, mutate } = useResource<{ readonly proposals: readonly DatedProposal[] }>('/api/proposals', {
    refreshInterval: AGAIN_MS,
  })
  if (error) return <ErrorNote error={error} />
  if (data === undefined) return null
  const own = data.proposals.filter(
    ({ file }) => subject === undefined || (file.type === 'notes' && file.subject === subject),
  )
  const waiting = own.filter(({ state }) => state.type === 'waiting')
  const decided = own.filter(({ state }) => state.type !== 'waiting').toReversed()
  const decidedNow = (): void => {
    void mutate()
    onDecided()
  }
  return (
    <section aria-label={t`Proposals`} className="flex flex-col gap-3">
      <h2 className="text-lg font-semibold">{t`Proposals`}</h2>
      {waiting.length === 0 && <p className="text-sm text-soft">{t`No proposal waits for you.`}</p>}
      {waiting.map(({ id }) => (
        <div key={id} className="rounded-lg border border-line p-3 text-sm">
          <Proposal id={id} onDecided={decidedNow} />
        </div>
      ))}
      {decided.length > 0 && (
        <Fold className="text-sm" summaryClassName="text-soft" summary={t`Decided (${decided.length})`}>
          <ul
            aria-label={t`Decided proposals`}
            className="mt-2 flex flex-col divide-y divide-line rounded-lg border border-line"
          >
            <LongList
              items={decided}
              atOnce={50}
              wrap={(more) => <li className="p-2">{more}</li>}
              draw={({ id, file, state, time }) => (
                <li key={id} className="px-3 py-2">
                  <Fold
                    summary={`${file.type === 'notes' ? t`Notes of ${file.subject}` : t`Taste ${file.name}`}, ${timeText(time)}: ${states[state.type]}`}
                  >
                    <div className="mt-2">
                      <Proposal id={id} onDecided={decidedNow} />
                    </div>
                  </Fold>
                </li>
              )}
            />
          </ul>
        </Fold>
      )}
    </section>
  )
}
