import type { ReactNode } from 'react'
import { type ChoiceList, type ListedSession, type ModelList, type OptionList, useResource } from '../api/resources.ts'
import { SessionCost } from './session-cost.tsx'
import type { SessionChoices } from './use-session-choices.ts'
import { SlidersHorizontal } from 'lucide-react'
import type { GrantedTool } from '../../../src/capability.ts'
import { api } from '../api/client.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Select } from '../parts/fields.tsx'
import { Popover } from '../parts/popover.tsx'
import { useAction } from '../parts/use-action.ts'

interface ChatHeaderProps {
  readonly session: string | undefined
  readonly choices: SessionChoices
  /** Turns that are over. */
  readonly turns: number
}

export function ChatHeader({ session, choices, turns }: ChatHeaderProps): ReactNode {
  const { data } = useResource<ListedSession>(
    session === undefined ? undefined : `/api/sessions/${encodeURIComponent(session)}`,
  )
  return (
    <header className="flex items-center gap-2 border-b border-line px-4 py-2">
      <h1 className="min-w-0 flex-1 truncate font-semibold">
        <bdi>{session === undefined ? 'New conversation' : (data?.title ?? data?.opening ?? 'Untitled')}</bdi>
      </h1>
      {session !== undefined && <SessionCost key={session} session={session} turns={turns} />}
      <SessionOptions session={session} choices={choices} />
    </header>
  )
}

interface SessionOptionsProps {
  /** Absent before the first message. */
  readonly session: string | undefined
  readonly choices: SessionChoices
}

/**
 * Model, agent, project and whatever else a session can choose: what is chosen now, and a window to change it, with the tools
 * that are approved for the session.
 */
function SessionOptions({ session, choices }: SessionOptionsProps): ReactNode {
  const { data: offered } = useResource<ChoiceList>('/api/choices', { revalidateOnFocus: false })
  const { data: models } = useResource<ModelList>('/api/models', { revalidateOnFocus: false })
  const names = offered?.choices ?? []
  const usual = models?.models.find(({ current }) => current)?.id
  const { chosen, error } = choices
  return (
    <Popover
      label="Model and choices of this session"
      trigger={
        <button
          type="button"
          className="inline-flex max-w-[60%] items-center gap-2 rounded-lg border border-line px-2 py-1 text-xs text-soft hover:border-strong-line hover:text-ink"
        >
          <SlidersHorizontal size={14} className="shrink-0" aria-hidden />
          <span className="truncate">
            <span className="sr-only">Choices of this session: </span>
            {chosen['model'] ?? usual ?? 'Model'}
            {names.map(({ name }) =>
              chosen[name] === undefined ? null : <ChosenName key={name} choice={name} id={chosen[name]} />,
            )}
          </span>
        </button>
      }
    >
      <div className="flex flex-col gap-3">
        {error && <ErrorNote error={error} />}
        <Select
          label="Model"
          value={chosen['model'] ?? ''}
          options={[
            { value: '', title: usual === undefined ? 'The configured model' : `The configured model (${usual})` },
            ...(models?.models ?? []).map(({ id, ready }) => ({ value: id, title: ready ? id : `${id} (not ready)` })),
          ]}
          onChange={(event) => void choices.choose('model', event.target.value)}
        />
        {names.map(({ several = false, ...choice }) => {
          const Choice = several ? ChoiceBoxes : ChoiceSelect
          return <Choice key={choice.name} {...choice} choices={choices} />
        })}
        <p className="text-xs text-soft">A change takes effect with the next message.</p>
        {session !== undefined && <GrantedTools path={`/api/sessions/${encodeURIComponent(session)}/approvals`} />}
      </div>
    </Popover>
  )
}

/** Tools that are approved for the session, read anew whenever the window opens. */
function GrantedTools({ path }: { readonly path: string }): ReactNode {
  const { data, error, mutate } = useResource<{ readonly granted: readonly GrantedTool[] }>(path, {
    dedupingInterval: 0,
  })
  const { busy, error: refusal, act } = useAction()
  const failure = refusal ?? error
  return (
    <>
      {failure && <ErrorNote error={failure} />}
      {data !== undefined && data.granted.length > 0 && (
        <div className="flex flex-col gap-1">
          <p className="font-medium">Approved for this session</p>
          <p className="text-xs text-soft">Not asked about because of what was read.</p>
          <ul aria-label="Tools approved for this session" className="flex flex-col gap-1">
            {data.granted.map(({ tool }) => (
              <li key={tool} className="flex items-center gap-2">
                <span className="min-w-0 flex-1 font-mono wrap-anywhere">{tool}</span>
                <Button
                  look="plain"
                  disabled={busy}
                  aria-label={`Take back ${tool}`}
                  onClick={({ currentTarget }) => {
                    // The button goes with its line.
                    currentTarget.closest<HTMLElement>('[popover]')?.focus()
                    void act(() => api(`${path}/${encodeURIComponent(tool)}`, { method: 'DELETE' })).then(() =>
                      mutate(),
                    )
                  }}
                >
                  Take back
                </Button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}

function useOptions(choice: string): OptionList['options'] {
  return useResource<OptionList>(`/api/choices/${encodeURIComponent(choice)}`).data?.options
}

function ChosenName({ choice, id }: { readonly choice: string; readonly id: string }): ReactNode {
  const found = useOptions(choice)?.find((option) => option.id === id)
  return ` · ${found?.name ?? id.replaceAll(',', ', ')}`
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
      label={capitalised(name)}
      value={value}
      options={[
        { value: '', title: capitalised(none) },
        ...options.map(({ id, name: title = id }) => ({ value: id, title })),
        ...(isListed ? [] : [{ value, title: `${value} (no longer there)` }]),
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
    .map((id) => ({ id, name: `${id} (no longer there)` }))
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="text-sm font-medium">{capitalised(name)}</legend>
      <p className="text-xs text-soft">{ids.length === 0 ? `${capitalised(none)}.` : 'Only these.'}</p>
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

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
