import type { AnyMessage } from '../../context.ts'
import type { ModelErrorCode } from '../../model.ts'

export interface ScriptStep {
  readonly text: string
  readonly calls: readonly { readonly toolName: string; readonly input: unknown }[]
  readonly fail?: { readonly code: ModelErrorCode; readonly afterWords: number }
  /** Between words, ms. */
  readonly slowMs: number
}

/**
 * The script is the newest user message with script lines; the number of assistant messages after it is the number of
 * completed steps. `undefined` without a script, or at its end.
 */
export function dueStep(messages: readonly AnyMessage[]): ScriptStep | undefined {
  const at = messages.findLastIndex((message) => message.role === 'user' && LINE.test(messageText(message)))
  const script = messages[at]
  if (!script) return undefined
  const done = messages.slice(at + 1).filter(({ role }) => role === 'assistant').length
  return steps(messageText(script))[done]
}

const LINE = /^\/(?:call|say|fail|slow)\b/m

/**
 * `/say` lines are the text of a step, and the `/call` lines after them its parallel calls. A step ends with its
 * calls or with `/fail`. An invalid line becomes text that explains its syntax.
 */
function steps(script: string): readonly ScriptStep[] {
  const whole: ScriptStep[] = []
  let slowMs = 0
  let says: string[] = []
  let calls: ScriptStep['calls'] = []
  const end = (fail?: ScriptStep['fail']) => {
    if (says.length + calls.length > 0 || fail)
      whole.push({ text: says.join('\n'), calls, slowMs, ...(fail ? { fail } : {}) })
    says = []
    calls = []
  }
  for (const line of script.split(/\r\n|\n|\r/)) {
    const [, command = '', rest = ''] = /^\/(call|say|fail|slow)\b\s*(.*)$/.exec(line) ?? []
    if (command === '') continue
    if (command !== 'call' && calls.length > 0) end()
    const read = READERS[command as keyof typeof READERS](rest)
    if (typeof read === 'string') says.push(read)
    else if ('toolName' in read) calls = [...calls, read]
    else if ('code' in read) end(read)
    else slowMs = read.slowMs
  }
  end()
  return whole
}

type Read = string | ScriptStep['calls'][number] | NonNullable<ScriptStep['fail']> | { readonly slowMs: number }

const READERS: Readonly<Record<'call' | 'say' | 'fail' | 'slow', (rest: string) => Read>> = {
  say: (rest) => rest,
  call(rest) {
    const [, toolName, json = ''] = /^([\w.:-]+)\s*(.*)$/.exec(rest) ?? []
    const input = parsed(json === '' ? '{}' : json)
    if (toolName && input !== undefined) return { toolName, input }
    return `A call is written /call tool {"name": "value"} on one line, with its input as JSON. This one is not: /call ${rest}`
  },
  fail(rest) {
    const [, code, words = '0'] = /^(\S+)(?:\s+(\d+))?$/.exec(rest.trim()) ?? []
    if (code && isCode(code)) return { code, afterWords: Number(words) }
    return `A failure is written /fail code, or /fail code N to fail after N words, and the code is one of ${Object.keys(CODES).join(', ')}. This one is not: /fail ${rest}`
  },
  slow(rest) {
    if (/^\d{1,5}$/.test(rest.trim())) return { slowMs: Number(rest) }
    return `A pause between words is written /slow N, in milliseconds, at most five digits. This one is not: /slow ${rest}`
  },
}

const CODES: Readonly<Record<ModelErrorCode, true>> = {
  'context-overflow': true,
  'prompt-truncated': true,
  'rate-limit': true,
  quota: true,
  auth: true,
  'model-not-found': true,
  'bad-request': true,
  'unexpected-answer': true,
  'unsupported-parameter': true,
  server: true,
  timeout: true,
  network: true,
  'content-filter': true,
  cancelled: true,
}

function isCode(code: string): code is ModelErrorCode {
  return Object.hasOwn(CODES, code)
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    return undefined
  }
}

function messageText({ content }: AnyMessage): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}
