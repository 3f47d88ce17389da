import { type ReactNode, useEffect } from 'react'
import type { ApiError } from '../api/client.ts'
import { cancelTurn } from '../api/turns.ts'
import { ContextStrip } from '../inspector/context-strip.tsx'
import type { NextCall } from '../inspector/next-call.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { AttachmentList } from './attachment-list.tsx'
import { CommandPanel } from './command-panel.tsx'
import { Composer } from './composer.tsx'
import { onComposedText, takeText } from './composed-text.ts'
import { focusMessage } from '../parts/focus-message.ts'
import { GoneSession } from './gone-session.tsx'
import { openTurns } from './open-turns.ts'
import { OtherBranch } from './other-branch.tsx'
import { QueuedMessages } from './queued-messages.tsx'
import { readLine, runsAtOnce } from './slash-commands.ts'
import type { Attachments } from './use-attachments.ts'
import { useCompletions } from './use-completions.ts'
import { unknownCommand, useCommands } from './use-commands.ts'
import type { HeldDraft } from './use-draft.ts'
import type { FollowedConversation } from './use-conversation.ts'
import { type Sending, UNKNOWN_HINT } from './use-sending.ts'

interface MessageFormProps {
  readonly next: NextCall
  readonly followed: FollowedConversation
  readonly held: HeldDraft
  readonly attachments: Attachments
  readonly sending: Sending
  /** The model of the next message. */
  readonly model: string | undefined
  readonly chooser: { readonly current: HTMLInputElement | null }
  /** Opens the inspector where it is not beside the conversation. */
  onInspect(): void
}

/** Everything below the conversation: what waits, what is attached, what the next call reads, and the field. */
export function MessageForm(props: MessageFormProps): ReactNode {
  const { next, followed, held, attachments, sending, model, chooser, onInspect } = props
  const { session } = next
  const { conversation, connected, failure } = followed
  const { draft, change, current } = held
  const { setError } = sending
  const commands = useCommands(session, () => chooser.current?.click())
  const completed = useCompletions(draft.text, commands.list)
  const { running, queued } = openTurns(conversation)

  useEffect(() => {
    const put = (text: string): void => {
      change({ text })
      focusMessage()
    }
    const waiting = takeText()
    if (waiting !== undefined) put(waiting)
    return onComposedText(put)
  }, [change])

  const send = async (): Promise<void> => {
    const list = draft.text.startsWith('/') ? await commands.listed() : commands.list
    const line = readLine(draft.text, list, model)
    if (line.type === 'message') return sending.send()
    if (line.type === 'unknown') return setError(unknownCommand(line.name))
    if (running && !runsAtOnce(line.command, line.argument)) {
      return setError({
        message: `/${line.command.name} has to wait until the turn has ended.`,
        hint: 'Stop the turn, or try again later.',
      })
    }
    setError(undefined)
    try {
      await commands.run(line.command, line.argument)
      if (current().text === draft.text) change({ text: '' })
    } catch (error) {
      setError(error as ApiError)
    }
  }
  const stop = async (): Promise<void> => {
    if (running && session !== undefined) await cancelTurn(session, running.id).catch(setError)
  }
  const keep = (text: string, files: readonly string[]): void => {
    change({ text: [text, current().text].filter((part) => part !== '').join('\n\n') })
    attachments.restore(files)
    focusMessage()
  }

  const { attempt } = draft
  const isUnknown = attempt !== undefined && attempt.text === draft.text && !sending.busy && !sending.error
  const shown =
    failure ??
    sending.error ??
    (isUnknown ? { message: 'This message may not have arrived.', hint: UNKNOWN_HINT } : undefined)
  const uploads = attachments.items.some(({ state }) => state.type === 'uploading')

  return (
    // Whatever waits and is attached, a part of the conversation stays on a low window, and so does the field with its buttons.
    <div className="flex max-h-[70%] shrink-0 flex-col overflow-y-auto border-t border-line bg-raised">
      <h2 className="sr-only">Your message</h2>
      <div className="min-h-0 overflow-y-auto px-3 pt-1 pb-1">
        <div className="mx-auto flex max-w-3xl flex-col gap-2">
          {/* A message that is being sent again says the same. */}
          {!connected && !(sending.busy && sending.error) && (
            <p role="status" className="text-sm text-warn">
              Connecting to the gateway again …
            </p>
          )}
          {shown && <ErrorNote error={shown} />}
          {(failure?.code === 'deleted' || failure?.code === 'not-found') && <GoneSession held={held} />}
          {commands.result && <CommandPanel result={commands.result} onClose={commands.closeResult} />}
          {session !== undefined && (
            <>
              <OtherBranch session={session} conversation={conversation} running={running} onStop={stop} />
              <QueuedMessages session={session} turns={queued} onKeep={keep} />
            </>
          )}
          <AttachmentList items={attachments.items} onRemove={attachments.remove} />
        </div>
      </div>
      <div className="mx-auto flex w-full max-w-3xl shrink-0 flex-col gap-2 px-3 pt-1 pb-3">
        <ContextStrip next={next} onInspect={onInspect} />
        <Composer
          draft={draft.text}
          busy={sending.busy}
          attached={uploads ? 'uploading' : draft.files.length > 0 ? 'files' : 'nothing'}
          completions={completed}
          chooser={chooser}
          onChange={(text) => change({ text })}
          onFiles={attachments.add}
          onSend={send}
          onStop={sending.busy ? sending.giveUp : running ? () => void stop() : undefined}
        />
      </div>
    </div>
  )
}
