import { agentRoutes } from '../capabilities/agents/http/agent-routes.ts'
import { aiSdkChat } from '../capabilities/ai-sdk-chat/ai-sdk-chat.ts'
import { chatRoutes } from '../capabilities/ai-sdk-chat/http/chat-routes.ts'
import { fileRoutes } from '../capabilities/files/http/file-routes.ts'
import { searchRoutes } from '../capabilities/files/http/search-routes.ts'
import { memoryRoutes } from '../capabilities/memory/http/memory-routes.ts'
import { openaiRoutes } from '../capabilities/openai-api/http/openai-routes.ts'
import { openaiApi } from '../capabilities/openai-api/openai-api.ts'
import { projectRoutes } from '../capabilities/projects/http/project-routes.ts'
import { promptRoutes } from '../capabilities/prompt/http/prompt-routes.ts'
import { proposalRoutes } from '../capabilities/subjects/http/proposal-routes.ts'
import { subjectRoutes } from '../capabilities/subjects/http/subject-routes.ts'
import { fileLibrary, type Runtime, type ServiceKey } from '../capability.ts'
import type { Runtime as FeatureRuntime } from '../runtime.ts'
import { createServer, type Server, type ServerContribution, type ServerOptions } from './create-server.ts'
import { subjectAddition } from './mcp-features.ts'

/** A server with the features of today, until each is a capability that brings its own routes. */
export function createFeatureServer(
  runtime: FeatureRuntime,
  options: Omit<ServerOptions, 'contributions' | 'choices'>,
): Server {
  return createServer(withChoices(runtime), { ...options, choices, contributions: contributionsOf(runtime) })
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
  return {
    ...runtime,
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
  }
}

function contributionsOf(runtime: FeatureRuntime): readonly ServerContribution[] {
  return [
    { name: 'agents', routes: agentRoutes(runtime) },
    { name: 'projects', routes: projectRoutes(runtime) },
    { name: 'prompt', routes: promptRoutes(runtime) },
    {
      name: 'subjects',
      routes: [...subjectRoutes(runtime), ...proposalRoutes(runtime)],
      mcp: subjectAddition(runtime),
    },
    { name: 'memory', routes: memoryRoutes(runtime) },
    { name: 'files', routes: [...fileRoutes(runtime), ...searchRoutes(runtime)] },
    { name: aiSdkChat.name, routes: chatRoutes(withChoices(runtime)) },
    { name: openaiApi.name, routes: openaiRoutes(withChoices(runtime)), errorFormat: openaiApi.errorFormat },
  ]
}
