import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import type { TestContext } from 'node:test'
import {
  client,
  type ClientCapabilities,
  type ClientContext,
  type ContentBlock,
  type InitializeResponse,
  methods,
  ndJsonStream,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk'
import { startCommand } from '../cli/running-command.ts'
import { foreword, memoryFlags, startEnvironment } from '../kit/started-program.ts'

/** An editor that has started `foreword acp`, and what it was sent. */
export interface Editor {
  readonly agent: ClientContext
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
  /** SIGKILL unless given: no handler runs. */
  readonly kill: (signal?: NodeJS.Signals) => void
  /** The exit code, once it has ended. */
  readonly ended: Promise<number | null>
  /** Ends the input, and resolves to the exit code. */
  readonly end: () => Promise<number | null>
}

interface EditorOptions {
  readonly environment: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  readonly folder?: string
  /** In a process of its own, for what kills it. So is an editor that starts it in a `folder`. */
  readonly apart?: boolean
  readonly capabilities?: ClientCapabilities
  /** Decides about a call that waits. Rejects all unless given. */
  readonly decide?: (
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ) => RequestPermissionResponse | Promise<RequestPermissionResponse>
}

/** A session in this folder. */
export async function newSession(editor: Editor, cwd: string): Promise<string> {
  const made = await editor.agent.request(methods.agent.session.new, { cwd, mcpServers: [] })
  return made.sessionId
}

/** Says something, and resolves to the reason for the end of the answer. */
export async function say(
  editor: Editor,
  sessionId: string,
  ...parts: readonly (string | ContentBlock)[]
): Promise<StopReason> {
  const prompt = parts.map((part): ContentBlock => (typeof part === 'string' ? { type: 'text', text: part } : part))
  const answer: PromptResponse = await editor.agent.request(methods.agent.session.prompt, { sessionId, prompt })
  return answer.stopReason
}

/** An answer to a question. */
export function choose(optionId: string): RequestPermissionResponse {
  return { outcome: { outcome: 'selected', optionId } }
}

/** Starts `foreword acp`, with the protocol's own client at the other end. */
export async function startEditor(context: TestContext, options: EditorOptions): Promise<Editor> {
  const { capabilities = {}, decide = () => choose('deny') } = options
  const isApart = options.apart === true || options.folder !== undefined
  const started = isApart ? startProgram(context, options) : startHere(context, options)
  const { stdin, stdout, stderr, ended } = started
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
  const output = Readable.toWeb(stdout) as ReadableStream<Uint8Array>
  const { agent } = app.connect(ndJsonStream(Writable.toWeb(stdin), output))
  const initialized = await agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: capabilities,
  })
  return {
    agent,
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
    stderr,
    kill: started.kill,
    ended,
    async end() {
      stdin.end()
      return await ended
    },
  }
}

interface Started {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: () => string
  readonly kill: (signal?: NodeJS.Signals) => void
  readonly ended: Promise<number | null>
}

function startHere(
  context: TestContext,
  { environment, args = [] }: Pick<EditorOptions, 'environment' | 'args'>,
): Started {
  const kill = () => assert.fail('only an editor in a process of its own can be killed')
  return { ...startCommand(context, ['acp', ...args], environment), kill }
}

/** The command in a process of its own, which does not outlive the test. */
export function startProgram(
  context: TestContext,
  { environment, args = [], folder }: Pick<EditorOptions, 'environment' | 'args' | 'folder'>,
): Started {
  const child = spawn(process.execPath, [...memoryFlags, foreword, 'acp', ...args], {
    env: { PATH: process.env.PATH, ...startEnvironment, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(folder === undefined ? {} : { cwd: folder }),
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  child.stdin.on('error', () => {})
  const kill = (signal: NodeJS.Signals = 'SIGKILL') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
  }
  const ended = once(child, 'close').then(([code]) => code as number | null)
  context.after(async () => {
    kill()
    await ended
  })
  return { stdin: child.stdin, stdout: child.stdout, stderr: () => errors, kill, ended }
}
