import { type ReactNode, useId, useState } from 'react'
import { type FieldsProps, fieldsText, type RecordsKind, TokenHint } from './records-kind.ts'
import { RecordsPage } from './records-page.tsx'
import { type ModelList, type OptionList, useResource } from '../api/resources.ts'
import { Select, TextArea, TextField } from '../parts/fields.tsx'
import { X } from 'lucide-react'
import { Button } from '../parts/button.tsx'

const agents: RecordsKind<Agent> = {
  name: 'agent',
  one: 'an agent',
  about: 'An agent has a prompt of its own, and the tools, the skills, the model and the layout that go with it.',
  empty: { name: '', prompt: '', mode: 'append' },
  describe: ({ mode, model, tools, skills }) =>
    [
      mode === 'replace' ? 'in place of the system prompt' : 'beside the system prompt',
      ...(model === undefined ? [] : [model]),
      ...(tools === undefined ? [] : [tools.length === 1 ? '1 tool' : `${tools.length} tools`]),
      ...(skills === undefined ? [] : [skills.length === 1 ? '1 skill' : `${skills.length} skills`]),
    ].join(' · '),
  textOf: ({ name, mode, model, layout, tools, skills, prompt, reminder }) =>
    fieldsText({ name, mode, model, layout, tools: namesText(tools), skills: namesText(skills) }, { prompt, reminder }),
  layersOf: ({ mode, reminder }) => ({
    Prompt: mode === 'replace' ? 'system-prompt' : 'custom-agent',
    ...(reminder === undefined ? {} : { Reminder: 'agent-reminder' }),
  }),
  Fields: AgentFields,
}

function namesText(names: readonly string[] | undefined): string | undefined {
  return names && (names.length === 0 ? 'none' : names.join(', '))
}

export default function AgentsPage(): ReactNode {
  return <RecordsPage kind={agents} />
}

interface Agent {
  readonly name: string
  readonly prompt: string
  readonly mode: 'append' | 'replace'
  readonly reminder?: string | undefined
  /** Absent: all that are allowed. */
  readonly tools?: readonly string[] | undefined
  /** Absent: all. */
  readonly skills?: readonly string[] | undefined
  readonly model?: string | undefined
  readonly layout?: string | undefined
}

function AgentFields({ value, set }: FieldsProps<Agent>): ReactNode {
  const { data: models } = useResource<ModelList>('/api/models')
  const { data: layouts } = useResource<OptionList>('/api/choices/layout')
  const { data: tools } = useResource<{ readonly tools: readonly { readonly name: string }[] }>('/api/tools')
  const { data: skills } = useResource<OptionList>('/api/choices/skills')
  const modelNames = useId()
  const change = (fields: Partial<Agent>): void => set({ ...value, ...fields })
  const names = [...new Set([...(layouts?.options ?? []).map(({ id }) => id), ...(value.layout ? [value.layout] : [])])]
  return (
    <>
      <TextArea
        label="Prompt"
        hint={<TokenHint text={value.prompt}>What the agent is, in its own words.</TokenHint>}
        value={value.prompt}
        onChange={({ target }) => change({ prompt: target.value })}
      />
      <Select
        label="Where the prompt stands"
        value={value.mode}
        options={[
          { value: 'append', title: 'Beside the system prompt' },
          { value: 'replace', title: 'In place of the system prompt' },
        ]}
        hint={
          value.mode === 'replace' && value.prompt.trim() === ''
            ? 'The prompt is blank, so no system prompt is sent at all.'
            : undefined
        }
        onChange={({ target }) => change({ mode: target.value as Agent['mode'] })}
      />
      <TextArea
        label="Reminder"
        hint={<TokenHint text={value.reminder ?? ''}>Repeated at the very end of every request.</TokenHint>}
        value={value.reminder ?? ''}
        onChange={({ target }) => change({ reminder: orAbsent(target.value) })}
      />
      <AgentNames
        one="tool"
        words={{
          all: 'All that are allowed',
          some: 'Of the allowed ones only these',
          none: 'None: it works without tools.',
        }}
        known={(tools?.tools ?? []).map(({ name }) => name)}
        names={value.tools}
        set={(chosen) => change({ tools: chosen })}
      />
      <AgentNames
        one="skill"
        words={{ all: 'All skills', some: 'Only these skills', none: 'None: it works without skills.' }}
        known={(skills?.options ?? []).filter(({ id }) => id !== 'off').map(({ id }) => id)}
        names={value.skills}
        set={(chosen) => change({ skills: chosen })}
      />
      <TextField
        label="Model"
        list={modelNames}
        placeholder="As the session or the configuration says"
        hint="The model that answers for it, such as ollama/llama3.2, unless the session chooses one."
        value={value.model ?? ''}
        onChange={({ target }) => change({ model: orAbsent(target.value.trim()) })}
      />
      <datalist id={modelNames}>
        {models?.models.map(({ id }) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      <Select
        label="Layout"
        value={value.layout ?? ''}
        options={[{ value: '', title: 'As configured' }, ...names.map((id) => ({ value: id, title: id }))]}
        onChange={({ target }) => change({ layout: orAbsent(target.value) })}
      />
    </>
  )
}

function orAbsent(text: string): string | undefined {
  return text === '' ? undefined : text
}

interface AgentNamesProps {
  /** `tool` */
  readonly one: string
  readonly words: { readonly all: string; readonly some: string; readonly none: string }
  /** What can be named. */
  readonly known: readonly string[]
  /** Absent: all. */
  readonly names: readonly string[] | undefined
  set(names: readonly string[] | undefined): void
}

/** Which tools or skills an agent may use: all, or some of them. */
function AgentNames({ one, words, known, names, set }: AgentNamesProps): ReactNode {
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
      <legend className="mb-1 font-medium">{`${one.charAt(0).toUpperCase()}${one.slice(1)}s`}</legend>
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
          <ul
            aria-label={`${one.charAt(0).toUpperCase()}${one.slice(1)}s of the agent`}
            className="flex flex-wrap gap-2"
          >
            {names.map((name) => (
              <li
                key={name}
                className="inline-flex items-center gap-1 rounded-lg border border-line bg-raised ps-2 font-mono text-xs"
              >
                {name}
                <button
                  type="button"
                  aria-label={`Remove ${name}`}
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
                label={`Another ${one}`}
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
