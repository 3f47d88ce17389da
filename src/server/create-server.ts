import { Hono } from 'hono'
import { type Runtime } from '../runtime.ts'
import { agentRoutes } from '../capabilities/agents/http/agent-routes.ts'
import { refusal } from './answer.ts'
import { approvalRoutes } from './routes/approval-routes.ts'
import { auditRoutes } from './routes/audit-routes.ts'
import { callRoutes } from './routes/call-routes.ts'
import { choiceRoutes } from './routes/choice-routes.ts'
import { chatRoutes } from '../capabilities/ai-sdk-chat/http/chat-routes.ts'
import { createStreams, defaultStreamLimits, type StreamLimits } from './event-stream.ts'
import { eventRoutes } from './routes/event-routes.ts'
import { failureOf, HttpFailure } from './failure.ts'
import { fileRoutes } from '../capabilities/files/http/file-routes.ts'
import { createGuard } from './guard.ts'
import { assertBindIsSafe } from './loopback.ts'
import { MCP_PATH, mcpDoor } from './mcp/door.ts'
import { messageRoutes } from './routes/message-routes.ts'
import { openaiRoutes } from '../capabilities/openai-api/http/openai-routes.ts'
import { pairingRoutes } from './routes/pairing-routes.ts'
import { projectRoutes } from '../capabilities/projects/http/project-routes.ts'
import { promptRoutes } from '../capabilities/prompt/http/prompt-routes.ts'
import { proposalRoutes } from '../capabilities/subjects/http/proposal-routes.ts'
import { type Bindings, mount } from './route.ts'
import type { Route } from '../capability.ts'
import { historySearchRoutes } from './routes/history-search-routes.ts'
import { searchRoutes } from '../capabilities/files/http/search-routes.ts'
import { sessionRoutes } from './routes/session-routes.ts'
import { subjectRoutes } from '../capabilities/subjects/http/subject-routes.ts'
import { systemRoutes } from './routes/system-routes.ts'
import { toolRoutes } from './routes/tool-routes.ts'
import { turnRoutes } from './routes/turn-routes.ts'

/** What a server is, besides its runtime. */
export interface ServerOptions {
  /** What a caller has to bring. Absent: everybody on this machine may enter; then `bind` has to be a loopback. */
  readonly token?: string | undefined
  /** The address that the server is going to listen on. */
  readonly bind: string
  /** Names besides loopback and `bind` that `Host` may say, with or without a port. */
  readonly allowedHosts?: readonly string[] | undefined
  /** The largest JSON body. 1 MiB unless said. */
  readonly maxBodyBytes?: number
  readonly version: string
  /** The configuration as it may be shown: without secrets. */
  readonly configuration?: () => unknown
  readonly log?: ServerLog | undefined
  readonly streams?: Partial<StreamLimits>
  /**
   * Doors for services that call by themselves, by their exact path. They have no token of this gateway: each checks its
   * callers itself.
   */
  readonly hooks?: Readonly<Record<string, Hook>> | undefined
}

/** Answers a POST of a service. A rejection is an inner failure. */
export type Hook = (request: Request) => Promise<Response>

/** Told of failures that nobody expected. A pino logger is one. */
export interface ServerLog {
  error(facts: object, message: string): void
}

/** Web-standard requests in, responses out: it needs no port. */
export interface Server {
  /** Never rejects. `bindings` are what an HTTP adapter knows besides. */
  fetch(request: Request, bindings?: Bindings): Promise<Response>
  /**
   * Ends every open stream; readers come back and go on from the last event they saw. Answers under way end with an
   * error, or go on where `answers` is `false`.
   */
  endStreams(which?: { readonly answers?: boolean }): void
  readonly token: string | undefined
}

/** Every door of a runtime. Throws where it would be open to others without a token. */
export function createServer(runtime: Runtime, options: ServerOptions): Server {
  assertBindIsSafe(options.bind, options.token)
  const streams = createStreams({ ...defaultStreamLimits, ...options.streams })
  const guard = createGuard(options)
  const hooks = new Map(Object.entries(options.hooks ?? {}))
  const openapi = once(async () => {
    const { openapiDocument } = await import('./openapi.ts')
    return openapiDocument(routes, {
      title: 'Foreword',
      version: options.version,
      description: 'Assembles, budgets, records and explains every word a model reads.',
    })
  })
  const routes: readonly Route[] = [
    ...systemRoutes(runtime, {
      version: options.version,
      configuration: options.configuration ?? (() => ({})),
      openapi,
    }),
    ...sessionRoutes(runtime),
    ...choiceRoutes(runtime),
    ...messageRoutes(runtime),
    ...turnRoutes(runtime),
    ...eventRoutes(runtime, streams),
    ...agentRoutes(runtime),
    ...projectRoutes(runtime),
    ...promptRoutes(runtime),
    ...subjectRoutes(runtime),
    ...proposalRoutes(runtime),
    ...pairingRoutes(runtime),
    ...fileRoutes(runtime),
    ...searchRoutes(runtime),
    ...historySearchRoutes(runtime),
    ...callRoutes(runtime),
    ...toolRoutes(runtime),
    ...approvalRoutes(runtime),
    ...auditRoutes(runtime),
    ...chatRoutes(runtime, streams),
    ...openaiRoutes(runtime, streams),
  ]

  const answerFailure = (error: unknown, path: string): Response => {
    const failure = failureOf(error)
    if (failure.code === 'internal') options.log?.error({ err: error, path }, 'a request failed')
    return refusal(failure, path)
  }
  const maxBodyBytes = options.maxBodyBytes ?? 1024 * 1024
  const mcp = mcpDoor(runtime, {
    version: options.version,
    maxBodyBytes,
    unexpected: (error) => options.log?.error({ err: error, path: MCP_PATH }, 'an MCP request failed'),
  })
  const app = new Hono<{ Bindings: Bindings }>()
  mount(app, routes, maxBodyBytes)
  app.onError((error, context) => answerFailure(error, context.req.path))
  app.notFound((context) => answerFailure(noSuchRoute(routes, context.req.method, context.req.path), context.req.path))

  return {
    token: options.token,
    endStreams(which) {
      streams.endAll(which)
      mcp.close()
    },
    async fetch(request, bindings = {}) {
      const path = pathOf(request.url)
      try {
        const hook = request.method === 'POST' ? hooks.get(path) : undefined
        if (hook) return await hook(request)
        return guard(request, path) ?? (await (path === MCP_PATH ? mcp.fetch(request) : app.fetch(request, bindings)))
      } catch (error) {
        return answerFailure(error, path)
      }
    },
  }
}

function noSuchRoute(routes: readonly Route[], method: string, path: string): HttpFailure {
  const methods = routes.filter((route) => fits(route.path, path)).map((route) => route.method)
  if (methods.length === 0) {
    return new HttpFailure(404, 'not-found', `There is no endpoint ${path}. GET /api/openapi.json lists them.`, {
      path,
    })
  }
  const allow = methods.join(', ')
  return new HttpFailure(405, 'method-not-allowed', `${path} takes ${allow}, not ${method}.`, {}, { allow })
}

function fits(pattern: string, path: string): boolean {
  const [first = '', rest] = pattern.split(/\/:\w+\{\.\+\}$/)
  if (rest !== undefined) return path.startsWith(`${first}/`)
  const wanted = pattern.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((part, at) => (part.startsWith(':') ? given[at] !== '' : part === given[at]))
  )
}

/** Without a URL object, for every request passes here. */
function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.indexOf('?', start)
  return end === -1 ? url.slice(start) : url.slice(start, end)
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
