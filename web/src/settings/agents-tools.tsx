import { X } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/fields.tsx'

interface AgentToolsProps {
  /** Absent: all that are allowed. */
  readonly tools: readonly string[] | undefined
  set(tools: readonly string[] | undefined): void
}

/** Which tools an agent may use: all that the policy allows, or some of them. */
export function AgentTools({ tools, set }: AgentToolsProps): ReactNode {
  const { data } = useResource<{ readonly tools: readonly { readonly name: string }[] }>('/api/tools')
  const [typed, setTyped] = useState('')
  const group = useId()
  const known = (data?.tools ?? []).map(({ name }) => name)
  // What was typed counts as soon as the field is left: nobody should lose a tool by forgetting the button.
  const add = (): void => {
    if (typed.trim() === '') return
    const names = typed.split(/[\s,]+/).filter((name) => name !== '')
    set([...new Set([...(tools ?? []), ...names])])
    setTyped('')
  }
  return (
    <fieldset className="flex flex-col gap-2 text-sm">
      <legend className="mb-1 font-medium">Tools</legend>
      <label className="flex items-center gap-2">
        <input
          type="radio"
          name={group}
          className="accent-accent"
          checked={tools === undefined}
          onChange={() => set(undefined)}
        />
        All that are allowed
      </label>
      <label className="flex items-center gap-2">
        <input
          type="radio"
          name={group}
          className="accent-accent"
          checked={tools !== undefined}
          onChange={() => set(tools ?? [])}
        />
        Of the allowed ones only these
      </label>
      {tools !== undefined && (
        <div className="flex flex-col gap-2 ps-6">
          {tools.length === 0 && <p className="text-soft">None: it works without tools.</p>}
          <ul aria-label="Tools of the agent" className="flex flex-wrap gap-2">
            {tools.map((name) => (
              <li
                key={name}
                className="inline-flex items-center gap-1 rounded-lg border border-line bg-raised ps-2 font-mono text-xs"
              >
                {name}
                <button
                  type="button"
                  aria-label={`Remove ${name}`}
                  className="rounded-lg p-1.5 text-soft hover:text-ink"
                  onClick={() => set(tools.filter((each) => each !== name))}
                >
                  <X size={14} aria-hidden />
                </button>
              </li>
            ))}
          </ul>
          <div className="flex items-end gap-2">
            <div className="min-w-0 flex-1">
              <TextField
                label="Another tool"
                list={`${group}-known`}
                placeholder="A name, or the beginning of names and *"
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
              Add
            </Button>
          </div>
          <datalist id={`${group}-known`}>
            {known
              .filter((name) => !tools.includes(name))
              .map((name) => (
                <option key={name} value={name} />
              ))}
          </datalist>
        </div>
      )}
    </fieldset>
  )
}
