import { problem } from './finding.ts'
import type { Finding } from '../../capability.ts'

/** Whether the token of a gateway that others can reach could be guessed. Nothing is said where it is well. */
export async function checkToken(
  home: string,
  { bind, token }: { readonly bind: string; readonly token?: string | undefined },
): Promise<readonly Finding[]> {
  const { readToken } = await import('../../runtime.ts')
  const { assertBindIsSafe } = await import('../../server.ts')
  try {
    const used = token ?? (await readToken(home))
    if (used !== undefined) assertBindIsSafe(bind, used)
    return []
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return [problem('token', why, 'Or listen on this machine alone: `foreword config set gateway.bind 127.0.0.1`.')]
  }
}
