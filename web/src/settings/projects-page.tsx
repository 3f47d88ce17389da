import type { ReactNode } from 'react'
import { TextArea } from '../parts/fields.tsx'
import { type FieldsProps, fieldsText, type RecordsKind, TokenHint } from './records-kind.ts'
import { RecordsPage } from './records-page.tsx'

interface Project {
  readonly name: string
  readonly instructions: string
}

const projects: RecordsKind<Project> = {
  name: 'project',
  one: 'a project',
  about:
    'A project has instructions and files for its sessions. A custom agent has its own prompt instead, and reads the files.',
  empty: { name: '', instructions: '' },
  describe: ({ instructions }) => (instructions.trim() === '' ? 'without instructions' : beginningOf(instructions)),
  textOf: ({ name, instructions }) => fieldsText({ name }, { instructions }),
  layersOf: () => ({ Instructions: 'custom-agent' }),
  Fields: ProjectFields,
}

export default function ProjectsPage(): ReactNode {
  return <RecordsPage kind={projects} />
}

function ProjectFields({ value, set }: FieldsProps<Project>): ReactNode {
  return (
    <TextArea
      label="Instructions"
      hint={<TokenHint text={value.instructions}>What the default agent reads in this project.</TokenHint>}
      value={value.instructions}
      onChange={({ target }) => set({ ...value, instructions: target.value })}
    />
  )
}

function beginningOf(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
