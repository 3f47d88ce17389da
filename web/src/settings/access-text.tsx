import { type ReactNode, useId } from 'react'
import type { AccessDraft } from './access-draft.ts'
import { AccessProblems } from './access-problems.tsx'

/** The file as text. What is typed is checked by the reader of the gateway, and is saved after the review. */
export function AccessText({ draft }: { readonly draft: AccessDraft }): ReactNode {
  const id = useId()
  return (
    <div className="flex flex-col gap-2">
      <label htmlFor={id} className="text-sm font-medium">
        tool-access.json
      </label>
      <textarea
        id={id}
        dir="ltr"
        rows={Math.min(24, Math.max(8, draft.text.split('\n').length + 1))}
        spellCheck={false}
        value={draft.text}
        onChange={(event) => draft.setText(event.target.value)}
        className="w-full rounded-lg border border-strong-line bg-ground p-3 font-mono text-xs leading-relaxed"
      />
      <p className="text-xs text-soft">
        Comments and a comma at the end of a list are allowed. A key that begins with _ is a comment, too.
      </p>
      {draft.isChanged && <AccessProblems problems={draft.preview?.problems ?? []} />}
    </div>
  )
}
