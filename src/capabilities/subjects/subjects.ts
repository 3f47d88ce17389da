import { foldCase } from '../../platform.ts'
import { join } from 'node:path'
import { capability, type CheckContext, type Finding, RuntimeError, serviceKey } from '../../capability.ts'
import type { SubjectList } from './cli/subjects.ts'
import type { SubjectFacts } from './core/subjects.ts'
import type { RunningSubjects, SubjectService } from './subject-service.ts'
import { type SubjectSettings, subjectSettings } from './subject-settings.ts'

export const subjectService = serviceKey<SubjectService>('subjects')

/** Anything with a working context of its own: brief, notes, logs, and the tastes that apply (BEHAVIOURS §4). */
export const subjects = capability<SubjectSettings, RunningSubjects>({
  name: 'subjects',
  summary: 'Folders with a brief, notes and logs, the tastes of their owner, and proposals that a person confirms.',
  settings: {
    schema: subjectSettings.prefault({}).describe('Where subjects and tastes are.'),
    warnings: ({ summaryModel, summarize }) =>
      summaryModel !== undefined && !summarize
        ? [{ key: 'summaryModel', message: 'has no effect', hint: 'Set subjects.summarize to true.' }]
        : [],
    ofPerson: ({ default: _ofOwner, ...settings }, home) => ({
      ...settings,
      directory: join(home, 'subjects'),
      tastes: join(home, 'tastes'),
    }),
  },
  sessions: {
    choices: {
      subject: {
        summary: 'Id of the subject that the session is about.',
        none: 'no subject',
        check: ({ service }, id) => service.assertExists(id),
        find: async ({ service }, word) => findSubjectId(word, await service.subjects.list()),
        list: async ({ service }) =>
          (await service.subjects.list()).map(({ id, title }) => (title === '' ? { id } : { id, summary: title })),
        usual: (self) => self.settings.default,
      },
    },
  },
  commands: { subjects: async () => (await import('./cli/subjects.ts')).subjectsCommand },
  notices: { tool: proposalNotice },
  checks: checkSubjects,
  home: {
    places: ({ directory, tastes }, home) => ({
      outOfReach: [directory, tastes, join(home, 'subjects'), join(home, 'tastes')],
    }),
    folders: ({ directory, tastes }) => [directory, tastes],
  },
  start: async (host) => (await import('./subject-service.ts')).startSubjects(host),
  tools: ({ service }) => service.tools,
  async turn({ service }, { choices: { subject } }) {
    const reading = subject === undefined ? undefined : await service.read(subject)
    if (!reading) return {}
    const { subjectLayer } = await import('./core/subject-text.ts')
    return {
      readsForeign: true,
      layers: ({ tools, callsTools }) => [subjectLayer(reading, callsTools ? tools : [])],
    }
  },
  http: {
    async routes({ service, clock }) {
      const { proposalRoutes, subjectRoutes } = await import('./http/subject-routes.ts')
      return [...subjectRoutes(service, () => new Date(clock.time())), ...proposalRoutes(service)]
    },
  },
  mcp: {
    definitions: async () => (await import('./mcp/subject-contribution.ts')).subjectDefinitions,
    async open({ service: { subjects: all, proposals }, store, clock }) {
      const { subjectContribution } = await import('./mcp/subject-contribution.ts')
      return subjectContribution({ subjects: all, proposals, store, time: () => clock.time() })
    },
  },
  lifecycle: { reload: ({ service }) => service.reload(), idle: ({ service }) => service.idle() },
  status: { warnings: ({ service }) => service.warnings() },
  stop: ({ service }) => service.close(),
})

/** The model may not mention a proposal, so the terminal does. */
function proposalNotice(tool: string, output: string): readonly string[] {
  const [, id] = /^propose_\w+_update$/.test(tool) ? (/"proposal_id":\s*"(\w+)"/.exec(output) ?? []) : []
  return id === undefined ? [] : [`${id} waits for your decision.`, 'Confirm it with `foreword subjects confirm ID`.']
}

/** Reports the number of subjects, or of waiting proposals; nothing where there is neither. */
async function checkSubjects({ get }: CheckContext<SubjectSettings>): Promise<readonly Finding[]> {
  const listed = await get<SubjectList>('/api/subjects')
  if (!listed) return []
  const { subjects: all, waiting } = listed
  if (waiting > 0) {
    const message = waiting === 1 ? '1 proposal is waiting for you' : `${waiting} proposals are waiting for you`
    const hint = 'Show them with `foreword subjects proposals`.'
    return [{ check: 'subjects', level: 'warning', message, hint }]
  }
  return all.length === 0 ? [] : [{ check: 'subjects', level: 'ok', message: `${all.length}` }]
}

/** An id or a title, or an unambiguous beginning of either. A word that matches nothing is returned unchanged. */
function findSubjectId(word: string, all: readonly SubjectFacts[]): string {
  const wanted = foldCase(word)
  const found = [
    ({ id }: SubjectFacts) => id === word,
    ({ id, title }: SubjectFacts) => foldCase(id) === wanted || foldCase(title) === wanted,
    ({ id, title }: SubjectFacts) => foldCase(id).startsWith(wanted) || foldCase(title).startsWith(wanted),
  ]
    .map((isMeant) => all.filter(isMeant))
    .find(({ length }) => length > 0)
  const [first, ...others] = found ?? []
  if (first === undefined || others.length === 0) return first?.id ?? word
  const ids = [first, ...others].slice(0, 10).map(({ id }) => id)
  throw new RuntimeError('invalid-input', `${word} matches ${others.length + 1} subjects: ${ids.join(', ')}.`)
}
