import { existsSync } from 'node:fs'
import { ok, problem } from './finding.ts'
import type { Finding } from '../../capability.ts'

/** How many of the missing contents are named one by one. */
const NAMED = 5

/** Whether every text that the store keeps by its hash is there. Nothing where nothing was ever written. */
export async function checkContents(path: string): Promise<readonly Finding[]> {
  if (!existsSync(path)) return []
  const { missingContents } = await import('../../session.ts')
  const missing = missingContents(path)
  if (missing.length === 0) return [ok('contents', 'every text that a call, a session or a file refers to is there')]
  const named = missing.slice(0, NAMED).map(({ hash, place }) => `sha256:${hash} (${place})`)
  const more = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : ''
  const what = missing.length === 1 ? '1 text is missing' : `${missing.length} texts are missing`
  return [
    problem(
      'contents',
      `${what}: ${named.join(', ')}${more}`,
      'Bring them back with `foreword restore FILE --replace` from a backup that has them. Until then `foreword replay` counts their calls as different.',
    ),
  ]
}
