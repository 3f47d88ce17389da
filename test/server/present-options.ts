import { type ChoiceOption, type StoredRecord, RuntimeError } from '../../src/capability.ts'

/** What a session can choose from, as long as agents, projects and subjects are members of the runtime. */
export interface OptionSources {
  readonly agents: { list(): Promise<readonly Named[]> }
  readonly projects: { list(): Promise<readonly Named[]> }
  readonly subjects: { list(): Promise<readonly { readonly id: string; readonly title: string }[]> }
}

type Named = StoredRecord<{ readonly name: string }> & { readonly value: { readonly name: string } }

export async function presentOptions(
  { agents, projects, subjects }: OptionSources,
  choice: string,
): Promise<readonly ChoiceOption[]> {
  if (choice === 'agent') return (await agents.list()).map(({ id, value: { name } }) => ({ id, name }))
  if (choice === 'project') return (await projects.list()).map(({ id, value: { name } }) => ({ id, name }))
  if (choice !== 'subject') throw new RuntimeError('not-found', `Sessions cannot choose: ${choice}.`, { choice })
  return (await subjects.list()).map(({ id, title }) => ({ id, ...(title === '' ? {} : { summary: title }) }))
}
