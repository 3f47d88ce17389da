import type { Manifest } from '../context.ts'
import type { Io } from './io.ts'
import { harmless, styled } from './style.ts'

/** The outline of a manifest; on a terminal what was left out is dimmed and what gave way stands out. */
export async function outlineText(manifest: Manifest, io: Io): Promise<string> {
  const { outline } = await import('../context.ts')
  return outline(manifest)
    .trimEnd()
    .split('\n')
    .map((line) => {
      const text = harmless(line, io.stdout)
      if (/ omitted\b/.test(line)) return styled(io, 'dim', text)
      return / reduced\b/.test(line) ? styled(io, 'yellow', text) : text
    })
    .join('\n')
}
