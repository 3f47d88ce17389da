import { type Clock, errorMessage, ForewordError, once } from '../../platform.ts'
import type { Readable, Writable } from 'node:stream'
import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  type Transport,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { McpCatalogue, McpDefinitions, Runtime, McpPrompt, McpTool } from '../../capability.ts'
import type { McpContributionSource } from './catalogue.ts'
import { protocolServer, requestStateCodec } from './protocol-server.ts'
import { allDefinitions } from './definitions.ts'
import { failureEnvelope } from './envelope.ts'

export interface McpStdioOptions extends StdioOptions {
  readonly home: string
  /** The `definitions` of the capabilities, in their order. They are known before the home is open. */
  readonly definitions?: readonly McpDefinitions[]
  /** Opens the home. Called when it is first needed, and again after a failure. */
  readonly open: () => Promise<OpenHome>
}

export interface OpenHome {
  readonly runtime: Runtime
  /** In the order of `definitions`. */
  readonly additions: readonly McpContributionSource[]
}

/** Serves a home to one MCP client over stdio. Answers before the home is open: clients wait for the list of tools. */
export function serveMcpOverStdio({ home, definitions = [], open, ...options }: McpStdioOptions): StdioConnection {
  const { clock, unexpected } = options
  const catalogue = async () => {
    const [{ runtime, additions }, { openCatalogue }] = await Promise.all([open(), import('./catalogue.ts')])
    return openCatalogue(runtime, { unexpected, additions })
  }
  return stdioConnection(lateCatalogue(clock, catalogue, home, definitions), options)
}

interface StdioOptions {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly version: string
  readonly clock: Clock
  readonly asksPersons: boolean
  readonly unexpected: (error: unknown) => void
}

export interface StdioConnection {
  /** Resolves when the input has ended and every request is answered, when the output is broken, or after `close`. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

function stdioConnection(catalogue: McpCatalogue, options: StdioOptions): StdioConnection {
  const { stdin, stdout, clock, version, asksPersons, unexpected } = options
  const seals = requestStateCodec()
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const transport = answeringTransport(clock, stdin, stdout, resolve)
  const handle = serveStdio(({ era }) => protocolServer(catalogue, era, { version, seals, asksPersons, unexpected }), {
    transport,
    onerror: (error) => unexpected(shortError(error)),
  })
  return { ended, close: handle.close }
}

/** Replaces the long schema errors of an invalid line by one sentence for the log of the client. */
function shortError(error: Error): Error {
  if (!('issues' in error)) return error
  return new Error('Skipped a line from the client that is not an MCP message.', { cause: error })
}

const NEWLINE = 10

/** MCP over stdio. After the end of the input it stays open until every request has its answer. `closed`: once, at its end. */
function answeringTransport(clock: Clock, stdin: Readable, stdout: Writable, closed: () => void): Transport {
  const wire = new StdioServerTransport(stdin, stdout)
  /** Requests of the client without an answer yet. */
  const open = new Set<RequestId>()
  /** Requests to the client without an answer yet. */
  const asked = new Set<RequestId>()
  let isOver = false
  let isBroken = false
  let endsLine = true
  const look = (chunk: Buffer) => (endsLine = chunk.at(-1) === NEWLINE)
  const closeWire = wire.close.bind(wire)
  const close = () => {
    stdin.off('data', look)
    return closeWire()
  }
  const closeOnceAnswered = () => (isOver && open.size === 0 ? close() : undefined)
  const transport: Transport = {
    async start() {
      stdout.once('error', () => (isBroken = true))
      stdin.on('data', look)
      await wire.start()
    },
    async send(message) {
      if (isRequest(message)) {
        asked.add(message.id)
        if (isOver) return clock.soon(() => answerWithError(message.id))
      }
      await wire.send(message)
      if (!('method' in message) && message.id !== undefined) open.delete(message.id)
      await closeOnceAnswered()
    },
    close,
  }

  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
  wire.onmessage = (message) => {
    note(message)
    transport.onmessage?.(message)
    void closeOnceAnswered()
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
  wire.onerror = (error) => transport.onerror?.(error)
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
  wire.onclose = () => {
    transport.onclose?.()
    closed()
  }
  // The wire calls this at the end of its input, with a broken output, and after an unfinished line.
  wire.close = async () => {
    if (isBroken || !(stdin.readableEnded || stdin.destroyed)) return close()
    // The last line of a file may lack its newline.
    if (!isOver && !endsLine) stdin.emit('data', Buffer.of(NEWLINE))
    isOver = true
    asked.forEach(answerWithError)
    await closeOnceAnswered()
  }
  return transport

  function note(message: JSONRPCMessage): void {
    if (!('method' in message)) {
      if (message.id !== undefined) asked.delete(message.id)
    } else if (isRequest(message)) {
      // A subscription gets its answer when the connection ends.
      if (message.method !== 'subscriptions/listen') open.add(message.id)
    } else if (message.method === 'notifications/cancelled') {
      // A cancelled request gets no answer.
      open.delete(message.params?.['requestId'] as RequestId)
    }
  }

  /** Answers a request to the client with an error, because the client can no longer answer. */
  function answerWithError(id: RequestId): void {
    if (!asked.delete(id)) return
    transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32_000, message: 'The client has ended its input.' } })
  }
}

