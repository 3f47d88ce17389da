import { type FormEvent, type ReactNode, useState } from 'react'
import { api, type ApiError } from '../api/client.ts'
import { type SessionPage, useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Select, TextArea, TextField } from '../parts/fields.tsx'
import { Fold } from '../parts/fold.tsx'
import { missedRules, SCHEDULES } from './schedules-kind.ts'

const nothing = { when: '', text: '', target: '', most: '', unit: 'usd', missed: 'once', ifChanged: '' }

/** A form for a new schedule. */
export function ScheduleForm({ onAdded }: { onAdded(): void }): ReactNode {
  const [fields, setFields] = useState(nothing)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError>()
  const bind = (name: keyof typeof nothing) => ({
    value: fields[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      setFields((before) => ({ ...before, [name]: target.value })),
  })
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      await api(SCHEDULES, { method: 'POST', body: bodyOf(fields) })
      setFields(nothing)
      onAdded()
    } catch (failure) {
      setError(failure as ApiError)
    }
    setBusy(false)
  }
  return (
    <Fold summaryClassName="font-medium" summary="New schedule">
      <form aria-label="New schedule" className="mt-3 flex flex-col gap-4" onSubmit={(event) => void add(event)}>
        <TextField
          label="When"
          required
          maxLength={200}
          placeholder="every weekday at 8"
          hint="Such as: every day at 8:30 · every monday and friday at 18:00 · every 15 minutes · on the first of the month at 9 · at 2026-12-01 09:00 · 30 8 * * 1-5"
          {...bind('when')}
        />
        <TextArea label="Message" required {...bind('text')} />
        <Select label="Where" options={useTargets()} {...bind('target')} />
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <TextField
            label="Budget of a run"
            required
            inputMode="decimal"
            pattern="\d+(\.\d+)?"
            placeholder="0.50"
            hint="A call that could pass it waits for you."
            {...bind('most')}
          />
          <Select
            label="In"
            options={[
              { value: 'usd', title: 'US dollars' },
              { value: 'tokens', title: 'Tokens' },
            ]}
            {...bind('unit')}
          />
        </div>
        <Select label="Times without a gateway" options={missedRules} {...bind('missed')} />
        <TextField
          label="Only if this has changed"
          maxLength={4_000}
          placeholder="url:https://example.org/news"
          hint="Blank: always. Otherwise file:PATH, url:ADDRESS or program:COMMAND."
          {...bind('ifChanged')}
        />
        {error && <ErrorNote error={error} />}
        <div>
          <Button type="submit" disabled={busy}>
            Add the schedule
          </Button>
        </div>
      </form>
    </Fold>
  )
}

/** New sessions, with each agent, and the newest sessions. */
function useTargets(): readonly { readonly value: string; readonly title: string }[] {
  const { data: agents } = useResource<AgentPage>('/api/agents')
  const { data: sessions } = useResource<SessionPage>('/api/sessions?limit=50')
  return [
    { value: '', title: 'A new session each time' },
    ...(agents?.agents ?? []).map(({ id, value }) => ({
      value: `agent ${id}`,
      title: `A new session each time, with ${value.name}`,
    })),
    ...(sessions?.sessions ?? []).map(({ id, title }) => ({
      value: `session ${id}`,
      title: `Session: ${title ?? id}`,
    })),
  ]
}

interface AgentPage {
  readonly agents: readonly { readonly id: string; readonly value: { readonly name: string } }[]
}

function bodyOf({ when, text, target, most, unit, missed, ifChanged }: typeof nothing): object {
  const [kind, id] = target.split(' ')
  return {
    when,
    text,
    budget: { [unit]: Number(most) },
    missed,
    ...(target === '' ? {} : { [kind!]: id }),
    ...(ifChanged.trim() === '' ? {} : { ifChanged: ifChanged.trim() }),
  }
}
