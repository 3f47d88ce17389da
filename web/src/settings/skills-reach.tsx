import type { ReactNode } from 'react'
import useSWR, { type SWRResponse } from 'swr'
import { type ApiError, api } from '../api/client.ts'
import { type ModelList, type OptionList, useResource } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Select } from '../parts/fields.tsx'
import { Spinner } from '../parts/spinner.tsx'
import type { SkillReach } from './skills-kind.ts'

/** Empty: the configured model, and the default agent. */
export interface WantedReach {
  readonly model: string
  readonly agent: string
}

/** What the next call of that model or agent would be sent about skills. `read`: how many the gateway has read. */
export function useReach({ model, agent }: WantedReach, read: number | undefined): SWRResponse<SkillReach, ApiError> {
  return useSWR<SkillReach, ApiError>(read === undefined ? null : ['skills reach', model, agent, read], () =>
    api('/api/skills/reach', {
      method: 'POST',
      body: { ...(model !== '' && { model }), ...(agent !== '' && { choices: { agent } }) },
    }),
  )
}

/** Which skills reach a model or an agent now, in which form, and why. */
export function SkillsReach({
  wanted,
  onChange,
  reach: { data, error },
}: {
  readonly wanted: WantedReach
  onChange(wanted: WantedReach): void
  readonly reach: SWRResponse<SkillReach, ApiError>
}): ReactNode {
  const { data: models } = useResource<ModelList>('/api/models')
  const { data: agents } = useResource<OptionList>('/api/choices/agent')
  const ready = (models?.models ?? []).filter((each) => each.ready)
  return (
    <section aria-label="What reaches the model" className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label="Model"
          value={wanted.model}
          options={[{ value: '', title: 'As configured' }, ...ready.map(({ id }) => ({ value: id, title: id }))]}
          onChange={({ target }) => onChange({ ...wanted, model: target.value })}
        />
        <Select
          label="Agent"
          value={wanted.agent}
          options={[
            { value: '', title: 'The default agent' },
            ...(agents?.options ?? []).map(({ id, name }) => ({ value: id, title: name ?? id })),
          ]}
          onChange={({ target }) => onChange({ ...wanted, agent: target.value })}
        />
      </div>
      {error && <ErrorNote error={error} />}
      {data === undefined ? (
        !error && <Spinner />
      ) : (
        <div role="status" className="text-sm">
          <p>{data.text}</p>
          {data.but !== undefined && <p className="text-warn">{data.hint}</p>}
        </div>
      )}
    </section>
  )
}
