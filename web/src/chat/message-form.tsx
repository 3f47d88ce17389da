import { type ReactNode, type RefObject, useEffect, useState } from 'react'
import type { ApiError } from '../api/client.ts'
import { cancelTurn } from '../api/turns.ts'
import { ContextStrip, NextCallEdge } from '../inspector/context-strip.tsx'
import type { NextCall } from '../inspector/next-call.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { AttachmentList } from './attachment-list.tsx'
import { Composer } from './composer.tsx'
import { onComposedText, takeText } from './composed-text.ts'
import { focusMessage } from '../parts/focus-message.ts'
import { leafOf, openTurns } from './open-turns.ts'
import { QueuedMessages } from './queued-messages.tsx'
import { SessionChips } from './session-chips.tsx'
import { argumentCompletions, completions, readLine, runsAtOnce, typedArgument } from './slash-commands.ts'
import { ChosenTemplate, TemplateButton, useTemplate } from './template-insertion.tsx'
import type { Attachments } from './use-attachments.ts'
import { type CommandResult, unknownCommand, useCommands } from './use-commands.ts'
import type { HeldDraft } from './use-draft.ts'
import type { FollowedConversation } from './use-conversation.ts'
import { type Sending, UNKNOWN_HINT } from './use-sending.ts'
import type { SessionChoices } from './use-session-choices.ts'
import { X } from 'lucide-react'
import { IconButton, Button } from '../parts/button.tsx'
import { GoneSession } from './gone-session.tsx'
import { goOnFrom } from '../api/session-requests.ts'
import type { Conversation, Turn } from '../log/conversation.ts'
import type { CommandList, ListedCommand } from '../api/commands.ts'
import { type ChoiceList, type ModelList, type OptionList, useResource } from '../api/resources.ts'
import { t } from '../language/language.ts'

interface MessageFormProps {
  readonly next: NextCall
  readonly followed: FollowedConversation
  readonly held: HeldDraft
  readonly attachments: Attachments
  readonly sending: Sending
  /** The model of the next message. */
  readonly model: string | undefined
  readonly chooser: RefObject<HTMLInputElement | null>
  readonly choices: SessionChoices
  /** Opens the inspector where it is not beside the conversation. */
  onInspect(): void
}

