import type { TokenCounter } from '../../context.ts'
import { verbatim } from '../../context.ts'
import type {
  ForeignAnswer,
  ForeignAssembly,
  ForeignFormat,
  ForeignIdentity,
  ForeignRequestHead,
} from '../../foreign.ts'
import { fieldsOf } from '../../platform.ts'

// Stands in for the room of foreign calls until it is there.

export function identifyCall({ method, path, headers }: ForeignRequestHead, body: unknown): ForeignIdentity {
  const plain = path.replace(/\?.*$/s, '')
  const format: ForeignFormat | undefined = plain.endsWith('/messages')
    ? 'messages'
    : plain.endsWith('/responses')
      ? 'responses'
      : plain.endsWith('/chat/completions')
        ? 'chat-completions'
        : undefined
  const parsed = fieldsOf(body)
  const agent = headers['user-agent'] ?? ''
  const name = agent.startsWith('claude-cli') ? 'claude-code' : (/^[\w.-]+/.exec(agent)?.[0] ?? 'unknown')
  const session = headers['x-claude-code-session-id'] ?? headers['session-id'] ?? headers['x-session-id']
  const model = typeof parsed['model'] === 'string' ? parsed['model'] : undefined
  const most = parsed['max_tokens'] ?? parsed['max_output_tokens'] ?? parsed['max_completion_tokens']
  return {
    ...(format && { format }),
    client: { name },
    kind: method === 'POST' && format ? 'turn' : 'other',
    ...(session && { session }),
    ...(model !== undefined && { model }),
    ...(typeof most === 'number' && { maxOutputTokens: most }),
    stream: parsed['stream'] === true,
  }
}

export function* explainSteps(input: {
  readonly format: ForeignFormat
  readonly body: unknown
  readonly counter: TokenCounter
  readonly client?: string
  readonly model?: string
}): Generator<void, ForeignAssembly> {
  yield
  const budget = { window: 1_000_000_000, reserve: 0, margin: 0 }
  const messages = fieldsOf(input.body)['messages'] ?? fieldsOf(input.body)['input']
  const made = verbatim({
    messages: (Array.isArray(messages) ? messages : [messages]).map((each: unknown) => ({
      role: 'user' as const,
      content: typeof fieldsOf(each)['content'] === 'string' ? String(fieldsOf(each)['content']) : JSON.stringify(each),
    })),
    budget,
    counter: input.counter,
  })
  return { ...made, marks: [] }
}

export function splitBody(text: string): readonly string[] {
  return [text]
}

export interface ResponseReader {
  write(bytes: Uint8Array): void
  end(): ForeignAnswer
}

export function responseReader(_format: ForeignFormat, _about: { readonly streamed: boolean }): ResponseReader {
  let all = ''
  return {
    write: (bytes) => void (all += Buffer.from(bytes).toString()),
    end: () => ({ text: all, reasoning: '', calls: [] }),
  }
}

export function commonPrefix(before: ForeignAssembly, after: ForeignAssembly): { pieces: number; tokens: number } {
  let pieces = 0
  let tokens = 0
  for (const [at, piece] of after.pieces.entries()) {
    if (JSON.stringify(before.pieces[at]?.content) !== JSON.stringify(piece.content)) break
    pieces += 1
    tokens += piece.tokens
  }
  return { pieces, tokens }
}
