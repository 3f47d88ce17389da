import { isAnswered, type RuntimeStatus, type SubmittedTurn } from '../../runtime.ts'
import type { SessionRow } from '../../session.ts'
import { requestJson, apiPath } from '../answer.ts'
import type { Watch } from '../approval/watch.ts'
import type { GatewayConnection, Io } from '../../capability.ts'
import { CommandFailure } from '../failure.ts'
import { note } from '../io.ts'
import { cancel, follow, submit, type TurnEnd } from '../turn.ts'
import { loadRenderedAnswer, turnDisplay } from '../turn-display.ts'
import { endText, isTooLarge, waitingText } from '../follow-to-end.ts'

/** An uploaded file that goes with a message. */
export interface ChatAttachment {
  readonly id: string
  readonly name: string
}

/** The state of one chat in the terminal: its session, and the running turn. */
export interface Chat {
  readonly connection: GatewayConnection
  /** `undefined` until the first message. */
  session: string | undefined
  /** The session that a new session continues from. */
  after?: string | undefined
  running: SubmittedTurn | undefined
  /** Called when a turn is accepted. */
  onRunning?: () => void
  /** Files that go with the next message. */
  attachments: readonly ChatAttachment[]
  /** Whether answers are shown as the model writes them. */
  readonly raw: boolean
  readonly cancel: () => Promise<void>
  readonly model: () => Promise<string>
  readonly setModel: (model: string) => Promise<void>
}

export async function openChat(
  connection: GatewayConnection,
  options: { readonly session: string | undefined; readonly model: string | undefined; readonly raw: boolean },
): Promise<Chat> {
  const conversation: Chat = {
    connection,
    session: options.session,
    running: undefined,
    attachments: [],
    raw: options.raw,
    async cancel() {
      if (this.running !== undefined) await cancel(connection, this.running)
    },
    async model() {
      const row = this.session === undefined ? undefined : await sessionRow(connection, this.session)
      return row?.model ?? (await requestJson<RuntimeStatus>(connection, '/api/status')).model.id
    },
    async setModel(model) {
      if (this.session === undefined) {
        const body = { model, after: this.after }
        this.session = (await requestJson<SessionRow>(connection, '/api/sessions', { method: 'POST', body })).id
      } else {
        await requestJson(connection, apiPath('/api/sessions/', this.session), { method: 'PATCH', body: { model } })
      }
    },
  }
  if (options.session !== undefined) await sessionRow(connection, options.session)
  if (options.model !== undefined) await conversation.setModel(options.model)
  return conversation
}

/** Sends one message and shows the answer. A failure is reported, and the chat continues. `unsent`: the message was not accepted. */
export async function sendMessage(
  conversation: Chat,
  text: string,
  watch: Watch,
  io: Io,
  signal?: AbortSignal,
): Promise<'answered' | 'failed' | 'waiting' | 'unsent'> {
  const { connection } = conversation
  let isAccepted = false
  try {
    const { session } = conversation
    const attachments = conversation.attachments.map(({ id }) => id)
    const turn = await submit(connection, {
      text,
      session,
      ...(session === undefined ? { after: conversation.after } : {}),
      ...(attachments.length === 0 ? {} : { attachments }),
    })
    isAccepted = true
    conversation.attachments = []
    conversation.session = turn.session
    conversation.running = turn
    conversation.onRunning?.()
    const display = turnDisplay(io, { details: true, rendered: await loadRenderedAnswer(io, conversation.raw) })
    const end = await follow(connection, turn, { display, watch, signal })
    tellEnd(end, io)
    if (end.type === 'waiting') return 'waiting'
    return end.type === 'cancelled' || isAnswered(end) ? 'answered' : 'failed'
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    // The former session may have been deleted meanwhile. Then the next message starts a new one.
    if (error.code === 'not-found') conversation.after = undefined
    note(io, `${error.code}: ${error.message}`, 'red')
    if (error.hint !== undefined) note(io, `  ${error.hint}`)
    return isAccepted ? 'failed' : 'unsent'
  } finally {
    conversation.running = undefined
  }
}

function tellEnd(end: TurnEnd, io: Io): void {
  if (end.type === 'completed') return
  if (end.type === 'cancelled') note(io, '(cancelled)', 'dim')
  else if (end.type === 'waiting') note(io, waitingText(end), 'yellow')
  else {
    const text = endText(end)
    note(io, text, isAnswered(end) ? 'yellow' : 'red')
    // Where a part of the answer is kept, the sentence says so itself.
    if (!isAnswered(end) && !isTooLarge(end) && !text.includes('`go on`')) {
      note(io, '  The message is kept. Write `go on` to have it answered.')
    }
  }
}

async function sessionRow(connection: GatewayConnection, session: string): Promise<SessionRow> {
  return await requestJson<SessionRow>(connection, apiPath('/api/sessions/', session))
}
