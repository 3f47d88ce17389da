import type { ReactNode } from 'react'
import { useMay } from '../api/caller.ts'
import { type Status, useResource } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { t } from '../language/language.ts'

export default function StatusPage(): ReactNode {
  const isOwner = useMay('admin')
  const { data, error } = useResource<Status>('/api/status')
  if (error) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner />
  const rows = [
    [t`Version`, data.version],
    ...(isOwner ? [[t`Home`, data.home] as const] : []),
    [t`Model`, data.model.id],
  ] as const
  return (
    <div className="flex flex-col gap-4">
      <p className="text-soft">
        {isOwner
          ? t`The version that runs, the folder that it keeps everything in, and the model that answers.`
          : t`The version that runs, and the model that answers.`}
      </p>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd className="wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
