import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useSWRConfig } from 'swr'
import { api } from '../api/client.ts'
import { useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/empty.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Fold } from '../parts/fold.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { type KeptList, type NamedValue, recordHref, recordPath, type RecordsKind } from './records-kind.ts'
import { useAction } from '../parts/use-action.ts'
import { timeText } from '../parts/numbers.ts'
import { t } from '../language/language.ts'

export function RecordList<Value extends NamedValue>({ kind }: { readonly kind: RecordsKind<Value> }): ReactNode {
  const { name, words, describe } = kind
  const { data, error } = useResource<KeptList<Value>>(`/api/${name}s`)
  const records = data?.[`${name}s`]
  const create = (
    <Link
      href={recordHref(name)}
      className="inline-flex items-center gap-2 self-start rounded-lg bg-accent px-3 py-1.5 text-sm font-medium text-accent-ink hover:brightness-95"
    >
      <Plus size={16} aria-hidden /> {words.new}
    </Link>
  )
  return (
    <div className="flex flex-col gap-6">
      <p className="text-soft">{words.about}</p>
      {error && <ErrorNote error={error} />}
      {records === undefined && !error && <Spinner />}
      {records?.length === 0 ? <Empty action={create}>{words.none}</Empty> : create}
      {records !== undefined && records.length > 0 && (
        <ul aria-label={words.list} className="flex flex-col divide-y divide-line rounded-lg border border-line">
          {records.map(({ id, version, value, shared }) => (
            <li key={id}>
              <Link href={recordHref(name, id)} className="flex flex-col gap-0.5 px-3 py-2 hover:bg-sunken">
                <span className="font-medium" dir="auto">
                  {value.name}
                </span>
                <span className="text-sm text-soft">
                  {[
                    describe(value),
                    shared ? t`of the owner` : t`version ${version}`,
                    ...(value.sharedWith === undefined ? [] : [t`shared`]),
                  ].join(' · ')}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      <Removed kind={kind} />
      <p className="text-sm text-soft">{words.use}</p>
    </div>
  )
}

function Removed<Value extends NamedValue>({
  kind: { name, words, describe },
}: {
  readonly kind: RecordsKind<Value>
}): ReactNode {
  const { data, error, mutate } = useResource<KeptList<Value>>(`/api/${name}s?removed=true`)
  const { mutate: refresh } = useSWRConfig()
  const { error: refusal, act } = useAction()
  const records = data?.[`${name}s`]
  if (error) return <ErrorNote error={error} />
  if (records === undefined || records.length === 0) return null
  const putBack = (id: string, version: number): Promise<void> =>
    act(async () => {
      await api(recordPath(name, id, '/restore'), { method: 'POST', body: { version } })
      await Promise.all([mutate(), refresh(`/api/${name}s`)])
    })
  return (
    <Fold className="text-sm" summaryClassName="text-soft" summary={words.removed}>
      <div className="mt-2 flex flex-col gap-2">
        {refusal && <ErrorNote error={refusal} />}
        <ul aria-label={words.removed} className="flex flex-col divide-y divide-line rounded-lg border border-line">
          {records.map(({ id, version, time, value }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
              <div className="min-w-0 flex-1">
                <Link href={recordHref(name, id)} className="font-medium text-accent underline" dir="auto">
                  {value.name}
                </Link>
                <p className="text-soft">{`${describe(value)} · ${t`version ${version}, ${timeText(time)}`}`}</p>
              </div>
              <Button look="plain" aria-label={t`Put ${value.name} back`} onClick={() => void putBack(id, version)}>
                {t`Put back`}
              </Button>
            </li>
          ))}
        </ul>
      </div>
    </Fold>
  )
}
