import type { ReactNode } from 'react'
import type { ApiError } from '../api/client.ts'
import { Words } from './words.tsx'
import { t } from '../language/language.ts'

/** What went wrong and what to do about it, announced by screen readers. */
export function ErrorNote({ error }: { readonly error: Pick<ApiError, 'message' | 'hint'> }): ReactNode {
  return (
    <div role="alert" className="rounded-lg border border-bad px-3 py-2 text-sm">
      <p className="font-medium text-bad">
        <Words>{error.message}</Words>
      </p>
      {error.hint !== undefined && (
        <p className="text-soft">
          <Words>{error.hint}</Words>
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
        <li key={warning}>{warning}</li>
      ))}
    </ul>
  )
}
