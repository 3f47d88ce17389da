import { errorMessage } from '../../platform.ts'
import type { ToolResult } from '../../tool.ts'
import { type CallResult, ConnectionFault, type ContentPart } from './connection.ts'
import type { McpDefinition } from './definition.ts'
import type { ListedConnection } from './link.ts'

interface CallSettings {
  readonly name: string
  readonly isOut: () => string | undefined
  readonly connection: () => Promise<ListedConnection>
  readonly callFault: (tool: string) => string | undefined
  /** Removes secrets. */
  readonly clean: (text: string) => string
}

export type ServerCall = (definition: McpDefinition, input: unknown, signal: AbortSignal) => Promise<ToolResult>

/**
 * Connects first if there is no connection. Repeats only a call that the server has certainly not seen. Failures are
 * results that name the server and the reason.
 */
export function serverCall({ name, isOut, connection, callFault, clean }: CallSettings): ServerCall {
  async function callConnected(definition: McpDefinition, input: unknown, signal: AbortSignal): Promise<ToolResult> {
    const linked = await connection().catch((error: unknown) => {
      throw new NoConnection(error)
    })
    await linked.listed()
    signal.throwIfAborted()
    const fault = callFault(definition.name)
    if (fault !== undefined) return failure(fault)
    try {
      return renderResult(await linked.connection.call(definition, input, signal), clean)
    } catch (error) {
      if (error instanceof ConnectionFault && error.isLost) await linked.close()
      throw error
    }
  }

  function failure(error: string): ToolResult {
    return { ok: false, error: clean(error) }
  }

  function describeFailure(error: unknown): ToolResult {
    const why = errorMessage(error)
    if (error instanceof NoConnection) return failure(`the MCP server ${name} cannot be reached: ${why}`)
    const isLost = error instanceof ConnectionFault && error.isLost && !error.isUnsent
    return failure(
      isLost
        ? `the MCP server ${name} was lost during the call, which may or may not have taken effect: ${why}`
        : `the call failed at the MCP server ${name}: ${why}`,
    )
  }

  return async (definition, input, signal) => {
    const fault = callFault(definition.name)
    if (fault !== undefined) return failure(fault)
    const out = isOut()
    if (out !== undefined) return failure(`the MCP server ${name} cannot be reached: ${out}`)
    try {
      return await callConnected(definition, input, signal)
    } catch (error) {
      const isUnsent = error instanceof ConnectionFault && error.isUnsent && !signal.aborted
      return isUnsent ? await callConnected(definition, input, signal).catch(describeFailure) : describeFailure(error)
    }
  }
}

/** A signal within this file: there was no connection, so the call was not made. */
class NoConnection extends Error {
  constructor(cause: unknown) {
    super(errorMessage(cause), { cause })
  }
}

const LARGEST = 8 * 1024 * 1024

/** Images, sounds and other bytes are named, never pasted; structured content is used only if there is no text. */
function renderResult(result: CallResult, clean: (text: string) => string): ToolResult {
  const parts = result.content ?? []
  const isSilent = !parts.some(({ type, text }) => type === 'text' && typeof text === 'string' && text !== '')
  const structured =
    isSilent && result.structuredContent !== undefined ? [JSON.stringify(result.structuredContent)] : []
  const whole = clean([...parts.map(partText), ...structured].join('\n'))
  const bytes = Buffer.byteLength(whole)
  const text = bytes > LARGEST ? cut(whole, bytes) : whole
  const meta = { bytes, ...(bytes > LARGEST && { truncated: true }) }
  if (result.isError === true)
    return { ok: false, error: text === '' ? 'the tool failed without saying why' : text, meta }
  return { ok: true, output: text, meta }
}

function partText(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return plainText(typeof part['text'] === 'string' ? part['text'] : '')
    case 'image':
    case 'audio':
      return `[${part.type} ${word(part['mimeType'])}, ${base64Size(part['data'])}]`
    case 'resource_link':
      return `[resource ${words(part['uri'], part['name'], part['mimeType'])}]`
    case 'resource':
      return resourceText(part['resource'])
    default:
      return `[${word(part.type)}: content of a kind that is not known here]`
  }
}

function resourceText(resource: unknown): string {
  const { uri, mimeType, text, blob } = (resource ?? {}) as Readonly<Record<string, unknown>>
  if (typeof text === 'string') return `[resource ${words(uri, mimeType)}]\n${plainText(text)}`
  return `[resource ${words(uri, mimeType)}, ${base64Size(blob)}]`
}

/** A text with a NUL byte counts as binary. */
function plainText(text: string): string {
  return text.includes('\0') ? `[binary data, ${count(Buffer.byteLength(text))}]` : text.toWellFormed()
}

function base64Size(data: unknown): string {
  if (typeof data !== 'string') return 'of unknown size'
  const digits = data.replace(/[\s=]/g, '').length
  return count(Math.floor((digits * 3) / 4))
}

function count(bytes: number): string {
  return `${bytes.toLocaleString('en-US')} ${bytes === 1 ? 'byte' : 'bytes'}`
}

function words(...values: readonly unknown[]): string {
  return values
    .filter((value) => value !== undefined && value !== '')
    .map(word)
    .join(' ')
}

function word(value: unknown): string {
  const line = typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : 'of unknown kind'
  return line.length > 2_000 ? `${line.slice(0, 2_000)} …` : line
}

function cut(text: string, bytes: number): string {
  // `stream` drops the rest of a character that was cut in the middle.
  const shown = new TextDecoder().decode(Buffer.from(text).subarray(0, LARGEST), { stream: true })
  return `${shown}\n...[truncated: ${LARGEST} of ${bytes} bytes shown]`
}
