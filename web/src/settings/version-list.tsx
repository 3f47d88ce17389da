import type { ReactNode } from 'react'
import { TextDifference } from '../inspector/compare-text.tsx'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Fold } from '../parts/fold.tsx'
import { LongList } from '../parts/long-text.tsx'
import { useAction } from '../parts/use-action.ts'
import { timeText } from '../parts/numbers.ts'
import { t } from '../language/language.ts'

export interface ListedVersion {
  readonly version: number
  /** ISO 8601. */
  readonly time: string
  /** Absent: in this version it was removed or reset. */
  readonly text: string | undefined
}

interface VersionListProps {
  /** Newest first. */
  readonly versions: readonly ListedVersion[]
  /** The word for a version without a text. */
  readonly empty: string
  /** Whether a version without a text can be put back. */
  readonly emptyToo?: boolean
  putBack(version: ListedVersion): Promise<unknown>
}

/** Every version of something, newest first, with what changed in each, and a way back to any of them. */
export function VersionList({ versions, empty, emptyToo = false, putBack }: VersionListProps): ReactNode {
  const { busy, error, act } = useAction()
  if (versions.length === 0) return null
  return (
    <section aria-label={t`Versions`} className="flex flex-col gap-3">
      <h2 className="text-lg font-semibold">{t`Versions`}</h2>
      {error && <ErrorNote error={error} />}
      <ol className="flex flex-col divide-y divide-line rounded-lg border border-line">
        <LongList
          items={versions}
          atOnce={20}
          wrap={(more) => <li className="p-2">{more}</li>}
          draw={(version, index) => (
            <li key={version.version} aria-label={t`Version ${version.version}`} className="px-3 py-2 text-sm">
              <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <span className="font-medium">{t`Version ${version.version}`}</span>
                <time dateTime={version.time} className="text-soft">
                  {timeText(version.time)}
                </time>
                {version.text === undefined && <span className="text-soft">{empty}</span>}
                <span className="flex-1" />
                {index === 0 ? (
                  <span className="py-1 text-good">{t`Newest`}</span>
                ) : (
                  (version.text !== undefined || emptyToo) && (
                    <Button look="plain" disabled={busy} onClick={() => void act(() => putBack(version))}>
                      {t`Put back`}
                    </Button>
                  )
                )}
              </div>
              {version.text !== undefined && <Change version={version} before={versions[index + 1]?.text} />}
            </li>
          )}
        />
      </ol>
    </section>
  )
}

function Change({
  version: { text = '' },
  before,
}: {
  readonly version: ListedVersion
  readonly before: string | undefined
}): ReactNode {
  return (
    <Fold summaryClassName="text-soft" summary={before === undefined ? t`Its text` : t`What changed`}>
      <div className="mt-2">
        {before === text ? (
          <p className="text-soft">{t`It is the same as the version before.`}</p>
        ) : (
          <TextDifference before={before ?? text} after={text} />
        )}
      </div>
    </Fold>
  )
}
