import { type ReactNode, useEffect, useState } from 'react'
import type { ApiError } from '../api/client.ts'
import { onReachable } from '../api/reachable.ts'
import { WithCode, Words } from './words.tsx'
import { t } from '../language/language.ts'

interface ErrorNoteProps {
  /** In the language of the page. */
  readonly error: Pick<ApiError, 'message' | 'hint'> & Partial<Pick<ApiError, 'code'>>
}

/** What went wrong and what to do about it, announced by screen readers. That the gateway is away is said until it answers again. */
export function ErrorNote({ error }: ErrorNoteProps): ReactNode {
  const [over, setOver] = useState<unknown>()
  useEffect(() => (error.code === 'offline' ? onReachable(() => setOver(error)) : undefined), [error])
  if (over === error) return null
  return (
    <div role="alert" className="rounded-lg border border-bad px-3 py-2 text-sm">
      <p className="font-medium text-bad">
        <WithCode>{error.message}</WithCode>
      </p>
      {error.hint !== undefined && (
        <p className="text-soft">
          <WithCode>{error.hint}</WithCode>
        </p>
      )}
    </div>
  )
}

/** What is odd about something, one sentence a line; nothing where nothing is. */
export function WarningList({ warnings }: { readonly warnings: readonly string[] }): ReactNode {
  if (warnings.length === 0) return null
  return (
    <ul aria-label={t`Warnings`} className="flex flex-col gap-1 rounded-lg border border-warn px-3 py-2 text-sm">
      {warnings.map((warning) => (
        <li key={warning}>
          <Words>{warning}</Words>
        </li>
      ))}
    </ul>
  )
}
