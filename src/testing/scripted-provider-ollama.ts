import {
  finishOf,
  pieces,
  type ScriptedAnswer,
  type ScriptedRequest,
  type ScriptedUsage,
} from './scripted-provider-answer.ts'

/** Lines of `/api/chat`: https://docs.ollama.com/api/chat */
export function ollamaFrames(
  answer: ScriptedAnswer,
  request: ScriptedRequest,
  usage: ScriptedUsage | undefined,
): string[] {
  const { model } = request
  const line = (fields: object) => `${JSON.stringify({ model, created_at: '2026-01-01T00:00:00Z', ...fields })}\n`
  const say = (fields: object) => line({ message: { role: 'assistant', content: '', ...fields }, done: false })
  const frames = [
    ...pieces(answer.reasoning).map((thinking) => say({ thinking })),
    ...pieces(answer.text).map((content) => say({ content })),
    ...(answer.toolCalls ?? []).map(({ id, name, input }) =>
      say({ tool_calls: [{ ...(id ? { id } : {}), function: { name, arguments: input } }] }),
    ),
  ]
  if (answer.streamError) return [...frames, `${JSON.stringify({ error: answer.streamError.message })}\n`]
  const finish = finishOf(answer)
  const end = {
    message: { role: 'assistant', content: '' },
    done: true,
    // Ollama says `stop` when it called a tool.
    done_reason: finish === 'tool-calls' ? 'stop' : finish,
    total_duration: 1_000_000,
    ...(usage ? { prompt_eval_count: usage.promptTokens, eval_count: usage.outputTokens } : {}),
  }
  return [...frames, line(end)]
}
