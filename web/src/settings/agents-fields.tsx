import { type ReactNode, useId } from 'react'
import { type ModelList, type OptionList, useResource } from '../api/resources.ts'
import { Select, TextArea, TextField } from '../parts/fields.tsx'
import { AgentNames } from './agents-names.tsx'
import type { FieldsProps } from './records-kind.ts'
import { TokenHint } from './records-tokens.tsx'

export interface Agent {
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

export function AgentFields({ value, set }: FieldsProps<Agent>): ReactNode {
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
