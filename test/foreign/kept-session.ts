import { createHash } from 'node:crypto'
import { splitBody } from '../../src/foreign.ts'

/** What a session took on its way, and what is kept of it. */
export interface KeptSession {
  readonly sentBytes: number
  readonly largestBytes: number
  /** Each part once with its digest, and for each call the digests of the parts that the call before had elsewhere or not at all. */
  readonly keptBytes: number
}

const DIGEST = 32

/** Keeps the bodies of a session that grows by results of so many bytes. */
export function keepSession(calls: number, resultBytes: number): KeptSession {
  const stored = new Set<string>()
  let [sentBytes, largestBytes, keptBytes] = [0, 0, 0]
  let before: readonly string[] = []
  for (const body of growingSession(calls, resultBytes)) {
    sentBytes += body.length
    largestBytes = Math.max(largestBytes, body.length)
    const keys: string[] = []
    for (const part of splitBody(body)) {
      const key = createHash('sha256').update(part).digest('base64')
      keys.push(key)
      if (!stored.has(key)) keptBytes += part.length + DIGEST
      stored.add(key)
    }
    let same = 0
    while (same < keys.length && keys[same] === before[same]) same += 1
    let end = 0
    while (end < Math.min(keys.length, before.length) - same && keys.at(-1 - end) === before.at(-1 - end)) end += 1
    keptBytes += (keys.length - same - end) * DIGEST
    before = keys
  }
  return { sentBytes, largestBytes, keptBytes }
}

/** Calls of a session that grows by a call of a tool and its result, with a cache mark that moves along, as Claude Code sends them. */
function* growingSession(calls: number, resultBytes: number): Generator<Uint8Array> {
  const tools = Array.from({ length: 30 }, (_, index) => ({
    name: `tool_${index}`,
    description: `Does ${index}. `.repeat(150),
    input_schema: { type: 'object' },
  }))
  const messages: { role: string; content: unknown }[] = [{ role: 'user', content: 'Go on until it is done.' }]
  for (let call = 0; call < calls; call += 1) {
    const last = messages.at(-1)!
    const blocks =
      typeof last.content === 'string' ? [{ type: 'text', text: last.content }] : (last.content as readonly object[])
    const moved = {
      ...last,
      content: [...blocks.slice(0, -1), { ...blocks.at(-1), cache_control: { type: 'ephemeral' } }],
    }
    const body = {
      model: 'm',
      messages: [...messages.slice(0, -1), moved],
      system: [{ type: 'text', text: `call ${call}` }],
      tools,
      stream: true,
    }
    yield new TextEncoder().encode(JSON.stringify(body))
    const result = `${createHash('sha512').update(String(call)).digest('base64')}\n`.repeat(Math.ceil(resultBytes / 90))
    messages.push({
      role: 'assistant',
      content: [{ type: 'tool_use', id: `c${call}`, name: 'tool_1', input: { path: `src/${call}.ts` } }],
    })
    messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${call}`, content: result }] })
  }
}
