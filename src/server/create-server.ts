import { Hono } from 'hono'
import type { ErrorFormat, Failure, Route, Runtime } from '../capability.ts'
import { once } from '../platform.ts'
import { refusal } from './answer.ts'
import { approvalRoutes } from './routes/approval-routes.ts'
import { auditRoutes } from './routes/audit-routes.ts'
import { callRoutes } from './routes/call-routes.ts'
import { choiceRoutes } from './routes/choice-routes.ts'
import { createStreams, defaultStreamLimits, type StreamLimits } from './event-stream.ts'
import { eventRoutes } from './routes/event-routes.ts'
import { failureOf, HttpFailure } from './failure.ts'
import { createGuard } from './guard.ts'
import { assertBindIsSafe } from './loopback.ts'
import type { McpAddition } from './mcp/catalogue.ts'
import { lazyEndpoint, MCP_PATH } from './mcp/lazy-endpoint.ts'
import { messageRoutes } from './routes/message-routes.ts'
import { pairingRoutes } from './routes/pairing-routes.ts'
import { type Bindings, mount } from './route.ts'
import { historySearchRoutes } from './routes/history-search-routes.ts'
import { sessionRoutes } from './routes/session-routes.ts'
import type { OfferedChoices } from './session-choices.ts'
import { systemRoutes } from './routes/system-routes.ts'
import { toolRoutes } from './routes/tool-routes.ts'
import { turnRoutes } from './routes/turn-routes.ts'

/** What one capability adds to a server. */
export interface ServerContribution {
  /** Of the capability. */
  readonly name: string
  readonly routes?: readonly Route[]
  readonly errorFormat?: ErrorFormat | undefined
  /** Opened with the first request of a program that speaks MCP. */
  readonly mcp?: McpAddition | undefined
}

/** What a server is, besides its runtime. */
export interface ServerOptions {
  /** What the capabilities add, in their order. */
  readonly contributions?: readonly ServerContribution[] | undefined
  /** What sessions can choose, by name. */
  readonly choices?: OfferedChoices | undefined
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
   * Endpoints for services that call by themselves, by their exact path. They have no token of this gateway: each checks its
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
  /** The answer to a request that is refused before it is read. */
  refuse(failure: Failure, path: string): Response
  readonly token: string | undefined
}

/** The endpoints of a runtime and of its capabilities. Throws where they would be open to others without a token. */
export function createServer(runtime: Runtime, options: ServerOptions): Server {
  const { contributions = [], choices = {} } = options
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
  const host: readonly Route[] = [
    ...systemRoutes(runtime, {
      version: options.version,
      choices,
      configuration: options.configuration ?? (() => ({})),
      openapi,
    }),
    ...choiceRoutes(runtime),
    ...sessionRoutes(runtime, choices),
    ...messageRoutes(runtime),
    ...turnRoutes(runtime),
    ...eventRoutes(runtime),
    ...pairingRoutes(runtime),
    ...historySearchRoutes(runtime),
    ...callRoutes(runtime),
    ...toolRoutes(runtime),
    ...approvalRoutes(runtime),
    ...auditRoutes(runtime),
  ]
  const routes = allRoutes(host, contributions)
  const formats = contributions.flatMap(({ errorFormat }) => errorFormat ?? [])

  const answerFailure = (error: unknown, path: string): Response => {
    const failure = failureOf(error)
    if (failure.code === 'internal') options.log?.error({ err: error, path }, 'a request failed')
    return refusal(failure, path, formats)
  }
  const maxBodyBytes = options.maxBodyBytes ?? 1024 * 1024
  const mcp = lazyEndpoint(runtime, {
    version: options.version,
    maxBodyBytes,
    unexpected: (error) => options.log?.error({ err: error, path: MCP_PATH }, 'an MCP request failed'),
    additions: contributions.flatMap(({ mcp: addition }) => addition ?? []),
  })
  const app = new Hono<{ Bindings: Bindings }>()
  mount(app, routes, { maxBodyBytes, streams })
  app.onError((error, context) => answerFailure(error, context.req.path))
  app.notFound((context) => answerFailure(noSuchRoute(routes, context.req.method, context.req.path), context.req.path))

  return {
    token: options.token,
    endStreams(which) {
      streams.endAll(which)
      mcp.close()
    },
    refuse: (failure, path) => refusal(failure, path, formats),
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

/** Those of the host, then those of the capabilities. Throws where two have the same method and path. */
function allRoutes(host: readonly Route[], contributions: readonly ServerContribution[]): readonly Route[] {
  const owners = new Map<string, string>()
  const all = [{ name: undefined, routes: host }, ...contributions]
  return all.flatMap(({ name, routes = [] }) => {
    const owner = name === undefined ? 'the server itself' : `the capability ${name}`
    for (const { method, path } of routes) {
      const key = `${method} ${path.replaceAll(/:\w+/g, ':')}`
      const other = owners.get(key)
      if (other !== undefined) throw new Error(`${method} ${path} of ${owner} is already an endpoint of ${other}.`)
      owners.set(key, owner)
    }
    return routes
  })
}

function noSuchRoute(routes: readonly Route[], method: string, path: string): HttpFailure {
  const methods = routes.filter((route) => fits(route.path, path)).map((route) => route.method)
  if (methods.length === 0) {
    return new HttpFailure(404, 'not-found', `There is no endpoint ${path}. GET /api/openapi.json lists them.`, {
      path,
    })
  }
  const allow = methods.join(', ')
  return new HttpFailure(405, 'method-not-allowed', `${path} accepts ${allow}, not ${method}.`, {}, { allow })
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
