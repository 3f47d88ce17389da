import { type ServerResponse } from 'node:http'
import { type Hono } from 'hono'
import { type z } from 'zod'
import { readJson } from './body.ts'
import { HttpFailure } from './failure.ts'

/** What a route is handed: everything in it has been checked against the route's schemas. */
export interface RouteCall<Query, Body> {
  readonly request: Request
  /** A part of the path, decoded. */
  param(name: string): string
  readonly query: Query
  readonly body: Body
  /** Present behind a listening server; streams then write to it directly. */
  readonly outgoing: ServerResponse | undefined
}

/** One door: what it takes, what it answers, and how. The OpenAPI document is made from the same schemas. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `:name` for the variable parts. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** Its JSON may hold images and files, so it may be sixteen times larger than others. */
  readonly holdsFiles?: boolean
  /** A body that is `multipart/form-data`; its handler reads it from the request as it comes. */
  readonly form?: z.ZodType
  /** Request headers that it reads, with what they are for. */
  readonly headers?: Readonly<Record<string, string>>
  readonly answers: Readonly<Record<number, RouteAnswer>>
  handle(call: RouteCall<unknown, unknown>): Response | Promise<Response>
}

export interface RouteAnswer {
  readonly description: string
  /** Media type of the body. `application/json` where a schema is given and nothing else is said. */
  readonly media?: string
  readonly schema?: z.ZodType
}

/** A route whose handler sees the types of its schemas. */
export function route<Query extends z.ZodObject = z.ZodObject, Body extends z.ZodType = z.ZodUndefined>(
  definition: Omit<Route, 'handle' | 'query' | 'body'> & {
    readonly query?: Query
    readonly body?: Body
    handle(call: RouteCall<z.output<Query>, z.output<Body>>): Response | Promise<Response>
  },
): Route {
  // The mount parses with these very schemas before it calls.
  return definition
}

/** What an HTTP adapter knows besides the request. */
export interface Bindings {
  readonly outgoing?: ServerResponse
}

/** How many times larger a JSON body with images and files may be than others. */
const FILES_FACTOR = 16

/** Puts routes on an app. What a schema refuses never reaches its handler. */
export function mount(app: Hono<{ Bindings: Bindings }>, routes: readonly Route[], maxBodyBytes: number): void {
  for (const { method, path, query, body, holdsFiles, handle } of routes) {
    const most = holdsFiles ? maxBodyBytes * FILES_FACTOR : maxBodyBytes
    app.on(method, path, async (context) => {
      const request = context.req.raw
      return handle({
        request,
        param: (name) => context.req.param(name) ?? '',
        query: query && check(query, context.req.query(), 'query'),
        body: body && check(body, await readJson(request, most), 'body'),
        outgoing: context.env?.outgoing,
      })
    })
  }
}

function check(schema: z.ZodType, value: unknown, where: string): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const problems = result.error.issues.map((issue) => ({
    at: [where, ...issue.path].join('.'),
    message: issue.message,
  }))
  const sentence = problems.map(({ at, message }) => `${at}: ${message}`).join('; ')
  throw new HttpFailure(400, 'invalid-input', `Invalid request: ${sentence}.`, { problems })
}
