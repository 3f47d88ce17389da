import { z } from 'zod'
import type { Caller, TokenScope } from './token-scope.ts'

/** What a route is handed: everything in it has been checked against the route's schemas. */
export interface RouteCall<Query, Body> {
  readonly request: Request
  readonly caller: Caller
  /** The address of the other end of the connection; absent inside this process. */
  readonly remote: string | undefined
  /** A part of the path, decoded. */
  param(name: string): string
  readonly query: Query
  readonly body: Body
  /** Answers with server-sent events. Rejects with what `run` throws before its first write. */
  stream(definition: StreamDefinition): Promise<Response>
}

/** One stream of server-sent events. */
export interface StreamDefinition {
  readonly headers?: Readonly<Record<string, string>>
  /** An answer, which its reader takes for whole when it ends: the others can be read on from the last event. */
  readonly isAnswer?: true
  /** Ends the stream when it resolves. A failure before the first write is thrown to the caller of `stream`. */
  run(sink: Sink): Promise<void>
  /** The last text of a stream that has begun and then fails. */
  lastWords(error: unknown): string
}

/** The destination of a stream's text. Writing never waits by itself; the writer decides. */
export interface Sink {
  /** Aborted when the reader has left or fallen too far behind, or when the server ends its streams. */
  readonly signal: AbortSignal
  /** Has an effect until the first write. */
  header(name: string, value: string): void
  /** Sends the headers now rather than with the first write: from here on a failure is reported within the stream. */
  begin(): void
  /**
   * Returns a promise only where the reader has fallen behind, or other work runs: wait for it before writing more. Several texts are one
   * event in parts, between which other work may run.
   */
  write(text: string | Iterable<string>): Promise<void> | undefined
}

/** One endpoint: what it accepts, what it answers, and how. The OpenAPI document is made from the same schemas. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `:name` for the variable parts. */
  readonly path: string
  /** In lower case: only requests with this header come here. Those without it go to the route of the same path that names none. */
  readonly header?: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** Its JSON may contain images and files, so it may be sixteen times larger than others. */
  readonly holdsFiles?: boolean
  /** A body that is `multipart/form-data`; its handler reads it from the request as it comes. */
  readonly form?: z.ZodType
  /** What the token of a caller has to be for. `admin` unless given: a route that forgets it is open to nobody else. */
  readonly scope?: TokenScope
  /** The scope in the home of a person, where what it changes is their own. As `scope` unless given. */
  readonly personScope?: TokenScope
  /** `false`: anyone who reaches the port may ask for it, from a page of this gateway. It must reveal nothing of the home. */
  readonly needsToken?: false
  /** Request headers that it reads, with what they are for. */
  readonly headers?: Readonly<Record<string, string>>
  /** By status; the first is that of success. */
  readonly answers: Readonly<Record<number, RouteAnswer>>
  /** Returns a `Response`, or what is answered as JSON with the status of success; nothing is answered where that is 204. */
  handle(call: RouteCall<unknown, unknown>): unknown
}

interface RouteAnswer {
  readonly description: string
  /** Media type of the body. `application/json` where a schema is given and no other is named. */
  readonly media?: string
  readonly schema?: z.ZodType
}

/**
 * A route whose handler sees the types of its schemas, at an address such as `GET /api/agents/:agent`. Its tag is the word
 * behind `/api/` unless another one is given.
 */
export function route<Query extends z.ZodObject = z.ZodObject, Body extends z.ZodType = z.ZodUndefined>(
  address: `${Route['method']} ${string}`,
  definition: Omit<Route, 'method' | 'path' | 'tag' | 'handle' | 'query' | 'body' | 'answers'> & {
    readonly tag?: string
    /** A function makes them when the OpenAPI document is asked for: a start makes no schema of an answer. */
    readonly answers: Route['answers'] | (() => Route['answers'])
    readonly query?: Query
    readonly body?: Body
    handle(call: RouteCall<z.output<Query>, z.output<Body>>): unknown
  },
): Route {
  const [method, path] = address.split(' ') as [Route['method'], string]
  const { answers, ...others } = definition
  let made = typeof answers === 'function' ? undefined : answers
  // The mount parses with these very schemas before it calls.
  return {
    method,
    path,
    tag: path.split('/')[2] ?? '',
    ...others,
    get answers() {
      return (made ??= (answers as () => Route['answers'])())
    },
  }
}

/** The answers of a route that succeeds with JSON: of a schema, or of an object with these fields. */
export function jsonAnswer(
  description: string,
  schema: z.ZodType | Readonly<Record<string, z.ZodType>>,
  status = 200,
): Route['answers'] {
  return { [status]: { description, schema: schema instanceof z.ZodType ? schema : z.object(schema) } }
}

/** A failure as an endpoint reports it: a status, a code for programs, a sentence for people. */
export interface Failure {
  readonly status: number
  readonly code: string
  readonly message: string
  /** What else is known. Never a secret. */
  readonly facts: Readonly<Record<string, unknown>>
  /** How to fix it, where that is a sentence of its own. */
  readonly hint?: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** How failures are answered below a path whose clients expect a shape of their own. */
export interface ErrorFormat {
  /** Such as `/v1/`. Of several that fit, the longest counts. */
  readonly path: string
  /** In lower case: only for requests with this header. It counts before all that name none. */
  readonly header?: string
  format(failure: Failure): FormattedFailure
}

interface FormattedFailure {
  readonly status: number
  readonly body: object
  /** Besides those of the failure. */
  readonly headers?: Readonly<Record<string, string>>
}
