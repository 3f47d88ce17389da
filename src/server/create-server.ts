import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Hono } from 'hono'
import type { Failure, Finding, Route, Runtime } from '../capability.ts'
import { type Clock, defined, type KnownSecrets, once, redactData } from '../platform.ts'
import type { AuditFacts } from '../session.ts'
import { type GatewayTokens, type HostedRuntime, openBrowserSessions, type PeopleHomes } from '../runtime.ts'
import { errorResponse } from './answer.ts'
import { allRoutes, collectContributions, type ServerContribution } from './contributions.ts'
import { askServer, commandRoutes } from './routes/command-routes.ts'
import { createStreams, defaultStreamLimits, type StreamLimits } from './event-stream.ts'
import { askedOfGuard, createForwarder, type Forwarder, headersOf, writeResponse } from './forward-to-gateway.ts'
import { redactFailure, toFailure, HttpFailure } from './failure.ts'
import { failurePage, missingPage, wantsPage } from './failure-page.ts'
import { createEntrance, type Entrance } from './entrance.ts'
import { assertBindIsSafe, ownerOf, requireScope, type Visitor } from './guard.ts'
import { lazyEndpoint, MCP_PATH } from './mcp/lazy-endpoint.ts'
import { createPersonServers } from './person-servers.ts'
import { createRawAnswers, type RawAnswers } from './raw-answers.ts'
import { type Bindings, mount, type RouteBindings } from './route.ts'
import { acceptanceRoutes, approvalRoutes, toolRoutes } from './routes/tool-routes.ts'
import { accessRoutes } from './routes/access-routes.ts'
import { setupRoutes, systemRoutes } from './routes/system-routes.ts'
import { callRoutes } from './routes/call-routes.ts'
import { foreignSessionRoutes } from './routes/foreign-session-routes.ts'
import { branchRoutes, sessionTransferRoutes } from './routes/session-transfer-routes.ts'
import { gatewayRoutes } from './routes/gateway-routes.ts'
import { metricsRoutes } from './routes/metrics-routes.ts'
import { noteRoutes } from './routes/note-routes.ts'
import { choiceRoutes, sessionRoutes } from './routes/session-routes.ts'
import { doctorRoutes, lintRoutes } from './routes/doctor-routes.ts'
import { eventRoutes, messageRoutes, turnRoutes } from './routes/turn-routes.ts'
import { healthRoutes } from './routes/health-routes.ts'
import { historySearchRoutes } from './routes/history-search-routes.ts'
import { peopleRoutes } from './routes/people-routes.ts'
import { pairingRoutes } from './routes/pairing-routes.ts'
import { openSignInRoutes } from './routes/sign-in-routes.ts'
import { tokenRoutes } from './routes/token-routes.ts'
import { assertChoiceNames, type ChoiceDescriptions } from './session-choices.ts'
import type { EntranceOptions } from './sign-in/sign-in-options.ts'
import { type Transformer, TransformStream } from 'node:stream/web'

export interface ServerOptions extends EntranceOptions {
  readonly contributions?: readonly ServerContribution[] | undefined
  readonly choices?: ChoiceDescriptions | undefined
  /** The token of the owner, which opens everything. Absent: every caller on this machine has access, and `bind` has to be a loopback address. */
  readonly token?: string | undefined
  /** The tokens of the home: that of the owner can be replaced, and others be made, while the server runs. */
  readonly tokens?: GatewayTokens | undefined
  /** The address that the server will listen on. */
  readonly bind: string
  /** Names besides loopback and `bind` that `Host` may contain, with or without a port. */
  readonly allowedHosts?: readonly string[] | undefined
  /** The largest JSON body. 1 MiB unless given. */
  readonly maxBodyBytes?: number
  /** The bodies of all requests that are held at the same time, megabytes. 128 unless given. */
  readonly heldBodyMegabytes?: number
  readonly version: string
  readonly configuration?: () => unknown
  /** Checks the home as `foreword doctor` does. Absent: there is no such endpoint. */
  readonly examine?: (() => AsyncIterable<Finding>) | undefined
  /** Checks for known holes, as `foreword doctor --security` does. */
  readonly examineSecurity?: (() => AsyncIterable<Finding>) | undefined
  readonly log?: ServerLog | undefined
  /** No error, log line or export contains one of them; tokens that are made are learned. */
  readonly secrets?: KnownSecrets | undefined
  readonly streams?: Partial<StreamLimits>
  /** Endpoints for webhooks of services, by exact path. Callers have no token: each endpoint checks them itself. */
  readonly hooks?: Readonly<Record<string, Hook>> | undefined
  /** The people whose homes lie in this one: their requests are answered by a server over their own runtime. */
  readonly people?: PeopleHomes | undefined
  /** Of the server of a person: what it shares with the server that lets people in. */
  readonly within?: Entrance | undefined
}

