import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  ResourceNotFoundError,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { McpCall, McpCatalogue, McpTool } from '../../capability.ts'
import { failureEnvelope, failureReply } from './envelope.ts'

interface ProtocolOptions {
  readonly version: string
  /** Seals state that passes through a client. All servers that may receive the state again share it. */
  readonly seals: RequestStateCodec
  readonly asksPersons: boolean
  readonly unexpected: (error: unknown) => void
}

/** The protocol revision of a server: `legacy` is 2025-11-25 and earlier, `modern` is 2026-07-28. */
export type Era = 'legacy' | 'modern'

/** The protocol around a catalogue, for one connection or one request. */
export function protocolServer(catalogue: McpCatalogue, era: Era, options: ProtocolOptions): McpServer {
  const { version, seals, unexpected } = options
  const mcp = new McpServer(
    { name: 'foreword', title: 'Foreword', version },
    { instructions: catalogue.instructions, requestState: { verify: seals.verify } },
  )
  const { server } = mcp
  server.registerCapabilities({ tools: {}, resources: {}, prompts: {}, completions: {}, ...catalogue.capabilities })
  const tools = new Map(catalogue.tools.map((tool) => [tool.definition.name, tool]))
  const prompts = new Map(catalogue.prompts.map((prompt) => [prompt.definition.name, prompt]))

  server.setRequestHandler('tools/list', async () => {
    const offered = await Promise.all(
      catalogue.tools.map(async ({ definition }) => ({
        definition,
        refusal: await catalogue.refusal(definition.name),
      })),
    )
    catalogue.listed?.()
    return { tools: offered.filter(({ refusal }) => refusal === undefined).map(({ definition }) => definition) }
  })
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = tools.get(params.name)
    if (tool === undefined) throw invalidParams(`There is no tool ${JSON.stringify(params.name)}.`)
    const call = mcpCall(context, era, readClient(mcp, context), options)
    try {
      return await answerCall(catalogue, tool, params.arguments ?? {}, call)
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      return failureReply(error, unexpected)
    }
  })

  server.setRequestHandler('resources/list', ({ params }) => guarded(() => catalogue.resources.list(params?.cursor)))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [...catalogue.resources.templates],
  }))
  server.setRequestHandler('resources/read', async ({ params }) => {
    const read = await guarded(() => catalogue.resources.read(params.uri))
    if (read === undefined) throw new ResourceNotFoundError(params.uri)
    return read
  })

  server.setRequestHandler('prompts/list', () => ({ prompts: catalogue.prompts.map(({ definition }) => definition) }))
  server.setRequestHandler('prompts/get', ({ params }, context) => {
    const prompt = prompts.get(params.name)
    if (prompt === undefined) throw invalidParams(`There is no prompt ${JSON.stringify(params.name)}.`)
    for (const { name, required } of prompt.definition.arguments ?? []) {
      if (required && !params.arguments?.[name]) throw invalidParams(`The argument ${name} is missing.`)
    }
    return guarded(() => prompt.get(params.arguments ?? {}, context))
  })

  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    const values = await guarded(async () => {
      if (ref.type === 'ref/resource') return catalogue.resources.complete(ref.uri, argument.name, argument.value)
      const prompt = prompts.get(ref.name)
      if (prompt === undefined) throw invalidParams(`There is no prompt ${JSON.stringify(ref.name)}.`)
      return (await prompt.complete?.(argument)) ?? []
    })
    return { completion: { values: values.slice(0, VALUES), total: values.length, hasMore: values.length > VALUES } }
  })
  return mcp

  /** Replaces an unexpected error by one without internal details. */
  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      unexpected(error)
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'Foreword failed; its log has the details.')
    }
  }
}

/** Seals with a key of its own, for one method. Made late: the platform's cryptography would delay `initialize` by 5 ms. */
export function requestStateCodec(): RequestStateCodec {
  let codec: RequestStateCodec | undefined
  const made = () =>
    (codec ??= createRequestStateCodec({
      key: crypto.getRandomValues(new Uint8Array(32)),
      bind: ({ mcpReq: { method } }) => method,
    }))
  return {
    mint: async (...state) => made().mint(...state),
    verify: async (...state) => made().verify(...state),
  }
}

export function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}

async function answerCall(catalogue: McpCatalogue, tool: McpTool, input: Record<string, unknown>, call: McpCall) {
  const refusal = await catalogue.refusal(tool.definition.name)
  if (refusal === undefined) return tool.call(input, call)
  await catalogue.refused?.({ tool: tool.definition.name, input, client: call.client, by: call.by }, refusal)
  return failureEnvelope('unavailable', refusal.reason, { rule: refusal.rule })
}

interface Client {
  readonly name: string | undefined
  readonly capabilities: ClientCapabilities | undefined
}

/** In the newer revision each request names its client. In the older ones the connection does. */
function readClient({ server }: McpServer, { mcpReq: { envelope } }: ServerContext): Client {
  const said = envelope as Readonly<Record<string, unknown>> | undefined
  const info = (said?.[CLIENT_INFO_META_KEY] as { name?: unknown } | undefined) ?? server.getClientVersion()
  const capabilities = said?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
  return {
    name: typeof info?.name === 'string' && info.name.trim() !== '' ? info.name.trim().slice(0, 100) : undefined,
    capabilities: capabilities ?? server.getClientCapabilities(),
  }
}

function mcpCall(context: ServerContext, era: Era, client: Client, { seals, asksPersons }: ProtocolOptions): McpCall {
  const { mcpReq } = context
  const { _meta: meta } = mcpReq
  const progressToken = meta?.progressToken
  return {
    client: client.name,
    by: context.http?.authInfo?.clientId,
    signal: mcpReq.signal,
    person: asksPersons && asksInForms(client.capabilities) ? (era === 'modern' ? 'round' : 'reply') : undefined,
    seal: (content) => seals.mint(content, context),
    sealed: () => mcpReq.requestState(),
    async progress(progress, total, message) {
      if (progressToken === undefined || mcpReq.signal.aborted) return
      const params = { progressToken, progress, total, message }
      // The reader may be gone.
      await mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
    },
    context,
  }
}

/** A client that declares `elicitation` without details supports forms. */
function asksInForms(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

const VALUES = 100
