import type { RuntimeStatus, Submitted } from '../runtime.ts'
import type { SessionRow } from '../session.ts'
import { ask, pathTo } from './answer.ts'
import type { Connection } from './connection.ts'
import { CommandFailure } from './failure.ts'
import { type Io, note } from './io.ts'
import { styled } from './style.ts'
import { cancel, follow, submit } from './turn.ts'
import { turnDisplay } from './turn-display.ts'

/** One talk in the terminal: which session it is in, and the turn that is running. */
export interface Conversation {
  readonly connection: Connection
  /** `undefined` until the first message. */
  session: string | undefined
  running: Submitted | undefined
  readonly cancel: () => Promise<void>
  /** The model that answers next. */
  readonly model: () => Promise<string>
  readonly setModel: (model: string) => Promise<void>
}

export async function opened(
  connection: Connection,
  options: { readonly session: string | undefined; readonly model: string | undefined },
): Promise<Conversation> {
  const conversation: Conversation = {
    connection,
    session: options.session,
    running: undefined,
    async cancel() {
      if (this.running !== undefined) await cancel(connection, this.running)
    },
    async model() {
      const row = this.session === undefined ? undefined : await sessionRow(connection, this.session)
      return row?.model ?? (await ask<RuntimeStatus>(connection, '/api/status')).model.id
    },
    async setModel(model) {
      if (this.session === undefined) {
        this.session = (await ask<SessionRow>(connection, '/api/sessions', { method: 'POST', body: { model } })).id
      } else {
        await ask(connection, pathTo('/api/sessions/', this.session), { method: 'PATCH', body: { model } })
      }
    },
  }
  if (options.session !== undefined) await sessionRow(connection, options.session)
  if (options.model !== undefined) await conversation.setModel(options.model)
  return conversation
}

/** Sends one message and shows the answer. A failure is told and the talk goes on. Answers whether it was answered. */
export async function converse(conversation: Conversation, text: string, io: Io): Promise<boolean> {
  const { connection } = conversation
  try {
    const turn = await submit(connection, { text, session: conversation.session })
    conversation.session = turn.session
    conversation.running = turn
    const outcome = await follow(connection, turn, turnDisplay(io, { details: true }))
    if (outcome.type === 'cancelled') note(io, styled(io, 'dim', '(cancelled)', io.stderr))
    if (outcome.type === 'failed') note(io, styled(io, 'red', `${outcome.code}: ${outcome.message}`, io.stderr))
    return outcome.type !== 'failed'
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    note(io, styled(io, 'red', `${error.code}: ${error.message}`, io.stderr))
    return false
  } finally {
    conversation.running = undefined
  }
}

async function sessionRow(connection: Connection, session: string): Promise<SessionRow> {
  return await ask<SessionRow>(connection, pathTo('/api/sessions/', session))
}
