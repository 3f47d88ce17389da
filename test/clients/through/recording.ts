import { sha256 } from '../../../src/platform.ts'
import type { ScriptedRequest } from '../../../src/testing.ts'

/** A call of a real program, as it is kept: its texts are filler, and nothing in it says whose machine it was. */
export interface RecordedCall {
  readonly client: string
  readonly story: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export function recordedCall(client: string, story: string, request: ScriptedRequest): RecordedCall {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    HEADERS.includes(name) && typeof value === 'string' ? [[name, plainHeader(value)] as const] : [],
  )
  return {
    client,
    story,
    path: request.path,
    headers: Object.fromEntries(headers),
    body: withFiller(request.body, ''),
  }
}

/** What tells programs and their sessions apart, and what an API reads. */
const HEADERS: readonly string[] = [
  'user-agent',
  'content-type',
  'anthropic-version',
  'anthropic-beta',
  'originator',
  'session-id',
  'session_id',
  'thread-id',
  'x-app',
  'x-claude-code-session-id',
  'x-session-id',
  'x-session-affinity',
  'x-interaction-type',
]

/** Without the system of the machine, and with other ids. */
function plainHeader(value: string): string {
  return value.replaceAll(/\([^)]*\)/g, '(system)').replaceAll(UUID, otherId)
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

function otherId(id: string): string {
  const digits = sha256(id)
  return [8, 4, 4, 4, 12].map((length, at) => digits.slice(at * 12, at * 12 + length)).join('-')
}

/** Keys whose values are words of the API. */
const WORDS: readonly string[] = ['type', 'role', 'name', 'model', 'ttl', 'status', 'id', 'call_id', 'tool_use_id']

/** The same text has the same filler everywhere; what stands for an API's own words stays. */
function withFiller(value: unknown, key: string): unknown {
  if (typeof value === 'string') return isPlain(value, key) ? value : filler(value)
  if (Array.isArray(value)) return value.map((each) => withFiller(each, key))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withFiller(each, name)]))
}

function isPlain(text: string, key: string): boolean {
  return text.length <= 40 && (WORDS.includes(key) ? /^[\w.:-]*$/ : /^[a-z_]{1,20}$/).test(text)
}

const FILLER = [
  'amber',
  'birch',
  'cedar',
  'delta',
  'ember',
  'fjord',
  'grove',
  'heron',
  'islet',
  'juniper',
  'knoll',
  'larch',
]
const LONGEST = 240

/** Words by which a program or its session is told where no header tells it. */
const SIGNS: readonly RegExp[] = [
  /^You are a personal assistant running inside OpenClaw\.$/m,
  /^Runtime: agent=\S+ \| session=\S+ \| sessionId=[\w-]+/m,
  /^You are (?:Qwen Code|Cline|the GitHub Copilot CLI|an agent in the Continue CLI)\b,?/m,
  /^Session folder: .*$/m,
]

/** As long as the text, though never longer than a few lines; the tags that it begins with stay, and so do signs of its program. */
function filler(text: string): string {
  const signs = SIGNS.flatMap(
    (sign) =>
      sign
        .exec(text)?.[0]
        .replace(/: \/.*\//, ': /')
        .replaceAll(UUID, otherId) ?? [],
  )
  if (signs.length > 0) return [plainFiller(text), ...signs].join('\n')
  return plainFiller(text)
}

function plainFiller(text: string): string {
  const [tag = ''] = /^\s*<[a-z_-]{1,40}>/.exec(text) ?? []
  const digits = sha256(text)
  let filled = tag
  for (let at = 0; filled.length < Math.min(text.length, LONGEST); at += 1) {
    filled += `${filled === tag ? '' : ' '}${FILLER[Number.parseInt(digits.charAt(at % digits.length), 16) % FILLER.length]!}`
  }
  return filled.slice(0, Math.max(tag.length, Math.min(text.length, LONGEST)))
}
