import { randomUUID } from 'node:crypto'
import type { RequestPermissionRequest, RequestPermissionResponse, SessionUpdate } from '@agentclientprotocol/sdk'

/** The editor at the other end, as far as sessions need it. */
export interface EditorClient {
  /** Resolves once the update is written. */
  update(session: string, update: SessionUpdate): Promise<void>
  /** Asks a person. Rejects where `signal` withdraws the question, and where the editor cannot ask. */
  ask(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse>
  /** Whether it shows notices beside the conversation. */
  showsNotices(): boolean
}

/** Something that a person should know and that no model has said. */
export interface EditorNotice {
  readonly severity: 'info' | 'warning' | 'error'
  readonly title: string
}

/** Shows a notice where the editor can. */
export async function sendNotice(
  client: EditorClient,
  session: string,
  { severity, title }: EditorNotice,
): Promise<void> {
  if (client.showsNotices()) await client.update(session, { sessionUpdate: 'notice', severity, title })
}

/** The same, and as a message of the agent where the editor knows no notices: a person has to see it. */
export async function ensureNotice(client: EditorClient, session: string, notice: EditorNotice): Promise<void> {
  if (client.showsNotices()) return await sendNotice(client, session, notice)
  await client.update(session, {
    sessionUpdate: 'agent_message_chunk',
    messageId: randomUUID(),
    content: { type: 'text', text: notice.title },
  })
}
