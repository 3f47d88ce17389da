import { randomUUID } from 'node:crypto'
import type { RequestPermissionRequest, RequestPermissionResponse, SessionUpdate } from '@agentclientprotocol/sdk'

export interface EditorClient {
  update(session: string, update: SessionUpdate): Promise<void>
  /** Asks a person. Rejects where `signal` withdraws the question, and where the editor cannot ask. */
  ask(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse>
  showsNotices(): boolean
}

interface EditorNotice {
  readonly severity: 'info' | 'warning' | 'error'
  readonly title: string
}

export async function sendNotice(
  client: EditorClient,
  session: string,
  { severity, title }: EditorNotice,
): Promise<void> {
  if (client.showsNotices()) await client.update(session, { sessionUpdate: 'notice', severity, title })
}

/** Shows a notice, as a message of the agent where the editor knows no notices: a person has to see it. */
export async function ensureNotice(client: EditorClient, session: string, notice: EditorNotice): Promise<void> {
  if (client.showsNotices()) return await sendNotice(client, session, notice)
  await client.update(session, {
    sessionUpdate: 'agent_message_chunk',
    messageId: randomUUID(),
    content: { type: 'text', text: notice.title },
  })
}
