import { Check, Copy, Square } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSWRConfig } from 'swr'
import { goOnWith } from '../api/session-requests.ts'
import { cancelTurn } from '../api/turns.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { type ModelList, useResource } from '../api/resources.ts'
import { modelName } from '../parts/model-name.ts'
import { focusMessage } from '../parts/focus-message.ts'
import { useAction } from '../parts/use-action.ts'
import { Attachments } from './attachments.tsx'
import type { Turn } from '../log/conversation.ts'
import { TurnFoot } from './turn-foot.tsx'
import { Answer, Said } from './turn-view.tsx'
import { copyText } from '../parts/copy-text.tsx'
import { t } from '../language/language.ts'

interface AnswerPairProps {
  readonly session: string
  /** In the order of the log. */
  readonly turns: readonly Turn[]
  /** The one that the conversation goes on with. */
  readonly head: string
}

/** Two models' answers to one message: side by side, or one below the other where there is little room. */
export default function AnswerPair({ session, turns, head }: AnswerPairProps): ReactNode {
  const [first] = turns
  const isBusy = turns.some(({ state }) => state === 'running')
  return (
    <article
      aria-label={t`Turn`}
      data-place={head}
      tabIndex={-1}
      aria-busy={isBusy}
      className="@container flex min-w-0 flex-col gap-3 py-3"
    >
      <Attachments files={first!.attachments} call={first!.state === 'ended' ? first!.calls[0] : undefined} />
      {first!.text !== '' && <Said text={first!.text} />}
      <div className="grid gap-3 @lg:grid-cols-2">
        {turns.map((turn) => (
          <OneAnswer key={turn.id} session={session} turn={turn} goesOn={turn.id === head} />
        ))}
      </div>
    </article>
  )
}

interface OneAnswerProps {
  readonly session: string
  readonly turn: Turn
  readonly goesOn: boolean
}

function OneAnswer({ session, turn, goesOn }: OneAnswerProps): ReactNode {
  const { error, busy, act } = useAction()
  const { mutate } = useSWRConfig()
  const { data: models } = useResource<ModelList>('/api/models', { revalidateOnFocus: false, revalidateIfStale: false })
  const { id, state, parts, options } = turn
  const goOn = (): Promise<void> =>
    act(async () => {
      await goOnWith(session, id, options?.model)
      await mutate(`/api/sessions/${encodeURIComponent(session)}`)
      focusMessage()
    })
  const copy = (): void => {
    const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    void copyText(texts.join('\n\n'))
  }
  return (
    <section
      aria-label={t`Answer of ${options?.model ?? t`a model`}`}
      className={`flex min-w-0 flex-col gap-3 rounded-xl border p-3 ${goesOn ? 'border-accent' : 'border-line'}`}
    >
      <h3 className="text-xs font-medium wrap-anywhere text-soft">
        {options?.model && modelName(options.model, models?.models).name}
      </h3>
      <Answer turn={turn} />
      <div className="mt-auto flex min-h-8 flex-wrap items-center gap-2">
        <TurnFoot session={session} turn={turn} />
        {state === 'ended' ? (
          <IconButton label={t`Copy the answer`} onClick={copy}>
            <Copy size={15} aria-hidden />
          </IconButton>
        ) : (
          <IconButton label={t`Stop this answer`} onClick={() => void act(() => cancelTurn(session, id))}>
            <Square size={15} aria-hidden />
          </IconButton>
        )}
      </div>
      {goesOn ? (
        <p role="status" className="flex min-h-8 items-center gap-1 text-sm text-soft">
          <Check size={15} className="text-accent" aria-hidden /> {t`The conversation goes on with this answer.`}
        </p>
      ) : (
        <Button look="plain" disabled={busy} onClick={() => void goOn()}>
          {t`Continue with this answer`}
        </Button>
      )}
      {error && <ErrorNote error={error} />}
    </section>
  )
}
