import { exportSession, type SessionStore } from '../session.ts'

/** An export in memory. */
export async function exported(store: SessionStore, id = 'a'): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const line of exportSession(store, id)) lines.push(line)
  return lines
}
