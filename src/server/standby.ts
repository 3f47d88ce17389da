import { type Clock, defined } from '../platform.ts'
import { personNotFound } from '../runtime.ts'
import type { GatewayRow, Waiting } from '../session.ts'
import { errorResponse, json, securityHeaders } from './answer.ts'
import { createPersonServer, type Server, type ServerOptions } from './create-server.ts'
import { createEntrance } from './entrance.ts'
import { type HttpFailure, toFailure } from './failure.ts'
import {
  askedOfGuard,
  createForwarder,
  elsewhere,
  type ForwardedHomes,
  type Sockets,
  writeResponse,
} from './forward-to-gateway.ts'
import { requireScope } from './guard.ts'
import { listen, type ListeningServer } from './listen.ts'
import { gatewayMetrics, METRICS_TYPE, metricsText } from './metrics-text.ts'
import { createPersonServers } from './person-servers.ts'
import { LIVE_PATH } from './routes/health-routes.ts'

export interface StandbyOptions extends Pick<
  ServerOptions,
  'tokens' | 'people' | 'maxBodyBytes' | 'heldBodyMegabytes' | 'trustedProxy' | 'publicUrl' | 'peerAddress' | 'log'
> {
  readonly clock: Clock
  readonly version: string
  readonly token: string | undefined
  readonly bind: string
  readonly port: number
  readonly allowedHosts?: readonly string[] | undefined
}

/** A port that is open while a gateway stands by, and serves it once it works: connections stay. */
export interface StandbyListener {
  readonly listening: ListeningServer
  /** From here on this server answers. */
  serve(next: Server): void
}

/** Opens the port of a gateway that stands by, and tells the others where it is. Rejects as `listen` does. */
export async function listenOnStandby(waiting: Waiting, options: StandbyOptions): Promise<StandbyListener> {
  let server = createStandbyServer(waiting, options)
  const listening = await listen(
    {
      fetch: (request, bindings) => server.fetch(request, bindings),
      pass(sockets, here) {
        if (server.pass) server.pass(sockets, here)
        else here(undefined)
      },
      answer: (incoming, outgoing) => server.answer?.(incoming, outgoing) ?? false,
      endStreams: (which) => server.endStreams(which),
      refuse: (failure, path, headers) => server.refuse(failure, path, headers),
      settle: () => server.settle(),
      get token() {
        return server.token
      },
      clock: options.clock,
    },
    options,
  )
  const address = options.peerAddress ?? listening.url
  await waiting.announce(address)
  await options.people?.announce(address)
  return {
    listening,
    serve(next) {
      const former = server
      server = next
      // What lets people in is that of the next one: who watches asks that one.
      former.endStreams({ answers: false })
    },
  }
}

const OPEN_PATHS: readonly string[] = ['/health', LIVE_PATH, '/health/ready']

/**
 * The server of a gateway that stands by for the home of the owner: it is alive and not ready, and lists the gateways. It has homes of
 * people as any other gateway has, and hands on what is for the one that has the owner's; without one, that is refused.
 */
function createStandbyServer(waiting: Waiting, options: StandbyOptions): Server {
  const { clock, token, people } = options
  const entrance = createEntrance(
    { ...options, token: () => token, isOpen: (_, path) => OPEN_PATHS.includes(path) },
    async () => {},
  )
  const { guard, brake } = entrance
  const persons = createPersonServers(people, (runtime) => createPersonServer(runtime, options, entrance))
  const answerFailure = (error: unknown, path: string) => errorResponse(toFailure(error), path)
  const forwarder = createForwarder({
    clock,
    homes: people ?? nobodysHomes,
    ...askedOfGuard(guard),
    ownersGateway({ url = '' }) {
      if (OWN_PATHS.includes(url.split('?')[0]!)) return undefined
      return waiting.active()?.address
    },
    refuse: (sockets, error) => void writeResponse(sockets, answerFailure(error, sockets.incoming.url ?? '')),
  })

  /** The raw endpoints of a person are those of their own server. */
  async function answerHere(
    { incoming, outgoing }: Sockets,
    person: string | undefined,
    here: (person: string | undefined) => void,
  ): Promise<void> {
    const server = person === undefined ? undefined : await persons.of(person).catch(() => undefined)
    if (!server?.raw.answer(incoming, outgoing)) here(person)
  }

  return {
    clock,
    token,
    pass: (sockets, here) => forwarder.pass(sockets, (person) => void answerHere(sockets, person, here)),
    endStreams(which) {
      brake.release()
      persons.endStreams(which)
    },
    settle: () => brake.settle(),
    refuse: (failure, path) => errorResponse(failure, path),
    async fetch(request, bindings = {}) {
      const path = new URL(request.url).pathname
      try {
        const entry = await guard.enter(request, path, bindings.remote)
        if ('answer' in entry) return entry.answer
        const { visitor } = entry
        if (visitor.person !== undefined)
          return await (await persons.of(visitor.person)).fetchAs(visitor, request, bindings)
        if (path === '/health' || path === LIVE_PATH) return json({ ok: true })
        if (path === '/health/ready') throw standbyFailure(undefined)
        requireScope(visitor, 'read', path)
        if (path === '/api/gateways') {
          const rows = await waiting.list()
          return json({ gateways: (await people?.spread(rows)) ?? rows })
        }
        if (path === '/metrics') {
          const body = metricsText(gatewayMetrics({ isActive: false, takeovers: 0 }))
          return new Response(body, { headers: { ...securityHeaders, 'content-type': METRICS_TYPE } })
        }
        throw standbyFailure(waiting.active())
      } catch (error) {
        return answerFailure(error, path)
      }
    },
  }
}

/** What a gateway that stands by says of itself. */
const OWN_PATHS: readonly string[] = [...OPEN_PATHS, '/api/gateways', '/metrics']

const nobodysHomes: ForwardedHomes = {
  place: async (name) => Promise.reject(personNotFound(name)),
  hold: () => () => {},
  isOpen: () => false,
  suspect: () => {},
  isGone: () => false,
  isLost: () => false,
  isCutOff: () => false,
}

function standbyFailure(active: GatewayRow | undefined): HttpFailure {
  const { address, host } = active ?? {}
  const who = address ?? (host === undefined ? undefined : `the gateway on ${host}`)
  return elsewhere(
    `This gateway stands by${who === undefined ? '' : `, and ${who} works`}.`,
    defined({ active: address }),
  )
}
