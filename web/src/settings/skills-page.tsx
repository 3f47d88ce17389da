import { type ReactNode, useState } from 'react'
import { useMay } from '../api/caller.ts'
import { api, type ApiError } from '../api/client.ts'
import { type ModelList, type OptionList, useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/empty.tsx'
import { WarningList, ErrorNote } from '../parts/error-note.tsx'
import { Select, TextField } from '../parts/fields.tsx'
import { type CountedPrompt, providerTokens, TokensExplained } from '../parts/provider-tokens.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { useAction } from '../parts/use-action.ts'
import { useLate } from '../parts/use-now.ts'
import type { SkillList, SkillReach } from '../../../src/capabilities/skills/http/skill-answers.ts'
import { UnloadedSkills, LoadedSkills } from './skills-list.tsx'
import useSWR, { type SWRResponse } from 'swr'
import { t, translated } from '../language/language.ts'
import { Words } from '../parts/words.tsx'
import { rich } from '../language/rich.ts'

/** Skills: what loads and what it costs, what does not and why, and what reaches a model or an agent. */
export default function SkillsPage(): ReactNode {
  const [filter, setFilter] = useState('')
  const isOwner = useMay('admin')
  const words = useLate(filter.trim(), 200)
  const { data, error, mutate } = useResource<SkillList>(
    `/api/skills${words === '' ? '' : `?q=${encodeURIComponent(words)}`}`,
    { keepPreviousData: true },
  )
  const [wanted, setWanted] = useState({ model: '', agent: '' })
  const reach = useReach(wanted, data?.read)
  return (
    <div className="flex flex-col gap-6">
      <p className="text-soft">{t`A skill is a folder with instructions that a model reads when they are of use.`}</p>
      <SkillsReach wanted={wanted} onChange={setWanted} reach={reach} />
      {error && <ErrorNote error={error} />}
      {data === undefined && !error && <Spinner />}
      {data !== undefined && (
        <>
          <Summary list={data} prompt={reach.data?.prompt} readAgain={() => Promise.all([mutate(), reach.mutate()])} />
          {(data.total > 10 || filter !== '') && (
            <TextField
              label={t`Filter`}
              type="search"
              placeholder={t`Words of the name or the description`}
              value={filter}
              onChange={({ target }) => setFilter(target.value)}
            />
          )}
          <LoadedSkills skills={data.skills} filtered={words !== ''} total={data.total} reach={reach.data} />
          {isOwner && <UnloadedSkills left={data.left} />}
          {isOwner && <WarningList warnings={data.warnings} />}
        </>
      )}
    </div>
  )
}

function Summary({
  list: { total, read, changed, tokens, why, directory },
  prompt,
  readAgain,
}: {
  readonly list: SkillList
  readonly prompt: CountedPrompt | undefined
  readAgain(): Promise<unknown>
}): ReactNode {
  const isOwner = useMay('admin')
  const { busy, error, act } = useAction()
  const all = total === 1 ? t`One skill loads` : t`${total} skills load`
  return (
    <section aria-label={t`Skills in the folders`} className="flex flex-col gap-2 text-sm">
      {total === 0 ? (
        <Empty>
          {!isOwner
            ? t`No skill loads. The owner of this gateway can add some.`
            : rich`No skill loads. Create one in ${<span className="wrap-anywhere">{directory}</span>} with ${<code>foreword skills new NAME</code>}, then read the folders again.`}
        </Empty>
      ) : (
        <>
          <p>{t`${all}: ${providerTokens(tokens.full, prompt)} tokens in full, ${providerTokens(tokens.list, prompt)} as a list.`}</p>
          <TokensExplained prompt={prompt} />
          <p className="text-soft">{t`The forms they may be sent in: ${translated(why)}.`}</p>
        </>
      )}
      {isOwner && read !== total && (
        <p className="text-warn">{t`The gateway has read ${read} skills, and ${total} would load now. Read them again.`}</p>
      )}
      {isOwner && read === total && changed.length > 0 && (
        <p className="text-warn">
          {t`Changed after the gateway has read them: ${changed.join(', ')}. Read them again.`}
        </p>
      )}
      {error && <ErrorNote error={error} />}
      {isOwner && (
        <div>
          <Button
            look="plain"
            disabled={busy}
            onClick={() => void act(() => api('/api/reload', { method: 'POST' }).then(readAgain))}
          >
            {t`Read the folders again`}
          </Button>
        </div>
      )}
    </section>
  )
}

/** Empty: the configured model, and the default agent. */
interface WantedReach {
  readonly model: string
  readonly agent: string
}

/** What the next call of that model or agent would be sent about skills. `read`: how many the gateway has read. */
function useReach({ model, agent }: WantedReach, read: number | undefined): SWRResponse<SkillReach, ApiError> {
  return useSWR<SkillReach, ApiError>(read === undefined ? null : ['skills reach', model, agent, read], () =>
    api('/api/skills/reach', {
      method: 'POST',
      body: { ...(model !== '' && { model }), ...(agent !== '' && { choices: { agent } }) },
    }),
  )
}

/** Which skills reach a model or an agent now, in which form, and why. */
function SkillsReach({
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
    <section aria-label={t`What reaches the model`} className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label={t`Model`}
          value={wanted.model}
          options={[{ value: '', title: t`As configured` }, ...ready.map(({ id }) => ({ value: id, title: id }))]}
          onChange={({ target }) => onChange({ ...wanted, model: target.value })}
        />
        <Select
          label={t`Agent`}
          value={wanted.agent}
          options={[
            { value: '', title: t`The default agent` },
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
          <p>
            <Words>{data.text}</Words>
          </p>
          {data.but !== undefined && (
            <p className="text-warn">
              <Words>{data.hint ?? ''}</Words>
            </p>
          )}
        </div>
      )}
    </section>
  )
}
