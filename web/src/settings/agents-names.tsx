import { X } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/fields.tsx'
import { t } from '../language/language.ts'

interface AgentNamesProps {
  readonly words: Readonly<Record<'title' | 'chosen' | 'another' | 'all' | 'some' | 'none', string>>
  /** What can be named. */
  readonly known: readonly string[]
  /** Absent: all. */
  readonly names: string[] | undefined
  set(names: string[] | undefined): void
}

/** Which tools or skills an agent may use: all, or some of them. */
export function AgentNames({ words, known, names, set }: AgentNamesProps): ReactNode {
  const [typed, setTyped] = useState('')
  const group = useId()
  // What was typed counts as soon as the field is left: nobody should lose a name by forgetting the button.
  const add = (): void => {
    if (typed.trim() === '') return
    const added = typed.split(/[\s,]+/).filter((name) => name !== '')
    set([...new Set([...(names ?? []), ...added])])
    setTyped('')
  }
  return (
    <fieldset className="flex flex-col gap-2 text-sm">
      <legend className="mb-1 font-medium">{words.title}</legend>
      <label className="flex items-center gap-2">
        <input
          type="radio"
          name={group}
          className="accent-accent"
          checked={names === undefined}
          onChange={() => set(undefined)}
        />
        {words.all}
      </label>
      <label className="flex items-center gap-2">
        <input
          type="radio"
          name={group}
          className="accent-accent"
          checked={names !== undefined}
          onChange={() => set(names ?? [])}
        />
        {words.some}
      </label>
      {names !== undefined && (
        <div className="flex flex-col gap-2 ps-6">
          {names.length === 0 && <p className="text-soft">{words.none}</p>}
          <ul aria-label={words.chosen} className="flex flex-wrap gap-2">
            {names.map((name) => (
              <li
                key={name}
                className="inline-flex items-center gap-1 rounded-lg border border-line bg-raised ps-2 font-mono text-xs"
              >
                {name}
                <button
                  type="button"
                  aria-label={t`Remove ${name}`}
                  className="rounded-lg p-1.5 text-soft hover:text-ink"
                  onClick={() => set(names.filter((each) => each !== name))}
                >
                  <X size={14} aria-hidden />
                </button>
              </li>
            ))}
          </ul>
          <div className="flex items-end gap-2">
            <div className="min-w-0 flex-1">
              <TextField
                label={words.another}
                list={`${group}-known`}
                placeholder={t`A name, or the beginning of names and *`}
                value={typed}
                onChange={({ target }) => setTyped(target.value)}
                onBlur={add}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter') return
                  event.preventDefault()
                  add()
                }}
              />
            </div>
            <Button look="plain" disabled={typed.trim() === ''} onClick={add}>
              {t`Add`}
            </Button>
          </div>
          <datalist id={`${group}-known`}>
            {known
              .filter((name) => !names.includes(name))
              .map((name) => (
                <option key={name} value={name} />
              ))}
          </datalist>
        </div>
      )}
    </fieldset>
  )
}