/** Answers a POST of a service. A rejection becomes an internal failure. */
export type Hook = (request: Request) => Promise<Response>

/** Receives unexpected failures. A pino logger is one. */
export interface ServerLog {
  error(facts: object, message: string): void
}

/** Web-standard requests in, responses out: it needs no port. */
export interface Server {
  /** Never rejects. `bindings` are what an HTTP adapter passes besides the request. */
  fetch(request: Request, bindings?: Bindings): Promise<Response>
  /** Takes a request over where other gateways share the database: it is answered by `here`, or at another one. */
  readonly pass?: Forwarder['pass'] | undefined
  /** Answers on the socket, where an endpoint does so. Returns `false` where `fetch` answers; absent: it answers everything. */
  answer?(incoming: IncomingMessage, outgoing: ServerResponse): boolean
  /** Ends every open stream; readers reconnect. Answers end with an error, or continue where `answers` is `false`. */
  endStreams(which?: { readonly answers?: boolean }): void
  /** The answer to a request that is refused unread. */
  refuse(failure: Failure, path: string, headers?: Headers): Response
  readonly token: string | undefined
  readonly clock: Clock
  /** Records what is noted and not on disk yet, before the runtime closes. Never rejects. */
  settle(): Promise<void>
}

/** The server of a home, to which others hand those who were let in already. */
export interface HomeServer extends Server {
  /** Never rejects: what cannot be answered is an answer, too. */
  fetchAs(visitor: Visitor, request: Request, bindings: Bindings): Promise<Response>
  readonly raw: RawAnswers
}

/** Creates the endpoints of a runtime and of its capabilities. Throws where others could reach them without a token. */
export function createServer(runtime: Runtime, options: ServerOptions): Server {
  return createHomeServer(runtime, options)
}

