import { type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import { useResource } from '../api/resources.ts'
import { t } from '../language/language.ts'
import { Button } from '../parts/button.tsx'
import { CopyLine } from '../parts/copy-text.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { timeText } from '../parts/numbers.ts'
import { useAction } from '../parts/use-action.ts'

interface PairedChats {
  /** Those that are open. */
  readonly channels: readonly string[]
  readonly pairings: readonly {
    readonly channel: string
    readonly chat: string
    readonly title: string
    readonly time: string
  }[]
}

/** The chats that talk to the home of a person, and a code for one more; nothing where the gateway has no channel. */
export function OwnChats(): ReactNode {
  const { data, error, mutate } = useResource<PairedChats>('/api/pairings')
  if (error && data === undefined) return <ErrorNote error={error} />
  if (data === undefined || data.channels.length === 0) return null
  return (
    <section aria-label={t`Chats`} className="flex flex-col gap-2 text-sm">
      <h2 className="text-lg font-semibold">{t`Chats`}</h2>
      <p className="text-soft">{t`A chat that you pair talks to your home, and can decide about calls of tools.`}</p>
      <ul className="flex flex-col gap-2">
        {data.pairings.map((each) => (
          <PairedChat key={`${each.channel} ${each.chat}`} {...each} onRemoved={() => void mutate()} />
        ))}
      </ul>
      {data.channels.map((channel) => (
        <PairingCode key={channel} channel={channel} />
      ))}
    </section>
  )
}

function PairedChat({
  channel,
  chat,
  title,
  time,
  onRemoved,
}: PairedChats['pairings'][number] & { onRemoved(): void }): ReactNode {
  const { busy, error, act } = useAction()
  const remove = (): Promise<void> =>
    act(async () => {
      await api(`/api/pairings/${encodeURIComponent(channel)}/${encodeURIComponent(chat)}`, { method: 'DELETE' })
      onRemoved()
    })
  return (
    <li className="flex flex-wrap items-center justify-between gap-2">
      <span className="min-w-0 break-words">
        <bdi>{title}</bdi> <span className="text-soft">{t`${channel}, since ${timeText(time)}`}</span>
      </span>
      <Button look="plain" disabled={busy} onClick={() => void remove()}>
        {t`End pairing`}
      </Button>
      {error && <ErrorNote error={error} />}
    </li>
  )
}

function PairingCode({ channel }: { readonly channel: string }): ReactNode {
  const [code, setCode] = useState<string>()
  const { busy, error, act } = useAction()
  const make = (): Promise<void> =>
    act(async () => {
      const made = await api<{ readonly code: string }>('/api/pairings/code', { method: 'POST', body: { channel } })
      setCode(made.code)
    })
  return (
    <div className="flex flex-col gap-2">
      {code !== undefined && (
        <>
          <p role="status">{t`Send this to the bot within ten minutes, from the chat to pair. It works once.`}</p>
          <CopyLine text={`/pair ${code}`} />
        </>
      )}
      {error && <ErrorNote error={error} />}
      <div>
        <Button look="plain" disabled={busy} onClick={() => void make()}>
          {t`Pair a chat of ${channel}`}
        </Button>
      </div>
    </div>
  )
}
