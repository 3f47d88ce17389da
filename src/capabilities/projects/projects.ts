import {
  capability,
  recordChoice,
  type Records,
  type Self,
  type SessionChoice,
  textLayer,
  type RecordKind,
  recordName,
  recordText,
  sharedWith,
} from '../../capability.ts'
import { z } from 'zod'

type ProjectsSelf = Self<undefined, Records<ProjectValue>>

const project: SessionChoice<ProjectsSelf> = {
  summary: 'Id of the project that the session belongs to.',
  none: 'no project',
  ...recordChoice<ProjectsSelf>('project'),
  preset: async ({ service }, id) => ((await service.find(id)) ? {} : undefined),
  files: {
    sent: true,
    search: {
      name: 'search_project',
      description: 'Search the files of this project. Gives numbered passages to cite.',
      offeredIn: 'sessions of a project whose files are not sent as a whole',
    },
  },
}

/** Instructions and files (BEHAVIOURS §3.5). A custom agent reads its own prompt instead of the instructions. */
export const projects = capability<undefined, Records<ProjectValue>>({
  name: 'projects',
  summary: 'projects: instructions and files that sessions share',
  sessions: { choices: { project } },
  commands: { projects: async () => (await import('./cli/projects.ts')).projectsCommand },
  start: (host) => host.records(projectRecordKind),
  async turn({ service }, { choices: { agent, project: id } }) {
    const found = id === undefined || agent !== undefined ? undefined : await service.find(id)
    const text = found?.value.instructions.trim() ?? ''
    if (text === '') return {}
    const layers = [textLayer('custom-agent', text, `project/${id}`)]
    return { layers: () => layers }
  },
  http: {
    async routes({ service }) {
      const { recordRoutes } = await import('../../server.ts')
      return recordRoutes(() => service, { name: 'project', one: 'a project', schema: projectSchema })
    },
  },
})

export const projectSchema = z.strictObject({
  name: recordName.describe('Name of the project.'),
  instructions: recordText.default('').describe('Instructions for the default agent in this project.'),
  sharedWith,
})

export type ProjectValue = z.output<typeof projectSchema>

export const projectRecordKind: RecordKind<ProjectValue> = {
  kind: 'project',
  schema: projectSchema,
  nameOf: ({ name }) => name,
}
