import { type FormEvent, type ReactNode, useState } from 'react'
import { useMay } from '../api/caller.ts'
import { api } from '../api/client.ts'
import { type SessionPage, useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Select, TextArea, TextField } from '../parts/fields.tsx'
import { Fold } from '../parts/fold.tsx'
import { useAction } from '../parts/use-action.ts'
import { type ListedSchedule, missedRules, SCHEDULES } from './schedules-kind.ts'
import { t } from '../language/language.ts'

interface Fields {
  readonly name: string
  readonly when: string
  readonly text: string
  readonly target: string
  readonly most: string
  readonly unit: string
  readonly missed: string
  readonly ifChanged: string
}

const nothing: Fields = {
  name: '',
  when: '',
  text: '',
  target: '',
  most: '',
  unit: 'usd',
  missed: 'once',
  ifChanged: '',
}

export function NewSchedule({ onAdded }: { onAdded(): void }): ReactNode {
  const [added, setAdded] = useState(0)
  const add = async (fields: Fields): Promise<void> => {
    const { name: _, ...body } = bodyOf(fields)
    const given = Object.entries(body).filter(([, value]) => value !== null)
    await api(SCHEDULES, { method: 'POST', body: Object.fromEntries(given) })
    setAdded((count) => count + 1)
    onAdded()
  }
  return (
    <Fold summaryClassName="font-medium" summary={t`New schedule`}>
      <ScheduleForm key={added} label={t`New schedule`} start={nothing} onSubmit={add}>
        {t`Add the schedule`}
      </ScheduleForm>
    </Fold>
  )
}

interface EditProps {
  readonly schedule: ListedSchedule
  /** After it was changed, or left as it is. */
  onEnd(): void
}

/** A form for a schedule that there is. Only what was edited is sent, so that it takes nothing from another window. */
export function EditSchedule({ schedule, onEnd }: EditProps): ReactNode {
  const [start] = useState(() => fieldsOf(schedule))
  const change = async (fields: Fields): Promise<void> => {
    const before = new Map(Object.entries(bodyOf(start)))
    const edited = Object.entries(bodyOf(fields)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before.get(name)),
    )
    if (edited.length > 0) {
      const path = `${SCHEDULES}/${encodeURIComponent(schedule.id)}`
      await api(path, { method: 'PATCH', body: Object.fromEntries(edited) })
    }
    onEnd()
  }
  return (
    <ScheduleForm label={t`Edit ${schedule.name}`} start={start} onSubmit={change} onCancel={onEnd}>
      {t`Save the schedule`}
    </ScheduleForm>
  )
}

interface FormProps {
  readonly label: string
  readonly start: Fields
  readonly children: string
  onSubmit(fields: Fields): Promise<void>
  onCancel?(): void
}

function ScheduleForm({ label, start, children, onSubmit, onCancel }: FormProps): ReactNode {
  const isOwner = useMay('admin')
  const [fields, setFields] = useState(start)
  const { busy, error, act } = useAction()
  const bind = (name: keyof Fields) => ({
    value: fields[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      setFields((before) => ({ ...before, [name]: target.value })),
  })
  const submit = (event: FormEvent): Promise<void> => {
    event.preventDefault()
    return act(() => onSubmit(fields))
  }
  return (
    <form aria-label={label} className="mt-3 flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
      {start.name !== '' && <TextField label={t`Name`} required maxLength={100} {...bind('name')} />}
      <TextField
        label={t`When`}
        required
        maxLength={200}
        placeholder={t`every weekday at 8`}
        hint={t`Such as: every day at 8:30 · every 15 minutes · on the first of the month at 9 · at 2026-12-01 09:00 · 30 8 * * 1-5`}
        {...bind('when')}
      />
      <TextArea label={t`Message`} required {...bind('text')} />
      <Select label={t`Where`} options={useTargets(start.target)} {...bind('target')} />
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <TextField
          label={t`Budget of a run`}
          required
          inputMode="decimal"
          pattern="\d+(\.\d+)?"
          placeholder="0.50"
          hint={isOwner ? t`A call that could pass it waits for you.` : t`A call that could pass it is refused.`}
          {...bind('most')}
        />
        <Select
          label={t`In`}
          options={[
            { value: 'usd', title: t`US dollars` },
            { value: 'tokens', title: t`Tokens` },
          ]}
          {...bind('unit')}
        />
      </div>
      <Select label={t`Times without a gateway`} options={missedRules} {...bind('missed')} />
      {isOwner && (
        <TextField
          label={t`Only if this has changed`}
          maxLength={4_000}
          placeholder="url:https://example.org/news"
          hint={t`Blank: always. Otherwise file:PATH, url:ADDRESS or program:COMMAND.`}
          {...bind('ifChanged')}
        />
      )}
      {error && <ErrorNote error={error} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" disabled={busy}>
          {children}
        </Button>
        {onCancel && (
          <Button look="plain" disabled={busy} onClick={onCancel}>
            {t`Cancel`}
          </Button>
        )}
      </div>
    </form>
  )
}

/** New sessions, with each agent, and the newest sessions; the chosen one, too, where it is none of these. */
function useTargets(chosen: string): readonly { readonly value: string; readonly title: string }[] {
  const { data: agents } = useResource<AgentPage>('/api/agents')
  const { data: sessions } = useResource<SessionPage>('/api/sessions?limit=50')
  const found = [
    { value: '', title: t`A new session each time` },
    ...(agents?.agents ?? []).map(({ id, value }) => ({
      value: `agent ${id}`,
      title: t`A new session each time, with ${value.name}`,
    })),
    ...(sessions?.sessions ?? []).map(({ id, title }) => ({
      value: `session ${id}`,
      title: t`Session: ${title ?? id}`,
    })),
  ]
  const [kind, id = ''] = chosen.split(' ')
  if (found.some(({ value }) => value === chosen)) return found
  return [
    ...found,
    { value: chosen, title: kind === 'agent' ? t`A new session each time, with ${id}` : t`Session: ${id}` },
  ]
}

interface AgentPage {
  readonly agents: readonly { readonly id: string; readonly value: { readonly name: string } }[]
}

function fieldsOf({ name, when, text, session, agent, budget, missed, ifChanged = '' }: ListedSchedule): Fields {
  const target = session === undefined ? (agent === undefined ? '' : `agent ${agent}`) : `session ${session}`
  const [unit, most] = 'usd' in budget ? ['usd', budget.usd] : ['tokens', budget.tokens]
  return { name, when, text, target, most: String(most), unit, missed, ifChanged }
}

/** The fields of a schedule; `null`: it has none. */
function bodyOf({ name, when, text, target, most, unit, missed, ifChanged }: Fields) {
  const [kind, id] = target.split(' ')
  return {
    name,
    when,
    text,
    budget: { [unit]: Number(most) },
    missed,
    session: kind === 'session' ? id : null,
    agent: kind === 'agent' ? id : null,
    ifChanged: ifChanged.trim() === '' ? null : ifChanged.trim(),
  }
}
