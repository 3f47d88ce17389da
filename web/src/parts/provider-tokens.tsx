import type { ReactNode } from 'react'
import { calibratedManifest, callFigures, calibratedTokens, type Manifest } from '../../../src/context.ts'
import type { ApiError } from '../api/client.ts'
import { type Preview, useResource } from '../api/resources.ts'
import { t } from '../language/language.ts'
import { Fold } from './fold.tsx'

/** A prompt by both counts: in the tokens of its provider, and in ours. */
export interface CountedPrompt {
  readonly total: number
  readonly used: number
}

/** The next call by both counts; `undefined` where none can be prepared. One that is too large has an account, too. */
export function countedPrompt({
  preview,
  error,
}: {
  readonly preview?: Pick<Preview, 'manifest' | 'figures'> | undefined
  readonly error?: ApiError | undefined
}): CountedPrompt | undefined {
  if (preview) return { total: preview.figures.total, used: preview.manifest.used }
  const overfull = error?.facts['manifest'] as Manifest | undefined
  return overfull && { total: callFigures(overfull, { price: undefined }).total, used: overfull.used }
}

/** A count of ours in the tokens of the provider of that prompt; as it is where none is known. */
export function providerTokens(counted: number, prompt: CountedPrompt | undefined): number {
  return prompt ? calibratedTokens(counted, prompt.total, prompt.used) : counted
}

/** What a file takes in a call, in the tokens of its provider, as the account has it; `undefined` where it is not in the account. */
export function accountedFile(manifest: Manifest, total: number, file: string): number | undefined {
  const own = calibratedManifest(manifest, total).entries.find(
    ({ layer, id }) => layer === 'attachment' && (id === file || id.startsWith(`${file}@`)),
  )
  return own && (own.outcome === 'omitted' ? own.fullTokens : own.tokens)
}

/** The next call of a new session: what is in no call has the size that it would have there. */
export function useCountedPrompt(): CountedPrompt | undefined {
  const { data, error } = useResource<Preview>('/api/context', { revalidateOnFocus: false, shouldRetryOnError: false })
  return countedPrompt({ preview: data, error })
}

/** Whose tokens the sizes of a page are, folded. Nothing where both counts are the same. */
export function TokensExplained({ prompt }: { readonly prompt: CountedPrompt | undefined }): ReactNode {
  if (prompt === undefined || prompt.total === prompt.used) return null
  const { total, used } = prompt
  return (
    <Fold className="text-xs text-soft" summary={t`How this is counted`}>
      <p className="py-1">
        {t`As the provider is expected to count: ${total} tokens where Foreword counts ${used}, by the next call of a new session.`}
      </p>
    </Fold>
  )
}