/** Everything below the conversation: what waits, what is attached, what the next call reads, and the field. */
export function MessageForm(props: MessageFormProps): ReactNode {
  const { next, followed, held, attachments, sending, model, chooser, choices, onInspect } = props
  const { session } = next
  const { conversation, connected, failure } = followed
  const { draft, change, current } = held
  const { setError } = sending
  const template = useTemplate(held)
  const commands = useCommands(session, draft.text.startsWith('/'), () => chooser.current?.click())
  const completed = useCompletions(draft.text, commands.list)
  const { running, beside, queued } = openTurns(conversation)

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
    const { name, template: saved } = line.command
    if (saved !== undefined) return template.begin({ name, text: saved, argument: line.argument })
    if (running && !runsAtOnce(line.command, line.argument)) {
      return setError({
        message: t`/${line.command.name} has to wait until the turn has ended.`,
        hint: t`Stop the turn, or try again later.`,
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
    if (session === undefined) return
    for (const turn of [running, beside]) if (turn) await cancelTurn(session, turn.id).catch(setError)
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
    (isUnknown ? { message: t`This message may not have arrived.`, hint: UNKNOWN_HINT } : undefined)
  const isKept = sending.busy && sending.error !== undefined
  const uploads = attachments.items.some(({ state }) => state.type === 'uploading')

  return (
    // Whatever waits and is attached, a part of the conversation stays on a low window, and so does the field with its buttons.
    <div className="flex max-h-[70%] shrink-0 flex-col overflow-y-auto border-t border-line bg-raised">
      <h2 className="sr-only">{t`Your message`}</h2>
      <div className="min-h-0 overflow-y-auto px-3 pt-1 pb-1">
        <div className="mx-auto flex max-w-176 flex-col gap-2">
          {/* A message that is being sent again says the same. */}
          {!connected && !isKept && (
            <p role="status" className="text-sm text-warn">
              {t`Connecting to the gateway again …`}
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
          <ChosenTemplate insertion={template} />
          <AttachmentList items={attachments.items} onRemove={attachments.remove} />
        </div>
      </div>
      <div className="mx-auto flex w-full max-w-182 shrink-0 flex-col gap-1 px-3 pt-1 pb-2">
        <Composer
          draft={draft.text}
          busy={sending.busy}
          attached={uploads ? 'uploading' : draft.files.length > 0 ? 'files' : 'nothing'}
          completions={completed}
          chooser={chooser}
          chips={
            <>
              <TemplateButton draft={draft.text} insertion={template} />
              <SessionChips session={session} choices={choices} held={held} />
            </>
          }
          edge={<NextCallEdge />}
          onChange={(text) => {
            change({ text })
            // What was wrong with a line is of no use to a field without it.
            if (text === '' && !sending.busy) setError(undefined)
          }}
          onTemplate={({ name, template: text = '' }) => template.begin({ name, text, argument: '' })}
          onFiles={attachments.add}
          onSend={send}
          // A turn that is on the screen is what is meant, and no more the message that began it.
          onStop={isKept || (sending.busy && !running) ? sending.giveUp : running ? () => void stop() : undefined}
        />
        <ContextStrip next={next} onInspect={onInspect} />
      </div>
    </div>
  )
}

interface CommandPanelProps {
  readonly result: CommandResult
  onClose(): void
}

/** The result of a command, above the message field. No model reads it. */
function CommandPanel({ result, onClose }: CommandPanelProps): ReactNode {
  return (
    <section aria-label={t`Result of ${result.title}`} className="rounded-lg border border-line bg-ground text-sm">
      <div className="flex items-center justify-between gap-2 border-b border-line ps-3">
        <h2 className="truncate font-mono">{result.title}</h2>
        <IconButton label={t`Close the result`} onClick={onClose}>
          <X size={14} aria-hidden />
        </IconButton>
      </div>
      <pre
        role="status"
        tabIndex={0}
        className="max-h-[30vh] overflow-auto px-3 py-2 font-mono text-xs whitespace-pre-wrap"
      >
        {result.text}
      </pre>
    </section>
  )
}

interface OtherBranchProps {
  readonly session: string
  readonly conversation: Conversation
  readonly running: Turn | undefined
  onStop(): Promise<void>
}

/** Says that a turn runs in a branch that is not on the screen, with the way to it. A message waits for that turn. */
function OtherBranch({ session, conversation, running, onStop }: OtherBranchProps): ReactNode {
  const [error, setError] = useState<ApiError>()
  if (running === undefined || conversation.turns.some(({ id, options }) => [id, options?.beside].includes(running.id)))
    return null
  const show = (): void => void goOnFrom(session, leafOf(conversation, running.id)).catch(setError)
  return (
    <section
      aria-label={t`Another branch`}
      className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-ground px-3 py-1 text-sm"
    >
      <p role="status" className="min-w-40 flex-1 text-soft">
        <span className="block">{t`A turn runs in another branch. The next message waits for it.`}</span>
        <bdi className="block truncate text-ink">{running.text}</bdi>
      </p>
      <Button look="plain" onClick={show}>
        {t`Show it`}
      </Button>
      <Button look="plain" onClick={() => void onStop()}>
        {t`Stop it`}
      </Button>
      {error && <ErrorNote error={error} />}
    </section>
  )
}

/** What completes the line that is typed: the names of commands, then the models or the options of a choice. */
function useCompletions(text: string, list: CommandList | undefined): readonly ListedCommand[] | undefined {
  const argument = typedArgument(text)
  const { data: offered } = useResource<ChoiceList>('/api/choices', { revalidateOnFocus: false })
  const isChoice = offered?.choices.some(({ name }) => name === argument?.name)
  const { data: models } = useResource<ModelList>(argument?.name === 'model' ? '/api/models' : undefined)
  const { data: choice } = useResource<OptionList>(
    isChoice ? `/api/choices/${encodeURIComponent(argument!.name)}` : undefined,
  )
  if (argument === undefined) return completions(text, list)
  return argumentCompletions(argument, choice?.options ?? models?.models ?? [])
}
