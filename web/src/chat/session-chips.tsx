import { ChevronDown, SlidersHorizontal, X } from 'lucide-react'
import { type ComponentProps, type ReactNode } from 'react'
import { type ChoiceList, type ModelList, type OptionList, useResource } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Select } from '../parts/fields.tsx'
import { IconButton } from '../parts/button.tsx'
import { late } from '../parts/late.tsx'
import { modelName } from '../parts/model-name.ts'
import { Popover } from '../parts/popover.tsx'
import { GrantedTools } from './granted-tools.tsx'
import type { HeldDraft } from './use-draft.ts'
import type { SessionChoices } from './use-session-choices.ts'
import { t } from '../language/language.ts'

const ModelPicker = late(() => import('./model-picker.tsx'))

interface SessionChipsProps {
  /** Absent before the first message. */
  readonly session: string | undefined
  readonly choices: SessionChoices
  /** It names the second model of the next message. */
  readonly held: HeldDraft
}

/**
 * In the message field: the model with the list to choose another, and agent, project and whatever else a session can choose
 * with a window to change it and the tools that are approved for the session.
 */
export function SessionChips({ session, choices, held }: SessionChipsProps): ReactNode {
  const { beside } = held.draft
  const ask = (other: string | undefined): void => held.change({ beside: other })
  const { data: offered } = useResource<ChoiceList>('/api/choices', { revalidateOnFocus: false })
  const { data: models } = useResource<ModelList>('/api/models', { revalidateOnFocus: false })
  const names = offered?.choices ?? []
  const usual = models?.models.find(({ current }) => current)?.id
  const { chosen, error } = choices
  const model = chosen['model'] ?? usual
  const others = names.filter(({ name }) => chosen[name] !== undefined)
  return (
    <>
      <Popover
        label={t`Model`}
        wide
        trigger={
          <Chip name={`${t`Model`}: `} title={model}>
            {modelName(model ?? t`Model`, models?.models).name}
          </Chip>
        }
      >
        <ModelPicker
          chosen={chosen['model']}
          usual={usual}
          beside={beside}
          onChoose={(next) => choices.choose('model', next)}
          onBeside={ask}
        />
        {error && <ErrorNote error={error} />}
      </Popover>
      {beside !== undefined && (
        <button
          type="button"
          data-beside
          className="inline-flex h-8 min-w-0 items-center gap-1 rounded-full border border-accent px-2.5 text-xs hover:border-strong-line max-sm:order-last"
          onClick={() => ask(undefined)}
        >
          <span className="truncate">
            <span aria-hidden>{'+ '}</span>
            <span className="sr-only">{t`Do not ask`} </span>
            {modelName(beside, models?.models).name}
          </span>
          <X size={13} className="shrink-0" aria-hidden />
        </button>
      )}
      <Popover
        label={t`Choices of this session`}
        trigger={
          others.length === 0 ? (
            <IconButton label={t`Choices of this session`} className="rounded-full">
              <SlidersHorizontal size={15} aria-hidden />
            </IconButton>
          ) : (
            <Chip name={`${t`Choices of this session`}: `}>
              {others.map(({ name }, index) => (
                <ChosenName key={name} choice={name} id={chosen[name]!} first={index === 0} />
              ))}
            </Chip>
          )
        }
      >
        <div className="flex flex-col gap-3">
          {error && <ErrorNote error={error} />}
          {names.map(({ several = false, ...choice }) => {
            const Choice = several ? ChoiceBoxes : ChoiceSelect
            return <Choice key={choice.name} {...choice} choices={choices} />
          })}
          <p className="text-xs text-soft">{t`A change takes effect with the next message.`}</p>
          {session !== undefined && <GrantedTools path={`/api/sessions/${encodeURIComponent(session)}/approvals`} />}
        </div>
      </Popover>
    </>
  )
}

/** A button of the message field that opens a window. `name` is what it chooses, for screen readers. */
function Chip({ name, children, ...rest }: ComponentProps<'button'> & { readonly name: string }): ReactNode {
  return (
    <button
      type="button"
      className="inline-flex h-8 min-w-0 items-center gap-1 rounded-full border border-line px-2.5 text-xs text-soft hover:border-strong-line hover:text-ink"
      {...rest}
    >
      <span className="truncate">
        <span className="sr-only">{name}</span>
        {children}
      </span>
      <ChevronDown size={13} className="shrink-0" aria-hidden />
    </button>
  )
}

function useOptions(choice: string): OptionList['options'] {
  return useResource<OptionList>(`/api/choices/${encodeURIComponent(choice)}`).data?.options
}

interface ChosenNameProps {
  readonly choice: string
  readonly id: string
  readonly first: boolean
}

/** The name of a chosen option. */
export function ChosenName({ choice, id, first }: ChosenNameProps): ReactNode {
  const found = useOptions(choice)?.find((option) => option.id === id)
  return `${first ? '' : ' · '}${found?.name ?? id.replaceAll(',', ', ')}`
}

interface ChoiceSelectProps {
  readonly name: string
  readonly none: string
  readonly choices: SessionChoices
}

function ChoiceSelect({ name, none, choices: { chosen, choose } }: ChoiceSelectProps): ReactNode {
  const options = useOptions(name) ?? []
  const value = chosen[name] ?? ''
  const isListed = value === '' || options.some(({ id }) => id === value)
  return (
    <Select
      label={choiceTitle(name)}
      value={value}
      options={[
        { value: '', title: noneTitle(name, none) },
        ...options.map(({ id, name: title = id }) => ({ value: id, title })),
        ...(isListed ? [] : [{ value, title: t`${value} (no longer there)` }]),
      ]}
      onChange={(event) => void choose(name, event.target.value)}
    />
  )
}

/** A choice of several options: none of them means what `none` says. */
function ChoiceBoxes({ name, none, choices: { chosen, choose } }: ChoiceSelectProps): ReactNode {
  const options = useOptions(name) ?? []
  const ids = chosen[name]?.split(',') ?? []
  // `off` alone says nothing where there is nothing to switch off.
  if (ids.length === 0 && options.every(({ id }) => id === 'off')) return null
  const gone = ids
    .filter((id) => !options.some((option) => option.id === id))
    .map((id) => ({ id, name: t`${id} (no longer there)` }))
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="text-sm font-medium">{choiceTitle(name)}</legend>
      <p className="text-xs text-soft">{ids.length === 0 ? `${noneTitle(name, none)}.` : t`Only these.`}</p>
      <div className="flex max-h-40 flex-col gap-1 overflow-y-auto text-sm">
        {[...options, ...gone].map(({ id, name: title = id }) => (
          <label key={id} className="flex items-center gap-2">
            <input
              type="checkbox"
              className="accent-accent"
              checked={ids.includes(id)}
              onChange={({ target }) =>
                void choose(name, (target.checked ? [...ids, id] : ids.filter((each) => each !== id)).join(','))
              }
            />
            {title}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

/** The choices that Foreword itself brings along, and what none of their options means; others have the words of the gateway. */
const titles: Readonly<Record<string, readonly [name: string, none: string]>> = {
  agent: [t`Agent`, t`The default agent`],
  layout: [t`Layout`, t`The usual layout`],
  project: [t`Project`, t`No project`],
  skills: [t`Skills`, t`The usual skills`],
  subject: [t`Subject`, t`No subject`],
}

export function choiceTitle(name: string): string {
  return titles[name]?.[0] ?? capitalised(name)
}

function noneTitle(name: string, none: string): string {
  return titles[name]?.[1] ?? capitalised(none)
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
