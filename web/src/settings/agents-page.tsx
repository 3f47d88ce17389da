import type { ReactNode } from 'react'
import { type Agent, AgentFields } from './agents-fields.tsx'
import { fieldsText, type RecordsKind } from './records-kind.ts'
import { RecordsPage } from './records-page.tsx'

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
