import type { ServerResponse } from 'node:http'
import type { Hono } from 'hono'
import type { z } from 'zod'
import { type BodyBudget, type Route, RuntimeError, type TokenScope } from '../capability.ts'
import { type Clock, growingRoom, isConnectionOfTool, LONG_TEXT, timeSlice } from '../platform.ts'
import { empty, json, sentInParts } from './answer.ts'
import type { createBodyBudgets } from './body-budgets.ts'
import type { Streams } from './event-stream.ts'
import { HttpFailure } from './failure.ts'
import { requireScope, type Visitor } from './guard.ts'
import type { Visits } from './visits.ts'

export interface Bindings {
  readonly outgoing?: ServerResponse
  /** The address of the other end of the connection. */
  readonly remote?: string
}

/** What the server passes to its routes. */
export interface RouteBindings extends Bindings {
  readonly visitor: Visitor
}

/** How many times larger a JSON body with images and files may be than another one. */
const FILES_FACTOR = 16

/** Adds routes to an app. A request that a schema refuses never reaches its handler. */
export function mount(
  app: Hono<{ Bindings: RouteBindings }>,
  routes: readonly Route[],
  { isOfPerson, maxBodyBytes, streams, visits, bodyBudgets, clock }: MountOptions,
): void {
  // Of several routes of one path, those that only some requests come to are asked first.
  for (const each of [
    ...routes.filter(({ header }) => header !== undefined),
    ...routes.filter(({ header }) => header === undefined),
  ]) {
    const { method, path, header, query, body, holdsFiles, handle } = each
    const most = holdsFiles ? maxBodyBytes * FILES_FACTOR : maxBodyBytes
    // Read with the first answer: what a route answers is made late.
    let success: number | undefined
    const scope = neededScope(each, isOfPerson)
    app.on(method, path, async (context, next) => {
      const request = context.req.raw
      if (header !== undefined && !request.headers.has(header)) return next()
      const { outgoing, visitor, remote } = context.env
      // Here and nowhere else: what was routed decides, not what a path looks like.
      if (scope !== 'none') requireScope(visitor, scope, `${method} ${path}`)
      if (method !== 'GET' && (scope === 'approve' || scope === 'admin')) refuseTools(outgoing, `${method} ${path}`)
      const bodyBudget = bodyBudgets(visitor.by)
      try {
        const answer: unknown = await handle({
          request,
          caller: visitor,
          remote,
          param: (name) => context.req.param(name) ?? '',
          query: query && parseInput(query, context.req.query(), 'query'),
          body: body && parseInput(body, await readJson(request, { maxBytes: most, bodyBudget, clock }), 'body'),
          stream: (definition) =>
            streams.open(request, outgoing, definition, (end) => visits.hold(visitor, () => end(visitor))),
        })
        // Not `instanceof`: an HTTP adapter may have put another class in the place of the global one.
        const isResponse = typeof answer === 'object' && answer !== null && 'arrayBuffer' in answer
        success ??= Number(Object.keys(each.answers)[0] ?? 200)
        if (success === 204 && !isResponse) return empty(204)
        if (answer !== undefined) {
          const response = isResponse ? (answer as Response) : json(answer, success)
          const sending = sentInParts.get(response)
          const work = sending && timeSlice(clock)
          if (work) sending.pause = () => (work.isOver() ? work.rest() : undefined)
          return response
        }
      } finally {
        // A stream works on the body after it has begun.
        if (outgoing && !outgoing.destroyed) outgoing.once('close', bodyBudget.end)
        else bodyBudget.end()
      }
      throw new TypeError(`The handler of ${method} ${path} returned no Response.`)
    })
  }
}

/** Decisions are for people: a program that a tool started cannot make them, whatever token it found. */
function refuseTools(outgoing: ServerResponse | undefined, what: string): void {
  const { localPort: local, remotePort: remote } = outgoing?.socket ?? {}
  if (local === undefined || remote === undefined || !isConnectionOfTool({ local, remote })) return
  throw new RuntimeError(
    'forbidden',
    `A program that a tool started asked for ${what}, which is for a person.`,
    {},
    { hint: 'Do it yourself, in the page or with the command.' },
  )
}

interface MountOptions {
  /** The home is that of a person. */
  readonly isOfPerson: boolean
  readonly clock: Clock
  readonly maxBodyBytes: number
  readonly streams: Streams
  readonly visits: Visits
  readonly bodyBudgets: ReturnType<typeof createBodyBudgets>
}

