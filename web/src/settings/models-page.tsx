import { type ReactNode, useState } from 'react'
import { useMay } from '../api/caller.ts'
import { type ModelList, type SetupOptions, useResource } from '../api/resources.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { ModelBadges } from '../parts/model-badges.tsx'
import { modelName } from '../parts/model-name.ts'
import { Spinner } from '../parts/spinner.tsx'
import { Words } from '../parts/words.tsx'
import { ModelForms } from '../setup/model-forms.tsx'
import { useChooseModel } from '../setup/use-choose-model.ts'
import { t } from '../language/language.ts'
import { LifeBuoy } from 'lucide-react'
import { useSWRConfig } from 'swr'
import { api } from '../api/client.ts'
import { TextArea } from '../parts/fields.tsx'
import { Fold } from '../parts/fold.tsx'
import { useDraft } from './version-draft.ts'
import { VersionForm } from './version-form.tsx'

/** The models that can be used, the one that sessions use unless they choose another, and how to attach more. */
export default function ModelsPage(): ReactNode {
  const { data, error } = useResource<ModelList>('/api/models')
  const { data: setup } = useResource<SetupOptions>('/api/setup')
  const isOwner = useMay('admin')
  const { choose, busy, error: refusal } = useChooseModel()
  if (error) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner />
  // What answers comes first, and before it what is in use.
  const rank = ({ current, ready }: ModelList['models'][number]): number => (current ? 2 : ready ? 1 : 0)
  const shown = data.models.filter(({ ready, current }) => isOwner || ready || current)
  const models = shown.toSorted((one, other) => rank(other) - rank(one))
  return (
    <div className="flex flex-col gap-8">
      <p className="text-soft">
        {t`The models that can answer. A conversation uses the one in use unless it chooses another.`}
        {!isOwner && ` ${t`The owner of this gateway attaches models.`}`}
      </p>
      {refusal && <ErrorNote error={refusal} />}
      <ul className="flex flex-col divide-y divide-line">
        {models.map(({ id, window, facts, ready, why, current, fallback }) => (
          <li key={id} className="flex flex-wrap items-center gap-3 py-2">
            <div className="min-w-0 flex-1">
              <p className="font-medium wrap-anywhere" title={id}>
                {modelName(id, models).name}
              </p>
              <p className="text-sm wrap-anywhere text-soft">
                {modelName(id, models).name === id ? '' : id}
                {!ready && modelName(id, models).name !== id && ' · '}
                {!ready && <Words>{why ?? ''}</Words>}
              </p>
              {ready && <ModelBadges model={{ window, facts }} />}
            </div>
            {current ? (
              <span className="text-sm font-medium text-good">{t`In use`}</span>
            ) : (
              ready &&
              isOwner && (
                <Button look="plain" disabled={busy} onClick={() => void choose(id)}>
                  {t`Use`}
                </Button>
              )
            )}
            {isOwner && (ready || fallback !== undefined) && <ModelFallback model={id} fallback={fallback ?? []} />}
          </li>
        ))}
      </ul>
      {setup && isOwner && (
        <div className="flex flex-col gap-6">
          <h2 className="text-lg font-semibold">{t`Attach a provider`}</h2>
          <ModelForms providers={setup.providers} />
        </div>
      )}
    </div>
  )
}

interface ModelFallbackProps {
  readonly model: string
  /** Ids, in the order in which they are asked. */
  readonly fallback: readonly string[]
}

/** The models that are asked in the place of one while its provider fails; a button alone where there are none. */
function ModelFallback({ model, fallback }: ModelFallbackProps): ReactNode {
  const { mutate } = useSWRConfig()
  const [adding, setAdding] = useState(false)
  const newest = { version: 1, value: fallback.join('\n') }
  const draft = useDraft(`models/${model}`, newest)
  const save = async (text: string) => {
    const ids = text.split(/\s+/).filter((id) => id !== '')
    await api('/api/setup/fallback', { method: 'PUT', body: { model, fallback: ids } })
    await mutate('/api/models')
    return { version: 1 }
  }
  const form = (
    <VersionForm label={t`Fallback of ${model}`} newest={newest} draft={draft} textOf={(text) => text} save={save}>
      <TextArea
        label={t`Fallback of ${model}`}
        hint={t`Models that answer while its provider fails, one on a line. The first is asked first.`}
        autoFocus={adding}
        spellCheck={false}
        value={draft.value}
        onChange={({ target }) => draft.set(target.value)}
      />
    </VersionForm>
  )
  if (fallback.length === 0)
    return (
      <>
        <IconButton label={t`Add a fallback of ${model}`} aria-expanded={adding} onClick={() => setAdding(!adding)}>
          <LifeBuoy size={15} aria-hidden />
        </IconButton>
        {adding && <div className="w-full min-w-0 text-sm">{form}</div>}
      </>
    )
  return (
    <Fold
      className="w-full min-w-0 text-sm"
      summaryClassName="text-soft wrap-anywhere"
      summary={t`Fallback: ${fallback.join(', ')}`}
    >
      <div className="mt-2">{form}</div>
    </Fold>
  )
}
