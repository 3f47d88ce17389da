/** `/new`, trimmed and in any case: what a person says in a conversation to begin a new session (BEHAVIOURS §1.6). */
export function asksForNewSession(text: string): boolean {
  return text.trim().toLowerCase() === '/new'
}

/** What the conversation answers. No model is asked, and nothing of it stands in a session. */
export const newSessionReply = 'A new session begins. The one before is kept.'
