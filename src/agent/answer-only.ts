import { type AssistantMessage, toolCalls } from '../context.ts'

/** Some models call a tool though they were told to call none. Such a call is not run, and not kept: nothing would answer it. */
export function answerOnly(message: AssistantMessage): AssistantMessage | undefined {
  if (typeof message.content === 'string' || toolCalls(message).length === 0) return message
  const content = message.content.filter((part) => part.type !== 'tool-call')
  return content.some((part) => part.type === 'text') ? { ...message, content } : undefined
}

/** The model called a tool where it had to answer, and said nothing besides. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
  readonly code = 'no-answer'

  constructor() {
    super(
      'The model called a tool in the last step of the turn, where none can be called, and said nothing. Ask again, raise agent.maxSteps, or choose another model.',
    )
  }
}
