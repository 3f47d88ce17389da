import { type ReactNode, useState } from 'react'
import useSWR from 'swr'
import type { AccessPreview, FileVersion } from '../../../src/capability.ts'
import { useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { DiffLines } from '../parts/diff-lines.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { type AccessDraft, previewKey, previewOf } from './access-draft.ts'

/** Contents that the file has had; each can be put back after the same review as any other change. */
export function AccessVersions({ draft }: { readonly draft: AccessDraft }): ReactNode {
  const { data, error } = useResource<{ readonly versions: readonly FileVersion[] }>('/api/tool-access/versions')
  if (error) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner />
  const earlier = data.versions.filter(({ text }, index) => !(index === 0 && text === draft.file?.text))
  if (earlier.length === 0) return <p className="text-sm text-soft">The file was not changed here yet.</p>
  return (
    <ul className="divide-y divide-line text-sm">
      {earlier.map((version) => (
        <EarlierContent key={version.version} version={version} draft={draft} />
      ))}
    </ul>
  )
}

function EarlierContent({ version, draft }: { readonly version: FileVersion; readonly draft: AccessDraft }): ReactNode {
  const [open, setOpen] = useState(false)
  const { text, time } = version
  const { data } = useSWR<AccessPreview>(open ? previewKey(text, draft.file?.digest) : undefined, () =>
    previewOf({ text }),
  )
  return (
    <li className="py-2">
      <div className="flex items-center gap-3">
        <details className="min-w-0 flex-1" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>
            <time dateTime={time}>{new Date(time).toLocaleString('en')}</time>
          </summary>
        </details>
        <Button
          look="plain"
          disabled={text === draft.text}
          aria-label={`Put back the content of ${new Date(time).toLocaleString('en')}`}
          onClick={() => draft.setText(text)}
        >
          Put back
        </Button>
      </div>
      {open && (
        <div className="mt-2">
          {data === undefined ? (
            <Spinner />
          ) : data.difference === '' ? (
            <p className="text-soft">The same as the file is now.</p>
          ) : (
            <DiffLines diff={data.difference} />
          )}
        </div>
      )}
    </li>
  )
}
