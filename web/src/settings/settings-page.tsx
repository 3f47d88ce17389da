import type { ReactNode } from 'react'
import { type Status, useResource } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'

/** What runs here. */
export default function SettingsPage({ page: _page }: { readonly page: string | undefined }): ReactNode {
  const { data, error } = useResource<Status>('/api/status')
  return (
    <main id="main" className="mx-auto w-full max-w-3xl overflow-y-auto p-6">
      <h1 className="text-xl font-semibold">Settings</h1>
      {error && <ErrorNote error={error} />}
      {data && (
        <dl className="mt-4 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
          <dt className="text-soft">Version</dt>
          <dd>{data.version}</dd>
          <dt className="text-soft">Home</dt>
          <dd>{data.home}</dd>
          <dt className="text-soft">Model</dt>
          <dd>{data.model.id}</dd>
        </dl>
      )}
    </main>
  )
}
