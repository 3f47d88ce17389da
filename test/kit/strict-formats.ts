import type { Wire } from '../../src/testing/scripted-provider-answer.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * What a strict server refuses in a request, by the rules that the vendors document; `undefined`: it is accepted.
 * `issued`: signatures and encrypted reasoning that this server has handed out, which are all that it takes back.
 */
export function strictFault(wire: Wire, body: Fields, issued: ReadonlySet<string> = new Set()): string | undefined {
  try {
    checkTexts(body, 'body')
    for (const tool of list(body['tools']))
      checkName(str(fields(fields(tool)['function'] ?? tool)['name'], 'tools.name'))
    rules[wire](body, issued)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

class Refusal extends Error {}

function refuse(why: string): never {
  throw new Refusal(why)
}

const rules: Readonly<Record<Wire, (body: Fields, issued: ReadonlySet<string>) => void>> = {
  'openai-chat': chatRules,
  'openai-responses': responsesRules,
  anthropic: messagesRules,
  ollama: ollamaRules,
  // No request of ours is in the format of Gemini.
  gemini() {},
}

/** https://platform.openai.com/docs/api-reference/chat: ids have at most 40 characters. */
function chatRules(body: Fields, issued: ReadonlySet<string>): void {
  const waiting: string[] = []
  const seen = new Set<string>()
  for (const [at, value] of filled(body['messages'], 'messages').entries()) {
    const message = fields(value)
    const { role, content } = message
    const where = `messages[${at}]`
    if (role === 'tool') {
      const id = str(message['tool_call_id'], `${where}.tool_call_id`)
      if (!waiting.includes(id)) refuse(`${where}: no call ${id} waits for a result`)
      waiting.splice(waiting.indexOf(id), 1)
      str(content, `${where}.content`)
      continue
    }
    if (waiting.length > 0) refuse(`${where}: a call has no result: ${waiting.join()}`)
    if (!['system', 'developer', 'user', 'assistant'].includes(String(role))) refuse(`${where}.role ${String(role)}`)
    const calls = message['tool_calls'] === undefined ? [] : filled(message['tool_calls'], `${where}.tool_calls`)
    for (const each of calls) {
      const call = fields(each)
      const about = fields(call['function'])
      const id = str(call['id'], `${where}.id`)
      if (!/^[a-zA-Z0-9_-]{1,40}$/.test(id)) refuse(`${where}: id ${JSON.stringify(id)}`)
      if (seen.has(id)) refuse(`${where}: id ${id} comes twice`)
      seen.add(id)
      const signature = fields(fields(call['extra_content'])['google'])['thought_signature']
      if (signature !== undefined && !issued.has(str(signature, where))) refuse(`${where}: corrupted thought signature`)
      checkName(str(about['name'], `${where}.name`))
      jsonObject(str(about['arguments'], `${where}.arguments`), where)
      waiting.push(id)
    }
    if (typeof content === 'string' ? content === '' && role !== 'assistant' : false) refuse(`${where}: no content`)
    if (calls.length === 0 && !hasText(content)) refuse(`${where}: neither content nor calls`)
  }
  if (waiting.length > 0) refuse(`a call has no result: ${waiting.join()}`)
}

function hasText(content: unknown): boolean {
  if (typeof content === 'string') return content.trim() !== ''
  return (
    list(content).length > 0 &&
    list(content).every((part) => fields(part)['type'] !== 'text' || hasText(fields(part)['text']))
  )
}

/** https://platform.claude.com/docs/en/api/messages and .../agents-and-tools/tool-use */
function messagesRules(body: Fields, issued: ReadonlySet<string>): void {
  const seen = new Set<string>()
  let waiting: string[] = []
  let marks = 0
  let former = 'assistant'
  const text = (block: Fields, where: string) => {
    if (!hasText(block['text'])) refuse(`${where}: text must not be blank`)
  }
  for (const block of list(body['system'])) text(fields(block), 'system')
  if (typeof body['system'] === 'string' && body['system'].trim() === '') refuse('system is blank')
  const messages = filled(body['messages'], 'messages')
  for (const [at, value] of messages.entries()) {
    const { role, content } = fields(value)
    const where = `messages.${at}`
    if (role !== 'user' && role !== 'assistant') refuse(`${where}.role ${String(role)}`)
    if (role === former) refuse(`${where}: roles must alternate`)
    former = role
    if (typeof content === 'string') {
      if (!hasText(content)) refuse(`${where}: text must not be blank`)
      if (waiting.length > 0) refuse(`${where}: tool_use without tool_result`)
      continue
    }
    const blocks = filled(content, `${where}.content`).map(fields)
    const results = blocks.findIndex(({ type }) => type !== 'tool_result')
    for (const block of blocks.slice(0, results < 0 ? undefined : results)) {
      const id = str(block['tool_use_id'], where)
      if (!waiting.includes(id)) refuse(`${where}: tool_result for ${id} has no tool_use in the message before`)
      waiting = waiting.filter((each) => each !== id)
      for (const part of list(block['content'])) if (fields(part)['type'] === 'text') text(fields(part), where)
    }
    if (waiting.length > 0) refuse(`${where}: tool_use without tool_result at once: ${waiting.join()}`)
    for (const block of results < 0 ? [] : blocks.slice(results)) {
      if (block['cache_control']) marks += 1
      switch (block['type']) {
        case 'text':
          text(block, where)
          break
        case 'image':
        case 'document':
          break
        case 'thinking':
          if (!issued.has(str(block['signature'], where))) refuse(`${where}: signature in thinking block is not valid`)
          break
        case 'redacted_thinking':
          if (!issued.has(str(block['data'], where))) refuse(`${where}: data of redacted_thinking is not valid`)
          break
        case 'tool_use': {
          const id = str(block['id'], where)
          if (role !== 'assistant') refuse(`${where}: tool_use of a user`)
          if (!/^[a-zA-Z0-9_-]{1,64}$/.test(id)) refuse(`${where}: id ${JSON.stringify(id)}`)
          if (seen.has(id)) refuse(`${where}: tool_use ids must be unique: ${id}`)
          seen.add(id)
          checkName(str(block['name'], where))
          if (!isObject(block['input'])) refuse(`${where}: input must be an object`)
          waiting.push(id)
          break
        }
        default:
          refuse(`${where}: unexpected block ${String(block['type'])}`)
      }
    }
  }
  if (former !== 'user') refuse('the conversation must end with a user message')
  if (waiting.length > 0) refuse('tool_use without tool_result')
  if (marks > 4) refuse('a maximum of 4 blocks with cache_control may be provided')
}

/** https://developers.openai.com/api/reference/resources/responses, with `store: false` */
function responsesRules(body: Fields, issued: ReadonlySet<string>): void {
  const items = new Set<string>()
  const waiting = new Set<string>()
  const seen = new Set<string>()
  for (const [at, value] of filled(body['input'], 'input').entries()) {
    const item = fields(value)
    const where = `input[${at}]`
    const prefix = { reasoning: 'rs', function_call: 'fc' }[String(item['type'])] ?? 'msg'
    if (item['id'] !== undefined) {
      const id = str(item['id'], where)
      if (!id.startsWith(prefix) || !/^[a-zA-Z0-9_-]{1,64}$/.test(id))
        refuse(`${where}.id ${JSON.stringify(id)}: expected an id that begins with ${prefix}`)
      if (items.has(id)) refuse(`${where}: duplicate item with id ${id}`)
      items.add(id)
    }
    switch (item['type'] ?? 'message') {
      case 'message':
        if (!['system', 'developer', 'user', 'assistant'].includes(String(item['role']))) refuse(`${where}.role`)
        if (typeof item['content'] !== 'string') {
          for (const part of filled(item['content'], `${where}.content`)) {
            const { type, text } = fields(part)
            const wanted = item['role'] === 'assistant' ? 'output_text' : 'input_text'
            if (type !== wanted && type !== 'input_image' && type !== 'input_file')
              refuse(`${where}: part ${String(type)}`)
            if (type === wanted) str(text, where)
          }
        }
        break
      case 'reasoning':
        if (!issued.has(str(item['encrypted_content'], `${where}.encrypted_content`)))
          refuse(`${where}: encrypted content could not be verified`)
        for (const part of list(item['summary'])) str(fields(part)['text'], where)
        if (!Array.isArray(item['summary'])) refuse(`${where}.summary is missing`)
        break
      case 'function_call': {
        const id = str(item['call_id'], where)
        if (!/^[a-zA-Z0-9_-]{1,64}$/.test(id)) refuse(`${where}.call_id ${JSON.stringify(id)}`)
        if (seen.has(id)) refuse(`${where}: call_id ${id} comes twice`)
        seen.add(id)
        waiting.add(id)
        checkName(str(item['name'], where))
        jsonObject(str(item['arguments'], where), where)
        break
      }
      case 'function_call_output': {
        const id = str(item['call_id'], where)
        if (!waiting.delete(id)) refuse(`${where}: no tool call found for function call output with call_id ${id}`)
        if (typeof item['output'] !== 'string') filled(item['output'], where)
        break
      }
      default:
        refuse(`${where}: unexpected item ${String(item['type'])}`)
    }
  }
  if (waiting.size > 0) refuse(`no tool output found for function call ${[...waiting].join()}`)
}

/** https://docs.ollama.com/api/chat */
function ollamaRules(body: Fields): void {
  let waiting = 0
  for (const [at, value] of filled(body['messages'], 'messages').entries()) {
    const message = fields(value)
    const where = `messages[${at}]`
    str(message['content'], `${where}.content`)
    if (message['role'] === 'tool') {
      waiting -= 1
      if (waiting < 0) refuse(`${where}: a result without a call`)
      checkName(str(message['tool_name'], where))
      continue
    }
    if (waiting > 0) refuse(`${where}: a call has no result`)
    for (const each of list(message['tool_calls'])) {
      const about = fields(fields(each)['function'])
      checkName(str(about['name'], where))
      if (!isObject(about['arguments'])) refuse(`${where}: arguments must be an object`)
      waiting += 1
    }
  }
  if (waiting > 0) refuse('a call has no result')
}

function checkName(name: string): void {
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) refuse(`name ${JSON.stringify(name)} does not match '^[a-zA-Z0-9_-]{1,64}$'`)
}

/** No half of a pair of surrogates, anywhere. */
function checkTexts(value: unknown, where: string): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) refuse(`${where}: no valid Unicode: ${JSON.stringify(value.slice(0, 60))}`)
  } else if (Array.isArray(value)) for (const [at, each] of value.entries()) checkTexts(each, `${where}[${at}]`)
  else if (isObject(value))
    for (const [name, each] of Object.entries(value)) {
      checkTexts(name, where)
      checkTexts(each, `${where}.${name}`)
    }
}

function jsonObject(text: string, where: string): void {
  try {
    if (isObject(JSON.parse(text))) return
  } catch {
    // Refused below.
  }
  refuse(`${where}: arguments are no object of JSON: ${text.slice(0, 60)}`)
}

function str(value: unknown, where: string): string {
  return typeof value === 'string'
    ? value
    : refuse(`${where}: expected a string, got ${JSON.stringify(value)?.slice(0, 60)}`)
}

function filled(value: unknown, where: string): readonly unknown[] {
  return Array.isArray(value) && value.length > 0 ? value : refuse(`${where}: expected a list that is not empty`)
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function fields(value: unknown): Fields {
  return isObject(value) ? value : {}
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