function createHomeServer(runtime: Runtime, options: ServerOptions): HomeServer {
  const { contributions = [], choices = {}, within } = options
  const { clock } = runtime.store
  const isOfPerson = within !== undefined
  assertBindIsSafe(options.bind, options.token)
  assertChoiceNames(Object.keys(choices))
  const browsers = within?.browsers ?? options.tokens?.browsers ?? openBrowserSessions({ random: randomBytes, clock })
  const streams = createStreams(clock, { ...defaultStreamLimits, ...options.streams })
  const hooks = new Map(Object.entries(options.hooks ?? {}))
  const openapi = once(async () => {
    const { openapiDocument } = await import('./openapi.ts')
    return openapiDocument(routes, {
      title: 'Foreword',
      version: options.version,
      description: 'Assembles, budgets, records and explains every word a model reads.',
      isOfPerson,
    })
  })
  const record = async (facts: AuditFacts, time: string): Promise<void> =>
    void (await runtime.store.transaction([{ type: 'audit', facts, time }]))
  const { signIn, people: homes, publicUrl } = options
  const entrance =
    signIn &&
    homes &&
    openSignInRoutes({
      signIn,
      publicUrl,
      homes,
      browsers,
      clock,
      record,
      note: (reason) => options.log?.error({ reason }, 'a sign-in failed'),
    })
  const learnToken = (name: string, made: string) => options.secrets?.learn(`token ${name}`, made)
  const host: readonly Route[] = [
    ...systemRoutes(runtime, {
      version: options.version,
      choices,
      people: homes,
      configuration: () => redactData(options.configuration?.() ?? {}, options.secrets?.redact ?? ((text) => text)),
      openapi,
    }),
    ...healthRoutes(runtime),
    ...metricsRoutes(runtime, options.version),
    ...gatewayRoutes(runtime, options.version, homes),
    ...(homes ? peopleRoutes({ homes, tokens: options.tokens, pairings: runtime.pairings, onMade: learnToken }) : []),
    ...sessionRoutes(runtime, choices),
    ...branchRoutes(runtime),
    ...noteRoutes(runtime),
    ...choiceRoutes(runtime, choices),
    ...commandRoutes(runtime, {
      choices,
      contributions,
      ask: (caller) => askServer((request) => app.fetch(request, { visitor: caller })),
    }),
    ...sessionTransferRoutes(runtime, options.secrets),
    ...messageRoutes(runtime),
    ...turnRoutes(runtime),
    ...eventRoutes(runtime),
    ...pairingRoutes(runtime, homes?.people),
    ...setupRoutes(runtime),
    ...historySearchRoutes(runtime),
    ...callRoutes(runtime),
    ...foreignSessionRoutes(runtime),
    ...lintRoutes(runtime),
    ...toolRoutes(runtime),
    ...acceptanceRoutes(runtime),
    ...accessRoutes(runtime),
    ...tokenRoutes(runtime, {
      hasToken: options.token !== undefined,
      tokens: options.tokens,
      browsers,
      use(next) {
        token = next
        options.secrets?.learn('token', next)
      },
      onMade: learnToken,
    }),
    ...approvalRoutes(runtime),
    ...(entrance?.routes ?? []),
    ...(options.examine ? doctorRoutes(options.examine, options.examineSecurity) : []),
  ]
  const routes = allRoutes(host, contributions)
  const open = routes.filter(({ needsToken }) => needsToken === false)
  const firstSegments = new Set(open.map(({ path }) => path.split('/', 2)[1]))
  const isOpen = (method: string, path: string): boolean =>
    firstSegments.has(path.split('/', 2)[1]) &&
    open.some((each) => each.method === (method === 'HEAD' ? 'GET' : method) && matchesPath(each.path, path))
  let { token } = options
  const shared = within ?? createEntrance({ ...options, clock, token: () => token, browsers, isOpen }, record)
  const { guard, visits, brake, bodyBudgets } = shared
  const formats = contributions.flatMap(({ errorFormats = [] }) => errorFormats)
  const isNowhere = (path: string): boolean => !routes.some((each) => matchesPath(each.path, path))

  const answerFailure = (error: unknown, path: string, headers: Headers): Response => {
    const failure = redactFailure(toFailure(error), options.secrets)
    if (failure.code === 'internal') options.log?.error({ err: error, path }, 'a request failed')
    // The address of an invitation, one with a token, or one at which nothing is.
    if (NOT_SIGNED_IN.has(failure.code) && wantsPage(headers) && (path === '/' || isNowhere(path)))
      return failurePage(failure, headers, { signIn: entrance !== undefined })
    return errorResponse(failure, path, formats, headers)
  }
  const maxBodyBytes = options.maxBodyBytes ?? 1024 * 1024
  const ofPerson = createPersonServers(homes, (own) => createPersonServer(own, options, shared))
  const mcp = lazyEndpoint(runtime, {
    version: options.version,
    maxBodyBytes,
    unexpected: (error) => options.log?.error({ err: error, path: MCP_PATH }, 'an MCP request failed'),
    additions: contributions.flatMap(({ mcp: addition }) => addition ?? []),
  })
  const app = new Hono<{ Bindings: RouteBindings }>()
  mount(app, routes, { isOfPerson, maxBodyBytes, streams, visits, bodyBudgets, clock })
  app.onError((error, { req }) => {
    // Who went away in the middle of a request has broken it off, and nothing here failed.
    const gone = req.raw.signal.aborted ? new HttpFailure('cancelled', 'The request was broken off.') : undefined
    return answerFailure(gone ?? error, req.path, req.raw.headers)
  })
  app.notFound(({ req }) => {
    const { headers } = req.raw
    if (isNowhere(req.path) && wantsPage(headers)) return missingPage(headers)
    const reachable = routes.filter(({ header }) => header === undefined || headers.has(header))
    return answerFailure(routeNotFound(reachable, req.method, req.path), req.path, headers)
  })

  const raw: RawAnswers = createRawAnswers({
    endpoints: contributions.flatMap(({ rawEndpoints = [] }) => rawEndpoints),
    guard,
    ofPerson: async (person) => (within ? raw : (await ofPerson.of(person)).raw),
    visits,
    bodyBudgets,
    secrets: options.secrets,
    unexpected: (error, path) => options.log?.error({ err: error, path }, 'a request failed'),
  })

  const fetchMcp = async (request: Request, visitor: Visitor): Promise<Response> => {
    requireScope(visitor, 'mcp', MCP_PATH)
    const bodyBudget = bodyBudgets(ownerOf(visitor))
    try {
      const declared = request.headers.get('content-length')
      await bodyBudget.hold(request.body === null ? 0 : Math.min(Number(declared ?? maxBodyBytes), maxBodyBytes))
      return heldResponse(await mcp.fetch(request, visitor), (end) => visits.hold(visitor, end))
    } finally {
      bodyBudget.end()
    }
  }

  const forwarder =
    homes &&
    runtime.store.gateways &&
    createForwarder({
      clock,
      homes,
      ...askedOfGuard(guard, raw.tokenOf),
      ownersGateway: () => undefined,
      refuse: (sockets, error) =>
        void writeResponse(
          sockets,
          answerFailure(error, requestPath(`http://gateway${sockets.incoming.url}`), headersOf(sockets.incoming)),
        ),
    })

  const fetchAs: HomeServer['fetchAs'] = async (visitor, request, bindings) => {
    const path = requestPath(request.url)
    try {
      return await (path === MCP_PATH ? fetchMcp(request, visitor) : app.fetch(request, { ...bindings, visitor }))
    } catch (error) {
      return answerFailure(error, path, request.headers)
    }
  }

  return {
    clock,
    get token() {
      return token
    },
    endStreams(which) {
      streams.endAll(which)
      if (!within) brake.release()
      entrance?.brake.release()
      mcp.close()
      ofPerson.endStreams(which)
    },
    async settle() {
      await Promise.all([brake.settle(), entrance?.brake.settle(), options.tokens?.uses.idle()])
    },
    pass: forwarder?.pass,
    answer: raw.answer,
    raw,
    fetchAs,
    refuse: (failure, path, headers) => errorResponse(failure, path, formats, headers),
    async fetch(request, bindings = {}) {
      const path = requestPath(request.url)
      try {
        const hook = request.method === 'POST' ? hooks.get(path) : undefined
        if (hook) return await hook(request)
        const entry = await guard.enter(request, path, bindings.remote, bindings.outgoing?.socket ?? undefined)
        if ('answer' in entry) return entry.answer
        const { visitor } = entry
        const server = visitor.person === undefined ? undefined : await ofPerson.of(visitor.person)
        return await (server?.fetchAs ?? fetchAs)(visitor, request, bindings)
      } catch (error) {
        return answerFailure(error, path, request.headers)
      }
    },
  }
}

