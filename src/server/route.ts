import type { Route } from '../capability.ts'
import { type ServerResponse } from 'node:http'
import { type Hono } from 'hono'
import { type z } from 'zod'
import { readJson } from './body.ts'
import type { Streams } from './event-stream.ts'
import { HttpFailure } from './failure.ts'

/** What an HTTP adapter knows besides the request. */
export interface Bindings {
  readonly outgoing?: ServerResponse
}

/** How many times larger a JSON body with images and files may be than others. */
const FILES_FACTOR = 16

/** Puts routes on an app. What a schema refuses never reaches its handler. */
export function mount(
  app: Hono<{ Bindings: Bindings }>,
  routes: readonly Route[],
  { maxBodyBytes, streams }: { readonly maxBodyBytes: number; readonly streams: Streams },
): void {
  for (const { method, path, query, body, holdsFiles, handle } of routes) {
    const most = holdsFiles ? maxBodyBytes * FILES_FACTOR : maxBodyBytes
    app.on(method, path, async (context) => {
      const request = context.req.raw
      return handle({
        request,
        param: (name) => context.req.param(name) ?? '',
        query: query && check(query, context.req.query(), 'query'),
        body: body && check(body, await readJson(request, most), 'body'),
        stream: (definition) => streams.open(request, context.env?.outgoing, definition),
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
