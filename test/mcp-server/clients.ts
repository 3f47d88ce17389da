import { join } from 'node:path'
import type { TestContext } from 'node:test'
import {
  Client,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client'
import { StdioClientTransport as OlderStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OlderHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport as OlderTransport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { SubjectContext } from '../../src/capabilities/subjects/core.ts'
import type { Envelope } from '../../src/server/mcp/envelope.ts'
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

const program = join(import.meta.dirname, '../../bin/foreword.js')

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
  await client.connect(transport(home, kind, way, options))
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

function transport({ home, url }: Pick<McpHome, 'home' | 'url'>, kind: Kind, way: Way, { environment }: ClientOptions) {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const server = {
    command: process.execPath,
    args: [program, 'mcp', '--home', home],
    env: { PATH: process.env.PATH ?? '', ...environment },
    stderr: 'ignore' as const,
  }
  if (!kind.startsWith('v1')) {
    return way === 'http'
      ? new StreamableHTTPClientTransport(url, { requestInit: { headers } })
      : new StdioClientTransport(server)
  }
  const older: OlderTransport =
    way === 'http' ? new OlderHttp(url, { requestInit: { headers } }) : new OlderStdio(server)
  return older as unknown as StdioClientTransport
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