/** The server of the home of a person. It answers those alone whom the entrance has let in. */
export async function createPersonServer(
  runtime: HostedRuntime,
  options: ServerOptions,
  within: Entrance,
): Promise<HomeServer> {
  return createHomeServer(runtime, { ...personOptions(options), ...(await hostedOptions(runtime)), within })
}

/** Of the options of a gateway, those that hold for the server of a person, too. */
function personOptions({ token, bind, maxBodyBytes, version, log, streams }: ServerOptions): ServerOptions {
  return { token, bind, version, log, ...defined({ maxBodyBytes, streams }) }
}

function routeNotFound(routes: readonly Route[], method: string, path: string): HttpFailure {
  const methods = routes.filter((route) => matchesPath(route.path, path)).map((route) => route.method)
  if (methods.length === 0) {
    return new HttpFailure('not-found', `There is no endpoint ${path}. GET /api/openapi.json lists the endpoints.`, {
      path,
    })
  }
  const allow = methods.join(', ')
  return new HttpFailure('method-not-allowed', `${path} accepts ${allow}, not ${method}.`, {}, { headers: { allow } })
}

function matchesPath(pattern: string, path: string): boolean {
  const [first = '', rest] = pattern.split(/\/:\w+\{\.\+\}$/)
  if (rest !== undefined) return path.startsWith(`${first}/`)
  const wanted = pattern.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((part, at) => (part.startsWith(':') ? given[at] !== '' : part === given[at]))
  )
}

/** Parsed without a URL object, since every request passes here. */
function requestPath(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.indexOf('?', start)
  return end === -1 ? url.slice(start) : url.slice(start, end)
}

/** Failures of a browser that opens an address with a token. */
const NOT_SIGNED_IN: ReadonlySet<string> = new Set(['unauthorized', 'too-many-attempts'])

/** The options of a server that follow from its runtime: contributions, choices, and the webhooks of channels. */
export async function hostedOptions({
  contributed,
  channels,
  secrets,
}: HostedRuntime): Promise<Pick<ServerOptions, 'contributions' | 'choices' | 'hooks' | 'secrets'>> {
  return {
    contributions: await collectContributions(contributed),
    choices: contributed.choices,
    secrets,
    hooks: Object.fromEntries(channels.flatMap(({ hook }) => (hook ? [[hook.path, hook.handle] as const] : []))),
  }
}

/** A response whose event stream breaks off when its caller loses access. `hold` gets what breaks it off, and returns what forgets it. */
function heldResponse(response: Response, hold: (end: () => void) => () => void): Response {
  if (response.body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  const lost = new AbortController()
  const release = hold(() => lost.abort())
  const passing: Transformer<Uint8Array, Uint8Array> = { flush: release, cancel: release }
  const body = response.body.pipeThrough(new TransformStream(passing), { signal: lost.signal })
  return new Response(body, response)
}