/** The SDK has parsed every message. Its own predicates would parse it once more. */
function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message
}

/**
 * The catalogue of a home that is not open yet: lists are answered at once, and everything else waits for the home. The home is
 * opened with the first request that needs it, or after the tools were listed. Where that fails, each call reports why, and the
 * next one tries again.
 */
function lateCatalogue(
  clock: Clock,
  open: () => Promise<McpCatalogue>,
  home: string,
  added: readonly McpDefinitions[],
): McpCatalogue {
  const { instructions, tools, templates, prompts } = allDefinitions(added)
  let refusal: Promise<McpCatalogue['refusal']> | undefined
  let whole: McpCatalogue | undefined
  const opened = once(async () => {
    try {
      return (whole = await open())
    } catch (error) {
      throw new HomeNotOpened(`The home cannot be opened: ${errorMessage(error)}`)
    }
  })
  /** For everything but tools, which report the error in their envelope. */
  const openedOrRefused = () =>
    opened().catch((error: Error) => {
      throw new ProtocolError(ProtocolErrorCode.InternalError, error.message)
    })

  return {
    instructions,
    tools: tools.map((definition) => lateTool(definition, opened)),
    resources: {
      templates,
      list: async (cursor) => (await openedOrRefused()).resources.list(cursor),
      read: async (uri) => (await openedOrRefused()).resources.read(uri),
      complete: async (...typed) => (await openedOrRefused()).resources.complete(...typed),
    },
    prompts: prompts.map((definition) => latePrompt(definition, openedOrRefused)),
    async refusal(tool) {
      // Loaded with the first question, so that a client does not wait for it at its start.
      refusal ??= import('./tool-permission.ts').then(({ refusalByPolicy }) => refusalByPolicy(home))
      // What the file forbids is refused without opening the home. What counts of what it allows is known once it is open.
      return (await (await refusal)(tool)) ?? (await whole?.refusal(tool))
    },
    // The client gets its refusal even where it cannot be recorded.
    refused: async (...refused) => (await opened().catch(() => undefined))?.refused?.(...refused),
    // After the answer, which loading would delay.
    listed: () => clock.soon(() => void opened().catch(() => {})),
  }
}

class HomeNotOpened extends ForewordError {
  constructor(message: string) {
    super('storage', message)
  }
}

function lateTool(definition: McpTool['definition'], opened: () => Promise<McpCatalogue>): McpTool {
  return {
    definition,
    async call(input, call) {
      try {
        const { tools, refusal } = await opened()
        const refused = await refusal(definition.name)
        if (refused !== undefined) return failureEnvelope('unavailable', refused.reason)
        return await tools.find((tool) => tool.definition.name === definition.name)!.call(input, call)
      } catch (error) {
        if (error instanceof HomeNotOpened) return failureEnvelope('unavailable', error.message)
        throw error
      }
    },
  }
}

function latePrompt(definition: McpPrompt['definition'], opened: () => Promise<McpCatalogue>): McpPrompt {
  const prompt = async () => (await opened()).prompts.find(({ definition: { name } }) => name === definition.name)!
  return {
    definition,
    get: async (...asked) => (await prompt()).get(...asked),
    complete: async (argument) => (await (await prompt()).complete?.(argument)) ?? [],
  }
}
