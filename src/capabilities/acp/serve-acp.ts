import {
  agent,
  type AgentContext,
  type ClientCapabilities,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
} from '@agentclientprotocol/sdk'
import { Readable, Writable } from 'node:stream'
import { type Clock, errorMessage } from '../../platform.ts'
import { answering, openSessions } from './open-sessions.ts'
import { setConfigOption } from './config-options.ts'
import type { EditorClient } from './editor-client.ts'
import type { GatewayLink } from './gateway-link.ts'

interface AcpOptions {
  readonly link: GatewayLink
  readonly clock: Clock
  readonly stdin: Readable
  readonly stdout: Writable
  readonly version: string
  readonly warn: (text: string) => void
}

/** Serves one editor over the Agent Client Protocol, version 1, as lines of JSON-RPC. */
export function serveAcp({ link, clock, stdin, stdout, version, warn }: AcpOptions) {
  let capabilities: ClientCapabilities = {}
  let editor: AgentContext | undefined
  const sessions = openSessions({ link, clock, client: editorClient(), warn: warnWhileOpen })

  const app = agent({ name: 'foreword' })
    .onConnect(({ client }) => void (editor = client))
    .onRequest(methods.agent.initialize, ({ params }) => {
      capabilities = params.clientCapabilities ?? {}
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'foreword', title: 'Foreword', version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, audio: false, embeddedContext: true },
          mcpCapabilities: { http: false, sse: false },
          sessionCapabilities: { list: {}, resume: {}, close: {} },
        },
        authMethods: [],
      }
    })
    .onRequest(methods.agent.session.new, ({ params, signal }) => answering(signal, () => sessions.create(params)))
    .onRequest(methods.agent.session.load, ({ params, signal }) => answering(signal, () => sessions.load(params)))
    .onRequest(methods.agent.session.resume, ({ params, signal }) => answering(signal, () => sessions.resume(params)))
    .onRequest(methods.agent.session.list, ({ params, signal }) => answering(signal, () => sessions.list(params)))
    .onRequest(methods.agent.session.close, ({ params, signal }) =>
      answering(signal, () => sessions.close(params.sessionId)),
    )
    .onRequest(methods.agent.session.prompt, ({ params, signal }) =>
      answering(signal, () => sessions.prompt(params, signal)),
    )
    .onRequest(methods.agent.session.setConfigOption, ({ params, signal }) =>
      answering(signal, async () => {
        const { sessionId, configId, value } = params
        sessions.require(sessionId)
        await setConfigOption(link, sessionId, configId, value)
        return { configOptions: await sessions.options(sessionId) }
      }),
    )
    .onNotification(methods.agent.session.cancel, async ({ params }) => {
      await sessions.cancel(params.sessionId).catch((error: unknown) => warnWhileOpen(errorMessage(error)))
    })

  stdout.on('error', () => connection.close())
  const connection = app.connect(
    ndJsonStream(Writable.toWeb(stdout), Readable.toWeb(stdin) as ReadableStream<Uint8Array>, {
      maxMessageBytes: MOST_BYTES,
    }),
  )
  return {
    ended: connection.closed.then(() => sessions.end()),
    close: () => connection.close(),
  }

  /** An editor that has left is told nothing more. */
  function warnWhileOpen(text: string): void {
    if (!connection.signal.aborted) warn(text)
  }

  function editorClient(): EditorClient {
    return {
      update: async (sessionId, update) => await editor?.notify(methods.client.session.update, { sessionId, update }),
      async ask(request, cancellationSignal) {
        if (editor === undefined) throw new Error('No editor is connected.')
        const options = { cancellationSignal, stopWaitingOnCancel: true }
        return await editor.request(methods.client.session.requestPermission, request, options)
      },
      showsNotices: () => Boolean(capabilities.session?.notices),
    }
  }
}

/** A message with images and files in it, as text. A larger one ends the connection. */
const MOST_BYTES = 256 * 1024 * 1024
