import type { TestContext } from 'node:test'
import {
  Client,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client'
import { StreamableHTTPClientTransport as OlderHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { StdioServerTransport as OlderLines } from '@modelcontextprotocol/sdk/server/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { StdioServerTransport as Lines } from '@modelcontextprotocol/server/stdio'
import type { SubjectContext } from '../../src/capabilities/subjects/core/subjects.ts'
import type { Envelope } from '../../src/server/mcp/envelope.ts'
import { startCommand } from '../cli/running-command.ts'
import { type McpHome, TOKEN } from './mcp-home.ts'

/** Which client speaks, and in which revision. */
export type Kind = 'v2 2026-07-28' | 'v2 2025-11-25' | 'v1 2025-11-25'
export type Way = 'http' | 'stdio'

export const kinds: readonly Kind[] = ['v2 2026-07-28', 'v2 2025-11-25', 'v1 2025-11-25']
export const ways: readonly Way[] = ['http', 'stdio']

/** A person behind a client: what they answer, or never. */
export type Person = (question: ElicitRequestFormParams) => Promise<Answered>
export interface Answered {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: Record<string, string>
}

export interface Reply {
  readonly isError: boolean
  readonly envelope: Envelope
  readonly texts: readonly string[]
  /** Of the reply, where it succeeded. */
  readonly data: ReplyData
}

/** Data of all tools at once: the fields that tests look at. */
export interface ReplyData extends Partial<SubjectContext> {
  readonly proposal_id?: string
  readonly status?: string
  readonly diff?: string
  readonly file?: string
  readonly hint?: string
  readonly category?: string | null
  readonly outline?: string
  readonly error?: { readonly code: string }
  readonly text?: string
  readonly next_offset?: number | null
}

/** What tests ask of a client, whichever it is. Every reply is checked against the output schema by the client itself. */
export interface TestClient {
  readonly client: Client
  call(name: string, input?: object, options?: { signal?: AbortSignal; onprogress?: Progress }): Promise<Reply>
}

type Progress = (progress: { progress: number; total?: number; message?: string }) => void

export interface ClientOptions {
  readonly person?: Person
  readonly environment?: Readonly<Record<string, string>>
}

/** Connects a client to a home and lets go of it after the test. */
export async function connected(
  t: TestContext,
  home: Pick<McpHome, 'home' | 'url'>,
  kind: Kind,
  way: Way,
  options: ClientOptions = {},
): Promise<TestClient> {
  const capabilities: ClientCapabilities = options.person === undefined ? {} : { elicitation: { form: {} } }
  const info = { name: 'a client of the test', version: '1' }
  const client = kind.startsWith('v1')
    ? (new OlderClient(info, { capabilities }) as unknown as Client)
    : new Client(info, {
        capabilities,
        versionNegotiation: { mode: kind.endsWith('2026-07-28') ? { pin: '2026-07-28' } : 'legacy' },
      })
  if (options.person !== undefined) answerWith(client, kind, options.person)
  await client.connect(transport(t, home, kind, way, options))
  t.after(() => client.close())
  return { client, call: (name, input = {}, more) => callOf(client, kind, name, input, more) }
}

function answerWith(client: Client, kind: Kind, person: Person): void {
  if (!kind.startsWith('v1')) {
    client.setRequestHandler('elicitation/create', async ({ params }) => ({
      ...(await person(params as ElicitRequestFormParams)),
    }))
    return
  }
  const older = client as unknown as OlderClient
  older.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({
    ...(await person(params as unknown as ElicitRequestFormParams)),
  }))
}

function transport(
  t: TestContext,
  { home, url }: Pick<McpHome, 'home' | 'url'>,
  kind: Kind,
  way: Way,
  { environment = {} }: ClientOptions,
): Transport {
  const isOlder = kind.startsWith('v1')
  if (way === 'http') {
    const options = { requestInit: { headers: { authorization: `Bearer ${TOKEN}` } } }
    return isOlder ? new OlderHttp(url, options) : new StreamableHTTPClientTransport(url, options)
  }
  // Lines of JSON both ways: what a server does with its streams, a client does with them the other way around. That the
  // program speaks so in a process of its own is tested beside (`stdio.slow.ts`).
  const { stdin, stdout } = startCommand(t, ['mcp', '--home', home], environment)
  return isOlder ? new OlderLines(stdout, stdin) : new Lines(stdout, stdin)
}

async function callOf(
  client: Client,
  kind: Kind,
  name: string,
  input: object,
  options: Parameters<TestClient['call']>[2],
): Promise<Reply> {
  const params = { name, arguments: { ...input } }
  const result = kind.startsWith('v1')
    ? await (client as unknown as OlderClient).callTool(params, undefined, options)
    : await client.callTool(params, options)
  const content = result.content as readonly { readonly type: string; readonly text?: string }[]
  const texts = content.map(({ text = '' }) => text)
  const envelope = result.structuredContent as Envelope
  return { isError: result.isError === true, envelope, texts, data: envelope.data ?? {} }
}
