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
import { fileLibrary, type ServiceKey } from '../capability.ts'
import type { Runtime } from '../runtime.ts'
import { createServer, type Server, type ServerContribution, type ServerOptions } from './create-server.ts'

/** A server with the features of today, until each is a capability that brings its own routes. */
export function createFeatureServer(runtime: Runtime, options: Omit<ServerOptions, 'contributions'>): Server {
  const hosted: Runtime = {
    ...runtime,
    capability: <Service>(key: ServiceKey<Service>) =>
      key.name === fileLibrary.name ? (runtime.library as Service) : runtime.capability(key),
  }
  return createServer(hosted, { ...options, contributions: contributionsOf(hosted) })
}

function contributionsOf(runtime: Runtime): readonly ServerContribution[] {
  return [
    { name: 'agents', routes: agentRoutes(runtime) },
    { name: 'projects', routes: projectRoutes(runtime) },
    { name: 'prompt', routes: promptRoutes(runtime) },
    { name: 'subjects', routes: [...subjectRoutes(runtime), ...proposalRoutes(runtime)] },
    { name: 'memory', routes: memoryRoutes(runtime) },
    { name: 'files', routes: [...fileRoutes(runtime), ...searchRoutes(runtime)] },
    { name: aiSdkChat.name, routes: chatRoutes(runtime) },
    { name: openaiApi.name, routes: openaiRoutes(runtime), errorFormat: openaiApi.errorFormat },
  ]
}
