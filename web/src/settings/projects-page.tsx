import type { ReactNode } from 'react'
import { TextArea } from '../parts/fields.tsx'
import { type FieldsProps, fieldsText, type RecordsKind, TokenHint } from './records-kind.ts'
import { RecordsPage } from './records-page.tsx'
import { t } from '../language/language.ts'

interface Project {
  readonly name: string
  readonly instructions: string
}

const projects: RecordsKind<Project> = {
  name: 'project',
  words: {
    about: t`A project gives its sessions instructions and files. A custom agent keeps its own prompt and reads the files.`,
    list: t`projects`,
    all: t`All projects`,
    new: t`New project`,
    create: t`Create the project`,
    none: t`There is no project yet.`,
    use: t`In a conversation, choose a project beside the model.`,
    removed: t`Removed projects`,
    remove: t`Remove this project`,
    isRemoved: t`This project is removed. Put one of its versions back to use it again.`,
    files: {
      label: t`Files for this project`,
      none: t`This project has no files. The model can search those that you add.`,
    },
    named: (name) => t`The project ${name}`,
  },
  empty: { name: '', instructions: '' },
  describe: ({ instructions }) => (instructions.trim() === '' ? t`without instructions` : beginningOf(instructions)),
  textOf: ({ name, instructions }) => fieldsText({ [t`name`]: name }, { [t`instructions`]: instructions }),
  layersOf: () => ({ [t`Instructions`]: 'custom-agent' }),
  Fields: ProjectFields,
}

export default function ProjectsPage(): ReactNode {
  return <RecordsPage kind={projects} />
}

function ProjectFields({ value, set }: FieldsProps<Project>): ReactNode {
  return (
    <TextArea
      label={t`Instructions`}
      hint={<TokenHint text={value.instructions}>{t`What the default agent reads in this project.`}</TokenHint>}
      value={value.instructions}
      onChange={({ target }) => set({ ...value, instructions: target.value })}
    />
  )
}

function beginningOf(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
