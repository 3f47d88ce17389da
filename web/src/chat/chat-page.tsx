import { type DragEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { CommandList } from '../api/commands.ts'
import { type ModelList, useResource } from '../api/resources.ts'
import { AttachContext } from '../markdown/citation.tsx'
import { Inspector, useInspector } from '../inspector/inspector.tsx'
import { ChatHeader } from './chat-header.tsx'
import { keepFocus } from '../parts/focus-message.ts'
import { MessageForm } from './message-form.tsx'
import { MessageList } from './message-list.tsx'
import { messageText } from './slash-commands.ts'
import { type Attachment, useAttachments } from './use-attachments.ts'
import { useConversation } from './use-conversation.ts'
import { useDraft } from './use-draft.ts'
import { useSending } from './use-sending.ts'
import { useSessionChoices } from './use-session-choices.ts'
import { showToast } from '../parts/toasts.tsx'
import { t } from '../language/language.ts'

interface ChatPageProps {
  /** Absent: a new one, which begins with the first message. */
  readonly session: string | undefined
  /** The call that is open in the inspector. */
  readonly call: string | undefined
}

/** One conversation: what was said, the context of the next call, and the field for the next message. */
export function ChatPage({ session, call }: ChatPageProps): ReactNode {
  const followed = useConversation(session)
  const held = useDraft(session)
  const attachments = useAttachments(held.draft.files)
  const choices = useSessionChoices(session, held)
  const { data: models, error: unlisted } = useResource<ModelList>('/api/models', { revalidateOnFocus: false })
  const model = choices.chosen['model'] ?? models?.models.find(({ current }) => current)?.id
  const chooser = useRef<HTMLInputElement>(null)
  const toEnd = useRef(() => {})
  const inspector = useInspector()
  const [, navigate] = useLocation()
  // What is attached while a message is on its way belongs to the next one.
  const going = useRef<readonly string[]>([])
  const latest = useRef(attachments.items)
  latest.current = attachments.items
  const sending = useSending({
    session,
    held,
    model,
    onSending: () => (going.current = attachments.items.map(({ key }) => key)),
    onSent(sent) {
      const stays = latest.current.filter(({ key }) => !going.current.includes(key))
      for (const key of going.current) attachments.remove(key)
      held.change({ files: sendable(stays) })
      toEnd.current()
      if (session === undefined) navigate(`/sessions/${encodeURIComponent(sent)}`)
    },
  })

  useEffect(() => {
    // On a telephone the keyboard would hide half of the conversation.
    if (matchMedia('(pointer: fine)').matches) keepFocus()
  }, [])

  const files = sendable(attachments.items)
  const { change } = held
  useEffect(() => change({ files }), [change, files.join()])

  const { data: commands } = useResource<CommandList>('/api/commands', { revalidateOnFocus: false })
  const next = {
    isKnown: Boolean(models ?? unlisted) && choices.loaded && (followed.loaded || followed.failure !== undefined),
    session,
    model,
    beside: held.draft.beside,
    draft: messageText(held.draft.text, commands, model),
    attachments: attachments.items.flatMap(({ file, state }) =>
      file !== undefined && state.type === 'ready' ? [file] : [],
    ),
    chosen: choices.chosen,
    head: followed.conversation.turns.at(-1)?.id,
    settledTurns: followed.conversation.turns.filter(({ state }) => state === 'ended').length,
  }

  const showNextCall = (): void => {
    if (session !== undefined && call !== undefined) navigate(`/sessions/${encodeURIComponent(session)}`)
  }
  const inspect = (): void => {
    inspector.open()
    showNextCall()
  }

  return (
    <div className="flex min-h-0 flex-1">
      <DropArea onFiles={attachments.add}>
        <ChatHeader session={session} conversation={followed.conversation} chosen={choices.chosen} />
        <AttachContext value={attachments.restore}>
          <MessageList
            session={session}
            followed={followed}
            toEnd={toEnd}
            next={next}
            onFiles={() => chooser.current?.click()}
            onInspect={inspect}
          />
        </AttachContext>
        <MessageForm
          next={next}
          followed={followed}
          held={held}
          attachments={attachments}
          sending={sending}
          model={model}
          chooser={chooser}
          choices={choices}
          onInspect={inspect}
        />
      </DropArea>
      <Inspector
        call={call}
        next={next}
        shown={inspector.shown || call !== undefined}
        isBeside={inspector.isBeside}
        isFirst={inspector.isFirst}
        onClose={() => {
          inspector.close()
          showNextCall()
        }}
      />
    </div>
  )
}

/** What failed is shown, and not sent. */
function sendable(items: readonly Attachment[]): readonly string[] {
  return items.flatMap(({ file, state }) => (file === undefined || state.type === 'failed' ? [] : [file]))
}

interface DropAreaProps {
  onFiles(files: readonly File[]): void
  readonly children: ReactNode
}

/** A browser gives a folder as a file that cannot be read. */
function dropped({ items }: DataTransfer): { readonly files: readonly File[]; readonly folders: readonly string[] } {
  const given = [...items].flatMap((item) => {
    const file = item.getAsFile()
    return file === null ? [] : [{ file, isFolder: item.webkitGetAsEntry()?.isDirectory === true }]
  })
  return {
    files: given.filter(({ isFolder }) => !isFolder).map(({ file }) => file),
    folders: given.filter(({ isFolder }) => isFolder).map(({ file }) => file.name),
  }
}

/** The conversation: files that are dropped anywhere on it go with the next message. */
function DropArea({ onFiles, children }: DropAreaProps): ReactNode {
  const [over, setOver] = useState(false)
  /** The pointer also leaves and enters what is inside. */
  const depth = useRef(0)
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files')
  const end = (): void => {
    depth.current = 0
    setOver(false)
  }
  return (
    <main
      id="main"
      className="relative flex min-w-0 flex-1 flex-col"
      onDragEnter={(event) => {
        if (!hasFiles(event)) return
        depth.current += 1
        setOver(true)
      }}
      onDragLeave={() => {
        depth.current -= 1
        if (depth.current <= 0) end()
      }}
      onDragOver={(event) => {
        if (hasFiles(event)) event.preventDefault()
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        end()
        const { files, folders } = dropped(event.dataTransfer)
        onFiles(files)
        for (const name of folders) showToast({ text: t`${name} is a folder. Drop the files in it instead.` })
      }}
    >
      {children}
      {over && (
        <div className="pointer-events-none absolute inset-2 z-20 flex items-center justify-center rounded-xl border-2 border-dashed border-accent bg-ground/90 p-4 text-center font-medium">
          {t`Drop the files to attach them to the next message.`}
        </div>
      )}
    </main>
  )
}
