import type { AgentValue } from '../../../src/capabilities/agents/agent-record.ts'
import { type ReactNode, useId } from 'react'
import { AgentNames } from './agents-names.tsx'
import { type FieldsProps, fieldsText, type RecordsKind, TokenHint } from './records-kind.ts'
import { RecordsPage } from './records-page.tsx'
import { type ModelList, type OptionList, useResource } from '../api/resources.ts'
import { Select, TextArea, TextField } from '../parts/fields.tsx'
import { t } from '../language/language.ts'

const agents: RecordsKind<AgentValue> = {
  name: 'agent',
  words: {
    about: t`An agent has its own prompt, with the tools, skills, model and layout that go with it.`,
    list: t`agents`,
    all: t`All agents`,
    new: t`New agent`,
    create: t`Create the agent`,
    none: t`There is no agent yet.`,
    use: t`In a conversation, choose an agent beside the model.`,
    removed: t`Removed agents`,
    remove: t`Remove this agent`,
    isRemoved: t`This agent is removed. Put one of its versions back to use it again.`,
    files: {
      label: t`Files for this agent`,
      none: t`This agent has no files. The model can search those that you add.`,
    },
    named: (name) => t`The agent ${name}`,
  },
  empty: { name: '', prompt: '', mode: 'append' },
  describe: ({ mode, model, tools, skills }) =>
    [
      mode === 'replace' ? t`in place of the system prompt` : t`beside the system prompt`,
      ...(model === undefined ? [] : [model]),
      ...(tools === undefined ? [] : [tools.length === 1 ? t`1 tool` : t`${tools.length} tools`]),
      ...(skills === undefined ? [] : [skills.length === 1 ? t`1 skill` : t`${skills.length} skills`]),
    ].join(' · '),
  textOf: ({ name, mode, model, layout, tools, skills, prompt, reminder }) =>
    fieldsText(
      {
        [t`name`]: name,
        [t`mode`]: mode === 'replace' ? t`replace` : t`append`,
        [t`model`]: model,
        [t`layout`]: layout,
        [t`tools`]: namesText(tools),
        [t`skills`]: namesText(skills),
      },
      { [t`prompt`]: prompt, [t`reminder`]: reminder },
    ),
  layersOf: ({ mode, reminder }) => ({
    [t`Prompt`]: mode === 'replace' ? 'system-prompt' : 'custom-agent',
    ...(reminder === undefined ? {} : { [t`Reminder`]: 'agent-reminder' }),
  }),
  Fields: AgentFields,
}

function namesText(names: readonly string[] | undefined): string | undefined {
  return names && (names.length === 0 ? t`none` : names.join(', '))
}

export default function AgentsPage(): ReactNode {
  return <RecordsPage kind={agents} />
}

function AgentFields({ value, set }: FieldsProps<AgentValue>): ReactNode {
  const { data: models } = useResource<ModelList>('/api/models')
  const { data: layouts } = useResource<OptionList>('/api/choices/layout')
  const { data: tools } = useResource<{ readonly tools: readonly { readonly name: string }[] }>('/api/tools')
  const { data: skills } = useResource<OptionList>('/api/choices/skills')
  const modelNames = useId()
  const change = (fields: Partial<AgentValue>): void => set({ ...value, ...fields })
  const names = [...new Set([...(layouts?.options ?? []).map(({ id }) => id), ...(value.layout ? [value.layout] : [])])]
  return (
    <>
      <TextArea
        label={t`Prompt`}
        hint={<TokenHint text={value.prompt}>{t`What the agent is, in its own words.`}</TokenHint>}
        value={value.prompt}
        onChange={({ target }) => change({ prompt: target.value })}
      />
      <Select
        label={t`Where the prompt stands`}
        value={value.mode}
        options={[
          { value: 'append', title: t`Beside the system prompt` },
          { value: 'replace', title: t`In place of the system prompt` },
        ]}
        hint={
          value.mode === 'replace' && value.prompt.trim() === ''
            ? t`The prompt is blank, so no system prompt is sent at all.`
            : undefined
        }
        onChange={({ target }) => change({ mode: target.value as AgentValue['mode'] })}
      />
      <TextArea
        label={t`Reminder`}
        hint={<TokenHint text={value.reminder ?? ''}>{t`Repeated at the very end of every request.`}</TokenHint>}
        value={value.reminder ?? ''}
        onChange={({ target }) => change({ reminder: orAbsent(target.value) })}
      />
      <AgentNames
        words={{
          title: t`Tools`,
          chosen: t`Tools of the agent`,
          another: t`Another tool`,
          all: t`All that are allowed`,
          some: t`Of the allowed ones only these`,
          none: t`None: it works without tools.`,
        }}
        known={(tools?.tools ?? []).map(({ name }) => name)}
        names={value.tools}
        set={(chosen) => change({ tools: chosen })}
      />
      <AgentNames
        words={{
          title: t`Skills`,
          chosen: t`Skills of the agent`,
          another: t`Another skill`,
          all: t`All skills`,
          some: t`Only these skills`,
          none: t`None: it works without skills.`,
        }}
        known={(skills?.options ?? []).filter(({ id }) => id !== 'off').map(({ id }) => id)}
        names={value.skills}
        set={(chosen) => change({ skills: chosen })}
      />
      <TextField
        label={t`Model`}
        list={modelNames}
        placeholder={t`As the session or the configuration says`}
        hint={t`The model that answers for it, such as ollama/llama3.2, unless the session chooses one.`}
        value={value.model ?? ''}
        onChange={({ target }) => change({ model: orAbsent(target.value.trim()) })}
      />
      <datalist id={modelNames}>
        {models?.models.map(({ id }) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      <Select
        label={t`Layout`}
        value={value.layout ?? ''}
        options={[{ value: '', title: t`As configured` }, ...names.map((id) => ({ value: id, title: id }))]}
        onChange={({ target }) => change({ layout: orAbsent(target.value) })}
      />
    </>
  )
}

function orAbsent(text: string): string | undefined {
  return text === '' ? undefined : text
}
