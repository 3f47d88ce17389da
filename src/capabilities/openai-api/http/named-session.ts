import type { Binding } from '../../../session.ts'

/**
 * The session that a request names: by its id or `new` in `x-foreword-session`, or else by the conversation in the
 * field `user`. `undefined`: none.
 */
export function namedSession(request: Request, user: string | null | undefined): string | Binding | undefined {
  const session = request.headers.get('x-foreword-session')
  if (session !== null) return session
  return user ? { channel: CHANNEL, conversation: user } : undefined
}

const CHANNEL = 'openai'
