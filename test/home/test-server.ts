import type { FileOwners } from '../../src/capabilities/files/http/file-owners.ts'
import type { FileService } from '../../src/capabilities/files/file-service.ts'
import { agentRoutes } from '../../src/capabilities/agents/http/agent-routes.ts'
import { aiSdkChat } from '../../src/capabilities/ai-sdk-chat/ai-sdk-chat.ts'
import { chatRoutes } from '../../src/capabilities/ai-sdk-chat/http/chat-routes.ts'
import { fileRoutes, searchRoutes } from '../../src/capabilities/files/http/file-routes.ts'
import { memoryRoutes } from '../../src/capabilities/memory/http/memory-routes.ts'
import { scheduleRoutes } from '../../src/capabilities/schedules/http/schedule-routes.ts'
import { scriptedSchedules } from '../server/scripted-schedules.ts'
import { anthropicRoutes } from '../../src/capabilities/anthropic-api/http/anthropic-routes.ts'
import { anthropicApi } from '../../src/capabilities/anthropic-api/anthropic-api.ts'
import { openaiRoutes } from '../../src/capabilities/openai-api/http/openai-routes.ts'
import { responseRoutes } from '../../src/capabilities/openai-api/responses/response-routes.ts'
import { scriptedResponses } from '../server/scripted-responses.ts'
import { openaiApi } from '../../src/capabilities/openai-api/openai-api.ts'
import { projectSchema } from '../../src/capabilities/projects/projects.ts'
import { templateSchema } from '../../src/capabilities/templates/template-record.ts'
import { promptRoutes } from '../../src/capabilities/prompt/http/prompt-routes.ts'
import { proposalRoutes, subjectRoutes } from '../../src/capabilities/subjects/http/subject-routes.ts'
import { auditRoutes } from '../../src/capabilities/audit-records/http/audit-routes.ts'
import { backupRoutes } from '../../src/capabilities/backup/http/backup-routes.ts'
import type { BackupService } from '../../src/capabilities/backup/backup-state.ts'
import { budgetRoutes } from '../../src/capabilities/budgets/http/budget-routes.ts'
import { costRoutes, usageRoutes } from '../../src/capabilities/costs/http/cost-routes.ts'
import { costsOf } from '../costs-of.ts'
import { layouts } from '../../src/context.ts'
import { fileLibrary, type Runtime, RuntimeError, type ServiceKey } from '../../src/capability.ts'
import type { Runtime as FeatureRuntime } from './features.ts'
import type { HostedRuntime } from '../../src/runtime.ts'
import { createServer, recordRoutes, type Server, type ServerOptions } from '../../src/server.ts'
import { type ServerContribution, collectContributions } from '../../src/server/contributions.ts'
import { systemClock } from '../../src/platform.ts'

/** A server with what the capabilities of a runtime contribute; with the routes that come with Foreword for a scripted one. */
export function createTestServer(
  runtime: FeatureRuntime,
  options: Omit<ServerOptions, 'contributions' | 'choices'>,
): Server {
  if (!('contributed' in runtime)) {
    return createServer(withChoices(runtime), { ...options, choices, contributions: contributionsTo(runtime) })
  }
  const { contributed } = runtime as unknown as HostedRuntime
  const empty = createServer(runtime, options)
  let made: Server | undefined
  const making = collectContributions(contributed).then((all) => {
    const contributions = all.map((one) => (one.name === 'subjects' ? { ...one, mcp: subjectAddition(runtime) } : one))
    made = createServer(runtime, { ...options, choices: contributed.choices, contributions })
    return made
  })
  return {
    clock: systemClock,
    token: options.token,
    fetch: async (request, bindings) => (made ?? (await making)).fetch(request, bindings),
    endStreams: (which) => made?.endStreams(which),
    settle: async () => made?.settle(),
    refuse: (failure, path, headers) => (made ?? empty).refuse(failure, path, headers),
  }
}

const choices = {
  agent: { summary: 'Id of the agent that answers.', none: 'the default agent' },
  project: { summary: 'Id of the project that it belongs to.', none: 'no project' },
  subject: { summary: 'Id of the subject that it is about.', none: 'the configured subject, if there is one' },
}

