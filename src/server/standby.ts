import { randomBytes } from 'node:crypto'
import { type Clock, defined } from '../platform.ts'
import { openBrowserSessions } from '../runtime.ts'
import type { GatewayRow, Waiting } from '../session.ts'
import { errorResponse, json, securityHeaders } from './answer.ts'
import { createBrake } from './brake.ts'
import type { Server } from './create-server.ts'
import { HttpFailure, toFailure } from './failure.ts'
import { createGuard, requireScope } from './guard.ts'
import { listen, type ListeningServer } from './listen.ts'
import { gatewayMetrics, METRICS_TYPE, metricsText } from './metrics-text.ts'
import { LIVE_PATH } from './routes/health-routes.ts'

export interface StandbyOptions {
  readonly clock: Clock
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
  await waiting.announce(listening.url)
  return {
    listening,
    serve(next) {
      server = next
    },
  }
}

const OPEN_PATHS: readonly string[] = ['/health', LIVE_PATH, '/health/ready']

/**
 * The server of a gateway that stands by: it is alive and not ready, lists the gateways to callers with the token of the owner, and
 * refuses everything else with the address of the one that works.
 */
function createStandbyServer(waiting: Waiting, { clock, token, bind, allowedHosts }: StandbyOptions): Server {
  const brake = createBrake({ clock, record: async () => {} })
  const guard = createGuard({
    clock,
    token: () => token,
    browsers: openBrowserSessions({ random: randomBytes, clock }),
    brake,
    bind,
    allowedHosts,
    isOpen: (_, path) => OPEN_PATHS.includes(path),
  })
  return {
    clock,
    token,
    endStreams: () => brake.release(),
    settle: () => brake.settle(),
    refuse: (failure, path) => errorResponse(failure, path),
    async fetch(request, { remote } = {}) {
      const path = new URL(request.url).pathname
      try {
        const entry = await guard.enter(request, path, remote)
        if ('answer' in entry) return entry.answer
        const { visitor } = entry
        if (path === '/health' || path === LIVE_PATH) return json({ ok: true })
        if (path === '/health/ready') throw standbyFailure(undefined)
        requireScope(visitor, 'read', path)
        if (path === '/api/gateways') return json({ gateways: await waiting.list() })
        if (path === '/metrics') {
          const body = metricsText(gatewayMetrics({ isActive: false, takeovers: 0 }))
          return new Response(body, { headers: { ...securityHeaders, 'content-type': METRICS_TYPE } })
        }
        throw standbyFailure(waiting.active())
      } catch (error) {
        return errorResponse(toFailure(error), path)
      }
    },
  }
}

function standbyFailure(active: GatewayRow | undefined): HttpFailure {
  const { address, host } = active ?? {}
  const who = address ?? (host === undefined ? undefined : `the gateway on ${host}`)
  const message = `This gateway stands by${who === undefined ? '' : `, and ${who} works`}.`
  return new HttpFailure('standby', message, { ...defined({ active: address }) }, { headers: { 'retry-after': '1' } })
}
