import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import type { TestContext } from 'node:test'
import {
  client,
  type ClientCapabilities,
  type ClientContext,
  type InitializeResponse,
  methods,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'

const program = join(import.meta.dirname, '..', '..', 'bin', 'foreword.js')

/** An editor that has started `foreword acp`, and what it was sent. */
export interface Editor {
  readonly agent: ClientContext
  readonly child: ChildProcess
  readonly initialized: InitializeResponse
  /** Updates in the order in which they came. */
  readonly updates: readonly { readonly session: string; readonly update: SessionUpdate }[]
  readonly asked: readonly RequestPermissionRequest[]
  /** The first update that matches, of those that came or will come. */
  readonly update: <Kind extends SessionUpdate['sessionUpdate']>(
    kind: Kind,
    matches?: (update: Extract<SessionUpdate, { sessionUpdate: Kind }>) => boolean,
  ) => Promise<Extract<SessionUpdate, { sessionUpdate: Kind }>>
  /** The text of the agent so far, with its commands and notices. */
  readonly text: (session?: string) => string
  readonly stderr: () => string
  /** Ends the input, and resolves to the exit code. */
  readonly end: () => Promise<number | null>
}

interface EditorOptions {
  readonly environment: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  readonly folder?: string
  readonly capabilities?: ClientCapabilities
  /** Decides about a call that waits. Rejects all unless given. */
  readonly decide?: (
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ) => RequestPermissionResponse | Promise<RequestPermissionResponse>
}

/** An answer to a question. */
export function choose(optionId: string): RequestPermissionResponse {
  return { outcome: { outcome: 'selected', optionId } }
}

/** Starts the real command in a process of its own, with the protocol's own client at the other end. */
export async function startEditor(context: TestContext, options: EditorOptions): Promise<Editor> {
  const { environment, args = [], folder, capabilities = {}, decide = () => choose('deny') } = options
  const child = spawn(process.execPath, [program, 'acp', ...args], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(folder === undefined ? {} : { cwd: folder }),
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const closed = once(child, 'close').then(([code]) => code as number | null)
  context.after(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await closed
  })
  const updates: { session: string; update: SessionUpdate }[] = []
  const asked: RequestPermissionRequest[] = []
  const watchers = new Set<(update: SessionUpdate) => void>()
  const app = client({ name: 'an editor' })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push({ session: params.sessionId, update: params.update })
      for (const watcher of watchers) watcher(params.update)
    })
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
      asked.push(params)
      return decide(params, signal)
    })
  const output = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>
  const { agent } = app.connect(ndJsonStream(Writable.toWeb(child.stdin), output))
  const initialized = await agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: capabilities,
  })
  return {
    agent,
    child,
    initialized,
    updates,
    asked,
    update: (kind, matches = () => true) =>
      new Promise((resolve) => {
        const look = (update: SessionUpdate) => {
          if (update.sessionUpdate !== kind || !matches(update as never)) return
          watchers.delete(look)
          resolve(update as never)
        }
        watchers.add(look)
        for (const { update } of updates) look(update)
      }),
    text: (session) =>
      updates
        .filter((each) => session === undefined || each.session === session)
        .map(({ update }) => update)
        .flatMap((update) => (update.sessionUpdate === 'agent_message_chunk' ? [update.content] : []))
        .map((content) => (content.type === 'text' ? content.text : ''))
        .join(''),
    stderr: () => stderr,
    async end() {
      child.stdin.end()
      return await closed
    },
  }
}
