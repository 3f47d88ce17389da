import { createHash } from 'node:crypto'
import { type Command, type CommandCall, type GatewayConnection, type Io, sentDifferently } from '../../capability.ts'
import { countedText, outputText, type ToolDefinition, exactLine } from '../../context.ts'
import type { RebuiltRequest, RequestView } from '../../runtime.ts'
import { requestJson, apiPath } from '../answer.ts'
import { callSessionOption } from '../arguments.ts'
import { withConnection } from '../connection.ts'
import { findCall } from '../find-session.ts'
import { safeForTerminal, note, print, applyStyle, escapeJson } from '../io.ts'

export const requestCommand: Command = {
  name: 'request',
  group: 'look',
  movedTo: 'calls request',
  summary: 'print the exact request of an earlier call',
  usage: ['request CALL [--session ID] > request.json', 'request CALL --pretty'],
  details:
    'Rebuilds the request from the log in canonical order (tools, system, messages) and compares it with the ' +
    'digest recorded when the call was made. It then rebuilds the body for the provider and compares it ' +
    'with the digest of the body that was sent. The exit code is 1 if one of them differs.\nCALL is an id, the beginning of one, ' +
    '`last` for the newest call, or `last~N` for the N-th before it.',
  words: { least: 1, most: 1 },
  options: {
    pretty: { summary: 'print it in readable form: tools, system message and messages' },
    session: callSessionOption,
  },
  run: (call, io) => withConnection(call.home, io, 'read', (connection) => printRequest(connection, call, io)),
}

async function printRequest(connection: GatewayConnection, call: CommandCall, io: Io): Promise<number> {
  const id = await findCall(connection, call.words[0]!, call.text('session'))
  const rebuilt = await requestJson<RebuiltRequest>(connection, apiPath('/api/calls/', id, '/request'))
  // A second `JSON.stringify` leaves its own output unchanged, byte for byte.
  const body = JSON.stringify(rebuilt.request)
  const digest = createHash('sha256').update(body).digest('hex')
  const recorded = rebuilt.call.requestDigest
  if (call.has('pretty')) print(io, requestText(rebuilt.request, io))
  else io.stdout.write(io.stdout.isTTY === true ? escapeJson(body) : body)
  if (digest === recorded) note(io, `sha256 ${digest}: identical to what was sent`, 'green')
  else note(io, `sha256 ${digest}: differs from what was sent (${recorded})`, 'red')
  noteWire(rebuilt, io)
  return digest === recorded && rebuilt.wire?.state !== 'different' ? 0 : 1
}

function noteWire({ wire, call }: RebuiltRequest, io: Io): void {
  const left = call.outcome?.wire
  for (const sentence of sentDifferently(call.outcome ?? {})) note(io, sentence)
  if (!wire || !left) return
  if (wire.state === 'identical') {
    const where = `${countedText(left.bytes, 'byte')} to ${left.url}`
    note(io, `body sha256 ${wire.got}: identical to the body that was sent (${where})`, 'green')
  } else if (wire.state === 'different') {
    const what = `body sha256 ${wire.got}: differs from the body that was sent (${wire.expected})`
    note(io, `${what}: settings of the model, or the package of its provider, have changed since`, 'red')
  } else {
    note(io, `body sha256 ${wire.expected} was sent; it cannot be rebuilt to compare: ${wire.why}`, 'yellow')
  }
}

/** A request for people. The text of a message is indented, so that nothing in it can look like a heading. */
function requestText({ tools, system, messages }: RequestView, io: Io): string {
  const blocks = [
    ...(tools.length === 0 ? [] : [block(`tools (${tools.length})`, tools.map(toolText).join('\n'), io)]),
    ...(system === undefined ? [] : [block('system', system, io)]),
    ...messages.map(({ role, content }, index) => {
      const text = typeof content === 'string' ? content : content.map(partText).join('\n')
      return block(`${index + 1} ${role}`, text, io)
    }),
  ]
  return blocks.join('\n\n')
}

function block(heading: string, text: string, io: Io): string {
  const lines = safeForTerminal(text, io.stdout).split(/\r\n|\r|\n/)
  return [applyStyle(io, 'bold', heading), ...lines.map((line) => (line === '' ? '' : `  ${line}`))].join('\n')
}

/** `name(parameter, optional?): description`, the description below where it has several lines. */
function toolText({ name, description = '', inputSchema }: ToolDefinition): string {
  const { properties = {}, required = [] } = inputSchema as {
    readonly properties?: object
    readonly required?: readonly string[]
  }
  const parameters = Object.keys(properties).map((key) => exactLine(required.includes(key) ? key : `${key}?`))
  return `${exactLine(name)}(${parameters.join(', ')})\n${description.trim().replaceAll(/^(?=.)/gm, '  ')}`.trimEnd()
}

type Message = RequestView['messages'][number]

type Part = Exclude<Message['content'], string>[number]

function partText(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'reasoning':
      return `(reasoning) ${part.text}`
    case 'tool-call':
      return `→ ${exactLine(part.toolName)} ${JSON.stringify(part.input)}`
    case 'tool-result':
      return `← ${exactLine(part.toolName)}: ${outputText(part.output)}`
    default:
      return `[${exactLine('mediaType' in part && part.mediaType ? part.mediaType : part.type)}]`
  }
}
