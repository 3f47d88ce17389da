/** One utterance of a conversation. */
interface PreviousMessage {
  /** As it is shown, such as `2026-01-05 12:00`. */
  readonly time: string
  readonly role: string
  readonly text: string
}

/**
 * A conversation as text, for where it is not sent as messages: `# Previous Conversation`, then `- [time] role: text` for
 * each message (BEHAVIOURS §2.1). Lines within a text are indented by two spaces, so that none of them can be
 * confused with one of ours. Empty where there are no messages.
 */
export function previousConversation(messages: readonly PreviousMessage[]): string {
  const lines = messages
    .filter(({ text }) => text.trim() !== '')
    .map(({ time, role, text }) => `- [${time}] ${role}: ${indentLines(text.trim())}`)
  return lines.length === 0 ? '' : ['# Previous Conversation', ...lines].join('\n')
}

/** A text whose further lines begin with two spaces, whatever ends its lines. */
export function indentLines(text: string): string {
  return text.replaceAll(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/g, '\n  ')
}
