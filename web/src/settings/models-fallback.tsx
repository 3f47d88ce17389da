import { LifeBuoy } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useSWRConfig } from 'swr'
import { api } from '../api/client.ts'
import { t } from '../language/language.ts'
import { TextArea } from '../parts/fields.tsx'
import { Fold } from '../parts/fold.tsx'
import { IconButton } from '../parts/icon-button.tsx'
import { useDraft } from './version-draft.ts'
import { VersionForm } from './version-form.tsx'

interface ModelFallbackProps {
  readonly model: string
  /** Ids, in the order in which they are asked. */
  readonly fallback: readonly string[]
}

/** The models that are asked in the place of one while its provider fails; a button alone where there are none. */
export function ModelFallback({ model, fallback }: ModelFallbackProps): ReactNode {
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
