import type { GatewayConnection } from '../../src/capability.ts'

/**
 * Answers of a gateway by `METHOD /path`; a text that begins with `event` or `id` is a stream. What is looked up by the
 * beginning of an id is there, under that whole id, unless the script has it otherwise.
 */
export type Script = Readonly<Record<string, unknown>>

export interface ScriptedConnection extends GatewayConnection {
  /** `METHOD /path body`, in the order they came. */
  readonly asked: readonly string[]
}

export function scriptedConnection(script: Script): ScriptedConnection {
  const asked: string[] = []
  return {
    asked,
    fetch(path, init = {}) {
      const line = `${init.method ?? 'GET'} ${path}`
      const looked = script[line] === undefined ? /^GET \/api\/(\w+)\?limit=\d+&beginning=(.*)$/.exec(line) : null
      if (looked) return Promise.resolve(Response.json({ [looked[1]!]: [{ id: decodeURIComponent(looked[2]!) }] }))
      asked.push(typeof init.body === 'string' ? `${line} ${init.body}` : line)
      return Promise.resolve(answerOf(script[line]))
    },
    close: () => Promise.resolve(),
    inProcess: false,
  }
}

function answerOf(answer: unknown): Response {
  if (answer === undefined) return Response.json({ error: { code: 'not-found', message: 'not here' } }, { status: 404 })
  if (typeof answer === 'string') return new Response(answer, { headers: { 'content-type': 'text/event-stream' } })
  const refused = typeof (answer as { error?: unknown }).error === 'object'
  return Response.json(answer, { status: refused ? 400 : 200 })
}

/** One turn as its events say it. */
export function turnStream(text: string, outcome: unknown = { type: 'completed' }): string {
  const base = { session: 's1', turn: 't1', time: '2026-01-01T00:00:00.000Z' }
  const tokens = { counter: 'chars@1', full: 1, least: 1 }
  return [
    { id: '1', type: 'entry', entry: { ...base, seq: 1, type: 'turn-start' } },
    { id: '1.1', type: 'text-delta', turn: 't1', call: 'c1', text },
    {
      id: '2',
      type: 'entry',
      entry: { ...base, seq: 2, type: 'message', call: 'c1', message: { role: 'assistant', content: text }, tokens },
    },
    { id: '3', type: 'entry', entry: { ...base, seq: 3, type: 'turn-end', outcome } },
  ]
    .map((event) => `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')
}
