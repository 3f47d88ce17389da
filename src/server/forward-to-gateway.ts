import { type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http'
import { type Clock, errorMessage } from '../platform.ts'
import { cutOffError, type PeopleHomes } from '../runtime.ts'
import { HttpFailure } from './failure.ts'
import type { Guard } from './guard.ts'

/** A request on its socket. */
export interface Sockets {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

/** In a request that other gateways have handed on: how often. */
const FORWARDED = 'x-foreword-forwarded'
/** How many gateways are tried for one request. */
const TRIES = 4
/** How often it is looked whether who answers a request is still there, ms. */
const LOOK_MS = 250
/** How long a gateway may need to take a connection, ms. */
const CONNECT_MS = 2_000
/** How long a gateway that does not say that it is there may need for an answer, ms. */
const SILENT_MS = 3_000
/** How often a request is handed on, also where its home moves to and fro meanwhile. */
const MOST_HOPS = 4

/** Answers a request that this gateway has itself. `person`: whose home it opens. */
type Here = (person: string | undefined) => void

/** What a forwarder asks about homes and the gateways that have them. */
export type ForwardedHomes = Pick<
  PeopleHomes,
  'place' | 'hold' | 'isOpen' | 'suspect' | 'isGone' | 'isLost' | 'isCutOff'
>

export interface ForwardOptions {
  readonly clock: Clock
  readonly homes: ForwardedHomes
  /** Whose home a request opens; `undefined`: that of the owner, or none. */
  personOf(incoming: IncomingMessage): string | undefined
  /** Where the home of the owner is; `undefined`: here. */
  ownersGateway(incoming: IncomingMessage): string | undefined
  /** Names of headers that are not handed on, in small letters: what the other gateway would believe because it comes from this one. */
  headersToDrop(incoming: IncomingMessage): readonly string[]
  /** Answers with a failure. */
  refuse(sockets: Sockets, error: unknown): void
}

export type Forwarder = ReturnType<typeof createForwarder>

/**
 * Hands the requests of gateways that share a database to the one that has the home in question. Bytes go through as they are, both ways.
 * `here` answers what this gateway has itself.
 */
export function createForwarder({ clock, homes, personOf, ownersGateway, headersToDrop, refuse }: ForwardOptions) {
  async function pass(sockets: Sockets, here: Here): Promise<void> {
    const { incoming, outgoing } = sockets
    const hops = Number(incoming.headers[FORWARDED] ?? 0)
    // A sign-in ends at the gateway where it began, also where somebody is signed in meanwhile.
    const person = isSignInPath(incoming.url ?? '') ? undefined : personOf(incoming)
    // Whatever a request waits for here, it does not wait for a database that does not answer, or for a home that was taken over.
    let isHere = false
    if (homes.isCutOff() && !isHealthPath(incoming.url ?? '')) throw cutOffError()
    whileOpen(outgoing, () => {
      const isCutOff = homes.isCutOff()
      if (isHere && (isCutOff || (person !== undefined && !homes.isOpen(person)))) outgoing.destroy()
      else if (isCutOff) lose(sockets, cutOffError())
    })
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      // A home that is looked for does not move until it is known what the request needs.
      const release = person === undefined ? undefined : homes.hold(person)
      const at = await placeOf(incoming, person, hops > 0).catch((error: unknown) => {
        release?.()
        throw error
      })
      if (at === undefined && !outgoing.closed) {
        if (release) outgoing.once('close', release)
        isHere = true
        return here(person)
      }
      release?.()
      if (at === undefined || outgoing.writableEnded) return
      if (!(hops < MOST_HOPS)) throw elsewhere(`This is at ${at}.`)
      // The home of a person is opened elsewhere then; that of the owner is where somebody takes it over.
      if (homes.isLost(at) && person === undefined) break
      if (await send(sockets, { at, hops })) return
    }
    throw elsewhere('No gateway has this home at the moment.')
  }

  /** Looks again and again until the answer has ended. */
  function whileOpen(outgoing: ServerResponse, look: () => void): void {
    outgoing.once('close', clock.every(LOOK_MS, look))
  }

  /** Ends a request that nobody answers any more. What was sent of an answer cannot be taken back. */
  function lose(sockets: Sockets, error: unknown): void {
    if (sockets.outgoing.headersSent) sockets.outgoing.destroy()
    else refuse(sockets, error)
  }

  async function placeOf(incoming: IncomingMessage, person: string | undefined, forwarded: boolean) {
    if (person === undefined) return ownersGateway(incoming)
    const place = await homes.place(person, forwarded)
    return 'elsewhere' in place ? place.elsewhere : undefined
  }

  /** Returns whether anything was sent: where not, the gateway is gone. */
  async function send(
    sockets: Sockets,
    { at, hops }: { readonly at: string; readonly hops: number },
  ): Promise<boolean> {
    const { incoming, outgoing } = sockets
    const { hostname, port } = new URL(at)
    const kept = withoutHeaders(incoming.rawHeaders, FORWARDED, ...headersToDrop(incoming))
    const headers = [...kept, FORWARDED, String(hops + 1)]
    const { method, url: path } = incoming
    const upstream = httpRequest({ hostname, port, method, path, headers, agent: false, setHost: false })
    const connected = new Promise<boolean>((resolve) => {
      upstream.once('socket', (socket) => {
        socket.once('connect', () => resolve(true))
      })
      upstream.once('error', () => resolve(false))
    })
    // A machine that is gone refuses nothing.
    const stopWaiting = clock.timer(CONNECT_MS, () => upstream.destroy(new Error('it cannot be reached')))
    const isConnected = await connected
    stopWaiting()
    if (!isConnected) {
      homes.suspect(at)
      return false
    }
    // A frozen gateway keeps its connections. One that is only slow to say that it is there may be busy with this. Where the home moves
    // meanwhile, the other one hands the request on, or ends it.
    const since = clock.monotonic()
    whileOpen(outgoing, () => {
      if (homes.isLost(at) || (homes.isGone(at) && clock.monotonic() - since > SILENT_MS))
        upstream.destroy(new Error('it is gone'))
    })
    upstream.on('error', (error) =>
      lose(sockets, elsewhere(`The gateway at ${at} has not answered: ${errorMessage(error)}`)),
    )
    outgoing.once('close', () => upstream.destroy())
    upstream.once('response', (response) => {
      outgoing.writeHead(
        response.statusCode ?? 502,
        response.statusMessage,
        withoutHeaders(response.rawHeaders, ...OF_CONNECTION),
      )
      response.on('error', () => outgoing.destroy())
      response.pipe(outgoing)
    })
    incoming.pipe(upstream)
    return true
  }

  return {
    /** Takes a request over: it is answered here with `here`, or by another gateway. Never rejects. */
    pass(sockets: Sockets, here: Here): void {
      pass(sockets, here).catch((error: unknown) => refuse(sockets, error))
    },
  }
}

function isSignInPath(url: string): boolean {
  return /^\/sign-in(?:[/?]|$)/.test(url)
}

function isHealthPath(url: string): boolean {
  return /^\/health(?:[/?]|$)/.test(url)
}

/** This gateway does not have what a request is about. Another one soon will. */
export function elsewhere(message: string, facts: Readonly<Record<string, unknown>> = {}): HttpFailure {
  return new HttpFailure('standby', message, facts, { headers: { 'retry-after': '1' } })
}

/** What a forwarder asks of the guard about a request. `tokenOf`: the token that it brings where the guard looks for none. */
export function askedOfGuard(
  guard: Pick<Guard, 'personOf' | 'headersToDrop'>,
  tokenOf: (incoming: IncomingMessage) => string | undefined = () => undefined,
): Pick<ForwardOptions, 'personOf' | 'headersToDrop'> {
  return {
    personOf(incoming) {
      const { socket } = incoming
      return guard.personOf(
        headersOf(incoming),
        { socket: socket.remoteAddress, connection: socket },
        tokenOf(incoming),
      )
    },
    headersToDrop: (incoming) =>
      guard.headersToDrop(headersOf(incoming), incoming.socket.remoteAddress, incoming.socket),
  }
}

/** Writes an answer to its socket. */
export async function writeResponse({ outgoing }: Pick<Sockets, 'outgoing'>, response: Response): Promise<void> {
  if (outgoing.writableEnded) return
  if (outgoing.headersSent) return void outgoing.destroy()
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.end(await response.text())
}

/** The headers of a request on its socket. */
export function headersOf({ headers }: IncomingMessage): Headers {
  return new Headers(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as [string, string]],
    ),
  )
}

/** Raw pairs without those of some names, which are in small letters. */
function withoutHeaders(raw: readonly string[], ...names: readonly string[]): string[] {
  return raw.filter((_, at) => !names.includes(raw[at - (at % 2)]!.toLowerCase()))
}

/** What belongs to the connection between two gateways. */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding']
