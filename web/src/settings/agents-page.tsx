import type { ReactNode } from 'react'
import { type Agent, AgentFields } from './agents-fields.tsx'
import { fieldsText, type RecordsKind } from './records-kind.ts'
import { RecordsPage } from './records-page.tsx'

const agents: RecordsKind<Agent> = {
  name: 'agent',
  one: 'an agent',
  about: 'An agent has a prompt of its own, and the tools, the model and the layout that go with it.',
  empty: { name: '', prompt: '', mode: 'append' },
  describe: ({ mode, model, tools }) =>
    [
      mode === 'replace' ? 'in place of the system prompt' : 'beside the system prompt',
      ...(model === undefined ? [] : [model]),
      ...(tools === undefined ? [] : [tools.length === 1 ? '1 tool' : `${tools.length} tools`]),
    ].join(' · '),
  textOf: ({ name, mode, model, layout, tools, prompt, reminder }) =>
    fieldsText(
      { name, mode, model, layout, tools: tools && (tools.length === 0 ? 'none' : tools.join(', ')) },
      { prompt, reminder },
    ),
  layersOf: ({ mode, reminder }) => ({
    Prompt: mode === 'replace' ? 'system-prompt' : 'custom-agent',
    ...(reminder === undefined ? {} : { Reminder: 'agent-reminder' }),
  }),
  Fields: AgentFields,
}

export default function AgentsPage(): ReactNode {
  return <RecordsPage kind={agents} />
}