function withChoices(runtime: FeatureRuntime): Runtime {
  const assertThere = async ({ agent, project, subject }: Readonly<Record<string, string | null | undefined>>) => {
    if (typeof agent === 'string') await runtime.agents.get(agent)
    if (typeof project === 'string') await runtime.projects.get(project)
    if (typeof subject === 'string') await runtime.subjects.context(subject)
  }
  // What a test changes of its runtime later is asked for as well.
  return Object.assign(Object.create(runtime) as Runtime, {
    newSession: ({ choices: chosen, ...given } = {}) => runtime.newSession({ ...given, ...chosen }),
    async preview({ choices: chosen = {}, ...given }) {
      await assertThere(chosen)
      return runtime.preview({ ...given, ...chosen })
    },
    async choose(session, chosen) {
      await assertThere(chosen)
      const { agent, project, subject } = chosen
      if (agent !== undefined) await runtime.setAgent(session, agent ?? undefined)
      if (project !== undefined) await runtime.setProject(session, project ?? undefined)
      if (subject !== undefined) await runtime.setSubject(session, subject ?? undefined)
    },
    capability: <Service>(key: ServiceKey<Service>) =>
      key.name === fileLibrary.name ? (runtime.library as Service) : runtime.capability(key),
  } satisfies Partial<Runtime>)
}

/** The system prompt where nobody has written one. */
const packagedPrompt = { own: () => ({ text: 'Packaged.', ref: 'packaged system prompt' }), warnings: () => [] }

function contributionsTo(runtime: FeatureRuntime): readonly ServerContribution[] {
  return [
    { name: 'agents', routes: agentRoutes({ service: runtime.agents, runtime, layouts }) },
    {
      name: 'projects',
      routes: recordRoutes(() => runtime.projects, { name: 'project', one: 'a project', schema: projectSchema }),
    },
    {
      name: 'templates',
      routes: recordRoutes(() => runtime.templates, { name: 'template', one: 'a template', schema: templateSchema }),
    },
    { name: 'prompt', routes: promptRoutes({ edited: runtime.prompt, own: packagedPrompt }) },
    {
      name: 'subjects',
      routes: [...subjectRoutes(runtime, () => new Date(runtime.store.clock.now())), ...proposalRoutes(runtime)],
      mcp: subjectAddition(runtime),
    },
    { name: 'memory', routes: memoryRoutes(runtime) },
    { name: 'schedules', routes: scheduleRoutes({ service: scriptedSchedules(), runtime }) },
    { name: 'audit-records', routes: auditRoutes(runtime) },
    { name: 'backup', routes: backupRoutes(scriptedBackups) },
    { name: 'budgets', routes: budgetRoutes(runtime) },
    { name: 'costs', routes: [...usageRoutes(costsOf(runtime)), ...costRoutes(costsOf(runtime))] },
    { name: 'files', routes: [...fileRoutes(ofRuntime(runtime)), ...searchRoutes(ofRuntime(runtime))] },
    { name: aiSdkChat.name, routes: chatRoutes(withChoices(runtime)) },
    {
      name: openaiApi.name,
      routes: [...openaiRoutes(withChoices(runtime)), ...responseRoutes(withChoices(runtime), scriptedResponses())],
      errorFormats: openaiApi.http?.errors,
    },
    {
      name: anthropicApi.name,
      routes: anthropicRoutes(withChoices(runtime)),
      errorFormats: anthropicApi.http?.errors,
    },
  ]
}

/** Of a home that was never saved. */
const scriptedBackups: BackupService = {
  state: async () => ({ made: [] }),
  make: async () => {},
  async open(id) {
    throw new RuntimeError('not-found', 'This archive is gone.', { backup: id })
  },
  close: async () => {},
}

/** What the routes work with, of a runtime that names its services itself. */
function ofRuntime(runtime: FeatureRuntime): FileOwners {
  const files = (sent: boolean) => ({ sent, search: { name: '', description: '', offeredIn: '' } })
  return {
    clock: systemClock,
    service: {
      ...runtime.library,
      search: ({ owner, ...query }: Parameters<FileService['search']>[0]) =>
        runtime.search({ ...query, ...(owner && { project: owner.id }) }),
    } as FileService,
    store: runtime.store,
    choices: {
      agent: { summary: '', none: '', files: files(false) },
      project: { summary: '', none: '', files: files(true) },
    },
    records: ({ kind }) => (kind === 'agent' ? runtime.agents : runtime.projects) as never,
  }
}

/** Over the store and the subjects of the runtime as a test has changed it. */
function subjectAddition(runtime: FeatureRuntime): NonNullable<ServerContribution['mcp']> {
  return {
    definitions: async () =>
      (await import('../../src/capabilities/subjects/mcp/subject-contribution.ts')).subjectDefinitions,
    async open() {
      const { subjectContribution } = await import('../../src/capabilities/subjects/mcp/subject-contribution.ts')
      const { subjects, proposals, store } = runtime
      return subjectContribution({ subjects, proposals, store, time: () => new Date().toISOString() })
    },
  }
}
