import type { ReactNode } from 'react'
import { type ChoiceList, type ListedSession, useResource } from '../api/resources.ts'
import { usePageTitle } from '../parts/page-title.ts'
import type { Conversation } from '../log/conversation.ts'
import { SessionCost } from './session-cost.tsx'
import { choiceTitle, ChosenName } from './session-chips.tsx'
import { inSentence, t } from '../language/language.ts'

interface ChatHeaderProps {
  readonly session: string | undefined
  readonly conversation: Conversation
  /** What the session chose, by the name of the choice. */
  readonly chosen: Readonly<Record<string, string | undefined>>
}

export function ChatHeader({ session, conversation, chosen }: ChatHeaderProps): ReactNode {
  const { data } = useResource<ListedSession>(
    session === undefined ? undefined : `/api/sessions/${encodeURIComponent(session)}`,
  )
  const title = session === undefined ? t`New conversation` : (data?.title ?? data?.opening ?? t`Untitled`)
  const settledTurns = conversation.turns.filter(({ state }) => state === 'ended').length
  usePageTitle(title)
  return (
    <header className="flex items-baseline gap-4 border-b border-line px-4 py-2 max-lg:ps-12">
      <h1 className="min-w-0 flex-1 truncate font-semibold">
        <bdi>{title}</bdi>
      </h1>
      <span className="max-w-[50%] truncate text-xs text-soft max-md:sr-only">
        <Participants conversation={conversation} chosen={chosen} />
      </span>
      {session !== undefined && <SessionCost key={session} session={session} turns={settledTurns} />}
    </header>
  )
}

/** `2 files · agent Pilot`: the files of the conversation, and who or what was chosen to take part in it. */
function Participants({ conversation, chosen }: Omit<ChatHeaderProps, 'session'>): ReactNode {
  const { data: offered } = useResource<ChoiceList>('/api/choices', { revalidateOnFocus: false })
  const { turns, from } = conversation
  const files = new Set(turns.flatMap(({ attachments }) => attachments.map(({ file }) => file))).size
  const single = (offered?.choices ?? []).filter(({ name, several = false }) => !several && chosen[name] !== undefined)
  return (
    <>
      {files > 0 && (from > 1 ? t`${files} or more files` : files === 1 ? t`1 file` : t`${files} files`)}
      {single.map(({ name }, index) => (
        <span key={name}>
          {`${index > 0 || files > 0 ? ' · ' : ''}${inSentence(choiceTitle(name))} `}
          <ChosenName choice={name} id={chosen[name]!} first />
        </span>
      ))}
    </>
  )
}