/** What a caller of a route needs in the home of the owner or of a person: what it declares, and `admin` where it declares nothing. */
export function neededScope(
  { needsToken, scope = 'admin', personScope = scope }: Pick<Route, 'needsToken' | 'scope' | 'personScope'>,
  isOfPerson: boolean,
): TokenScope | 'none' {
  if (needsToken === false) return 'none'
  return isOfPerson ? personScope : scope
}

function parseInput(schema: z.ZodType, value: unknown, where: string): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const problems = result.error.issues.map((issue) => ({
    at: [where, ...issue.path].join('.'),
    message: issue.message,
  }))
  const sentence = problems.map(({ at, message }) => `${at}: ${message}`).join('; ')
  const hint = 'Correct what is named. GET /api/openapi.json describes the input of every endpoint.'
  throw new HttpFailure('invalid-input', `Invalid request: ${sentence}.`, { problems }, { hint })
}

/** The JSON body of a request, or `{}`. Throws `HttpFailure` where it is too large, not declared as JSON, or does not parse. */
async function readJson(
  request: Request,
  {
    maxBytes,
    bodyBudget,
    clock,
  }: { readonly maxBytes: number; readonly bodyBudget: BodyBudget; readonly clock: Clock },
): Promise<unknown> {
  const body = await readText(request, maxBytes, bodyBudget)
  if (body === '') return {}
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) {
    throw new HttpFailure(
      'unsupported-media-type',
      'The body must be declared as JSON.',
      {},
      { hint: 'Send the header "Content-Type: application/json".' },
    )
  }
  const isLong = body.length > LONG_TEXT
  // Each of these steps goes over all of it.
  if (isLong) await clock.yield()
  if (hasTooManyValues(body)) {
    throw new HttpFailure(
      'invalid-input',
      `The body has more than ${MOST_VALUES} lists and objects.`,
      {},
      { hint: 'Send less in one request.' },
    )
  }
  if (isLong) await clock.yield()
  try {
    const value: unknown = JSON.parse(body)
    if (isLong) await clock.yield()
    return value
  } catch (error) {
    const detail = error instanceof SyntaxError ? error.message : 'it ends too early'
    const hint = 'Send one JSON value, and nothing after it.'
    throw new HttpFailure('invalid-input', `The body is not JSON: ${detail.slice(0, 200)}.`, {}, { hint })
  }
}

/** The most lists and objects in one body: each of them takes time that nobody else has. */
const MOST_VALUES = 50_000

/** Counts lists and objects without reading the body as JSON. */
function hasTooManyValues(body: string): boolean {
  let values = 0
  for (let at = 0; at < body.length; at++) {
    const character = body.charCodeAt(at)
    if ((character === 0x5b || character === 0x7b) && ++values > MOST_VALUES) return true
    if (character !== 0x22) continue
    // To the end of a text at once: the first quotation mark with an even number of signs in front that escape what follows.
    for (let escapes = 1; escapes % 2 === 1;) {
      const from = at
      at = body.indexOf('"', from + 1)
      if (at < 0) return false
      escapes = 0
      while (at - escapes > from + 1 && body.charCodeAt(at - escapes - 1) === 0x5c) escapes += 1
    }
  }
  return false
}

async function readText(request: Request, maxBytes: number, bodyBudget: BodyBudget): Promise<string> {
  const declared = request.headers.get('content-length')
  if (declared !== null) {
    // A body cannot be longer than declared: the HTTP parser ends it there.
    if (Number(declared) > maxBytes) throw tooLarge(maxBytes)
    await bodyBudget.hold(Number(declared))
    if (Number(declared) <= LONG_TEXT) return request.text()
  }
  if (request.body === null) return ''
  const decoder = new TextDecoder()
  let size = 0
  const texts: string[] = []
  for await (const bytes of request.body) {
    size += bytes.byteLength
    if (size > maxBytes) throw tooLarge(maxBytes)
    if (declared === null) await bodyBudget.hold(growingRoom(size))
    texts.push(decoder.decode(bytes, { stream: true }))
  }
  return [...texts, decoder.decode()].join('')
}

function tooLarge(maxBytes: number): HttpFailure {
  return new HttpFailure(
    'body-too-large',
    `The body is larger than the limit of ${maxBytes} bytes.`,
    { maxBytes },
    { hint: 'Send less, or raise gateway.maxBodyBytes.' },
  )
}
