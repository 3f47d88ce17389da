import { type ReactNode, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { RecordList } from './records-list.tsx'
import {
  type FieldsProps,
  type KeptRecord,
  changesOf,
  type NamedValue,
  recordHref,
  recordPath,
  type RecordsKind,
  type RecordWords,
  withoutEmpty,
} from './records-kind.ts'
import { useSWRConfig } from 'swr'
import { api } from '../api/client.ts'
import { useMay } from '../api/caller.ts'
import { useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { TextField } from '../parts/fields.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { showToast } from '../parts/toasts.tsx'
import { SharedRecord, SharedWith, withSharing } from './records-shared.tsx'
import { RecordFiles } from './records-files.tsx'
import { useDraft } from './version-draft.ts'
import { type Saved, VersionForm } from './version-form.tsx'
import { VersionList } from './version-list.tsx'
import { SentLayer } from './version-sent.tsx'
import { useAction } from '../parts/use-action.ts'
import { t } from '../language/language.ts'

export function RecordsPage<Value extends NamedValue>({
  kind: given,
}: {
  readonly kind: RecordsKind<Value>
}): ReactNode {
  const kind = withSharing(given)
  const [search] = useSearchParams()
  const [saved, setSaved] = useState<{ readonly id: string; readonly warnings: readonly string[] }>()
  const id = search.get('id')
  if (id === null) return <RecordList kind={kind} />
  if (id === 'new') return <NewRecord kind={kind} onSaved={setSaved} />
  return (
    <RecordEditor
      key={id}
      kind={kind}
      id={id}
      warnings={saved?.id === id ? saved.warnings : undefined}
      onSaved={setSaved}
    />
  )
}

interface EditorProps<Value extends NamedValue> {
  readonly kind: RecordsKind<Value>
  /** Called with the warnings about what was just saved. */
  onSaved(saved: { readonly id: string; readonly warnings: readonly string[] }): void
}

function NewRecord<Value extends NamedValue>({ kind, onSaved }: EditorProps<Value>): ReactNode {
  const { name, words, empty, textOf } = kind
  const newest = { version: 0, value: empty }
  const draft = useDraft(`${name}/new`, newest)
  const [, navigate] = useLocation()
  const { mutate } = useSWRConfig()
  const save = async (value: Value): Promise<Saved> => {
    const made = await api<KeptRecord<Value>>(`/api/${name}s`, { method: 'POST', body: withoutEmpty(value) })
    await mutate(`/api/${name}s`)
    return {
      version: made.version,
      name: `${name}/${made.id}`,
      done() {
        onSaved({ id: made.id, warnings: made.warnings ?? [] })
        navigate(recordHref(name, made.id), { replace: true })
      },
    }
  }
  return (
    <div className="flex flex-col gap-6">
      <BackLink {...kind} />
      <h2 className="text-lg font-semibold">{words.new}</h2>
      <VersionForm label={words.new} newest={newest} draft={draft} textOf={textOf} save={save} saveLabel={words.create}>
        <RecordFields kind={kind} value={draft.value} set={draft.set} />
      </VersionForm>
    </div>
  )
}

/** A record: its fields, its versions, and its removal. */
function RecordEditor<Value extends NamedValue>({
  kind,
  id,
  warnings,
  onSaved,
}: EditorProps<Value> & { readonly id: string; readonly warnings: readonly string[] | undefined }): ReactNode {
  const { name, words, textOf } = kind
  const path = recordPath(name, id, '/versions')
  const { data, error, mutate } = useResource<{ readonly versions: readonly KeptRecord<Value>[] }>(path)
  const { mutate: refresh } = useSWRConfig()
  const readAgain = async (): Promise<void> => {
    await Promise.all([mutate(), refresh(`/api/${name}s`), refresh(`/api/${name}s?removed=true`)])
  }
  const putBack = async ({ version }: { readonly version: number }): Promise<void> => {
    await api(recordPath(name, id, '/restore'), { method: 'POST', body: { version } })
    await readAgain()
  }
  const newest = data?.versions[0]
  if (newest === undefined) {
    return (
      <div className="flex flex-col gap-6">
        <BackLink {...kind} />
        {error ? <ErrorNote error={error} /> : <Spinner />}
      </div>
    )
  }
  const { value } = newest
  return (
    <div className="flex flex-col gap-6">
      <BackLink {...kind} />
      {error && <ErrorNote error={error} />}
      {value === undefined ? (
        <p role="status">{words.isRemoved}</p>
      ) : newest.shared ? (
        <SharedRecord name={value.name} text={textOf(value)} />
      ) : (
        <Editor
          kind={kind}
          id={id}
          newest={{ version: newest.version, value }}
          warnings={warnings}
          onSaved={onSaved}
          readAgain={readAgain}
        />
      )}
      {!newest.shared && (
        <VersionList
          versions={data!.versions.map((each) => ({ ...each, text: each.value && textOf(each.value) }))}
          empty={t`Removed`}
          putBack={putBack}
        />
      )}
    </div>
  )
}

function Editor<Value extends NamedValue>({
  kind,
  id,
  newest,
  warnings,
  onSaved,
  readAgain,
}: EditorProps<Value> & {
  readonly id: string
  readonly newest: { readonly version: number; readonly value: Value }
  readonly warnings: readonly string[] | undefined
  readAgain(): Promise<void>
}): ReactNode {
  const { name, words, empty, textOf, layersOf } = kind
  const draft = useDraft(`${name}/${id}`, newest)
  const { error: refusal, act } = useAction()
  const [, navigate] = useLocation()
  const save = async (value: Value, after: number): Promise<Saved> => {
    try {
      const body = { ...changesOf(value, empty, newest.value), after }
      const made = await api<KeptRecord<Value>>(recordPath(name, id), { method: 'PATCH', body })
      return { version: made.version, done: () => onSaved({ id, warnings: made.warnings ?? [] }) }
    } finally {
      await readAgain()
    }
  }
  const undo = async (): Promise<void> => {
    await api(recordPath(name, id, '/restore'), { method: 'POST', body: { version: newest.version } })
    await readAgain()
  }
  const remove = (): Promise<void> =>
    act(async () => {
      await api(recordPath(name, id), { method: 'DELETE' })
      await readAgain()
      navigate(`/settings/${name}s`)
      const run = (): void => void undo().catch((failure: Error) => showToast({ text: failure.message }))
      showToast({ text: t`${newest.value.name} is removed.`, action: { label: t`Undo`, run }, ms: 10_000 })
    })
  return (
    <>
      <h2 className="text-lg font-semibold" dir="auto">
        {newest.value.name}
      </h2>
      <VersionForm
        label={words.named(newest.value.name)}
        newest={newest}
        draft={draft}
        textOf={textOf}
        save={save}
        warnings={warnings}
      >
        <RecordFields kind={kind} value={draft.value} set={draft.set} />
      </VersionForm>
      {layersOf && (
        <section aria-label={t`What the model reads`} className="flex flex-col gap-1">
          {Object.entries(layersOf(newest.value)).map(([title, layer]) => (
            <SentLayer key={title} title={title} layer={layer} body={{ [name]: id }} version={newest.version} />
          ))}
        </section>
      )}
      {words.files && <RecordFiles name={name} words={words.files} id={id} />}
      {refusal && <ErrorNote error={refusal} />}
      <div>
        <Button look="danger" onClick={() => void remove()}>
          {words.remove}
        </Button>
      </div>
    </>
  )
}

function BackLink({ name, words }: { readonly name: string; readonly words: RecordWords }): ReactNode {
  return (
    <Link href={`/settings/${name}s`} className="text-sm text-accent underline">
      {words.all}
    </Link>
  )
}

function RecordFields<Value extends NamedValue>({
  kind: { Fields, nameHint },
  value,
  set,
}: FieldsProps<Value> & { readonly kind: RecordsKind<Value> }): ReactNode {
  const isOwner = useMay('admin')
  return (
    <>
      <TextField
        label={t`Name`}
        required
        maxLength={100}
        hint={nameHint}
        value={value.name}
        onChange={({ target }) => set({ ...value, name: target.value })}
      />
      <Fields value={value} set={set} />
      {isOwner && <SharedWith value={value.sharedWith} set={(sharedWith) => set({ ...value, sharedWith })} />}
    </>
  )
}
