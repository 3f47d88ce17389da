import type { ServerResponse } from 'node:http'
import type { z } from 'zod'

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
