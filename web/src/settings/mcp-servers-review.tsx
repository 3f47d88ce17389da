import type { ReactNode } from 'react'
import useSWR, { useSWRConfig } from 'swr'
import { api, type ApiError } from '../api/client.ts'
import { Button } from '../parts/button.tsx'
import { DiffLines } from '../parts/diff-lines.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { SERVERS, type ServerChange, type ServerPreview } from './mcp-servers-fields.ts'
import { useAction } from '../parts/use-action.ts'
import { t } from '../language/language.ts'

interface ServerReviewProps {
  readonly change: ServerChange
  /** What the button does, such as `Save`. */
  readonly action: string
  readonly danger?: boolean
  /** Whether the change is not yet all that was typed. */
  readonly isBehind?: boolean
  readonly children?: ReactNode
  onSaved(): void
  onCancel(): void
}

/** A preview, with the change that it is of. */
interface ShownPreview extends ServerPreview {
  readonly of: string
}

/** A change of `config.json` as it will be written, what is wrong with it, and the buttons that decide. */
export function ServerReview(props: ServerReviewProps): ReactNode {
  const { change, action, danger = false, isBehind = false, children, onSaved, onCancel } = props
  const { mutate } = useSWRConfig()
  const { busy, error: refusal, act } = useAction()
  const key = [`${SERVERS}/preview`, JSON.stringify(change)]
  const { data: shown, error } = useSWR<ShownPreview, ApiError>(
    key,
    async () => ({
      of: key[1]!,
      ...(await api<ServerPreview>(`${SERVERS}/preview`, { method: 'POST', body: change })),
    }),
    { keepPreviousData: true },
  )
  const data: ServerPreview | undefined = shown
  // Only what is on the screen may be saved.
  const isShown = shown?.of === key[1] && !isBehind

  const save = (digest: string): Promise<void> =>
    act(async () => {
      const saving = api(SERVERS, { method: 'PUT', body: { ...change, digest } })
      // Somebody else may have changed the file: the difference is then shown against theirs.
      await saving.catch(() => mutate(key))
      await saving
      onSaved()
      await Promise.all([mutate(SERVERS), mutate(`${SERVERS}/versions`), mutate('/api/tools')])
    })
  const changes = data !== undefined && data.difference !== ''
  return (
    <div className="flex flex-col gap-3 text-sm">
      {error && <ErrorNote error={error} />}
      {refusal && <ErrorNote error={refusal} />}
      {data === undefined && !error && <Spinner />}
      {data?.problems.map((problem) => (
        <p key={problem} role="alert" className="break-words text-bad">
          {problem}
        </p>
      ))}
      {data?.warnings.map((warning) => (
        <p key={warning} className="break-words text-warn">
          {warning}
        </p>
      ))}
      {changes && (
        <section aria-label={t`config.json as it will be written`} className="flex flex-col gap-2">
          <h4 className="font-medium">{t`config.json as it will be written`}</h4>
          <DiffLines diff={data.difference} />
          {children}
        </section>
      )}
      {data !== undefined && !changes && data.problems.length === 0 && (
        <p className="text-soft">{t`config.json has these values already.`}</p>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button look="plain" onClick={onCancel}>
          {t`Cancel`}
        </Button>
        <Button
          look={danger ? 'danger' : 'primary'}
          disabled={busy || !changes || !isShown || error !== undefined}
          onClick={() => data && void save(data.digest)}
        >
          {action}
        </Button>
      </div>
    </div>
  )
}
