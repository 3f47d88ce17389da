import {
  type AvailableCommand,
  type ContentBlock,
  type ListSessionsRequest,
  type ListSessionsResponse,
  type LoadSessionRequest,
  type LoadSessionResponse,
  type NewSessionRequest,
  type NewSessionResponse,
  type PromptRequest,
  type PromptResponse,
  type ResumeSessionRequest,
  type SessionConfigOption,
  type McpServer,
  RequestError,
} from '@agentclientprotocol/sdk'
import { isAbsolute } from 'node:path'
import { apiPath, CommandFailure, requestJson, requestList } from '../../cli.ts'
import { type Clock, errorMessage, isWithin, ForewordError } from '../../platform.ts'
import { configOptions, type EditorSessionView } from './config-options.ts'
import { type EditorClient, ensureNotice } from './editor-client.ts'
import { type EditorSession, editorSession, turnStopReason } from './editor-session.ts'
import type { GatewayLink } from './gateway-link.ts'
import { codeBlock } from './plain-text.ts'
import { readPrompt, uploadPromptFiles } from './prompt-content.ts'
import { realpath } from 'node:fs/promises'
import { exactLine } from '../../context.ts'

interface Surroundings {
  readonly cwd: string
  readonly mcpServers?: NewSessionRequest['mcpServers']
}

interface OpenSessionsOptions {
  readonly link: GatewayLink
  readonly clock: Clock
  readonly client: EditorClient
  readonly warn: (text: string) => void
}

interface ServedCommands {
  readonly commands: readonly { readonly name: string; readonly argument?: string; readonly summary: string }[]
}

export function openSessions({ link, clock, client, warn }: OpenSessionsOptions) {
  const sessions = new Map<string, EditorSession>()
  /** Sessions that were made here: empty ones are removed again. */
  const made = new Set<string>()
  const shownNotices = new Set<string>()

  async function open(
    view: EditorSessionView,
    request: Surroundings,
    catchUp: (session: EditorSession) => Promise<void>,
  ) {
    const workspace = await readWorkspace()
    sessions.get(view.id)?.close()
    const session = editorSession({ link, clock, client, view, workspace, warn })
    sessions.set(view.id, session)
    await catchUp(session)
    const options = await configOptions(link, view)
    // An editor knows the session only once it has the answer.
    clock.soon(
      () => void begin(view.id, session, workspace, request).catch((error: unknown) => warn(errorMessage(error))),
    )
    return { configOptions: options }
  }

  async function begin(id: string, session: EditorSession, workspace: string, request: Surroundings): Promise<void> {
    session.follow()
    await client.update(id, { sessionUpdate: 'available_commands_update', availableCommands: await readCommands() })
    const notices = [await folderNotice(request.cwd, workspace), serverNotice(request.mcpServers ?? [])]
    for (const title of notices) {
      if (title === undefined || shownNotices.has(title)) continue
      shownNotices.add(title)
      await ensureNotice(client, id, { severity: 'warning', title })
    }
  }

  async function readCommands(): Promise<AvailableCommand[]> {
    const { commands } = await requestJson<ServedCommands>(link, '/api/commands')
    return commands.map(({ name, argument, summary }) => ({
      name,
      description: summary,
      ...(argument === undefined ? {} : { input: { hint: argument } }),
    }))
  }

  async function readWorkspace(): Promise<string> {
    const { agent } = await requestJson<{ readonly agent: { readonly workspace: string } }>(link, '/api/configuration')
    return agent.workspace
  }

  const readView = (id: string) => requestJson<EditorSessionView>(link, apiPath('/api/sessions/', id))

  function require(id: string): EditorSession {
    const session = sessions.get(id)
    if (session !== undefined) return session
    throw new CommandFailure('not-found', `No session ${JSON.stringify(id)} is open on this connection.`, {
      hint: 'Open it with session/new, session/load or session/resume.',
    })
  }

  /** `undefined` for a message that is no command. */
  async function runCommand(session: string, blocks: readonly ContentBlock[]): Promise<PromptResponse | undefined> {
    const [block] = blocks
    if (blocks.length !== 1 || block?.type !== 'text') return undefined
    const [, name = '', argument = ''] = /^\/([\w-]+)(?:\s+(.*))?$/s.exec(block.text.trim()) ?? []
    if (name === '' || !(await readCommands()).some((command) => command.name === name)) return undefined
    const { text } = await requestJson<{ readonly text?: string }>(link, apiPath('/api/commands/', name), {
      method: 'POST',
      body: { argument, session },
    })
    if (text !== undefined) {
      await client.update(session, {
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'text', text: codeBlock(text) },
      })
    }
    return { stopReason: 'end_turn' }
  }

  async function removeEmpty(id: string): Promise<void> {
    if (!made.delete(id)) return
    const { turns, title } = await readView(id)
    if (turns > 0 || title !== undefined) return
    await requestJson(link, apiPath('/api/sessions/', id), { method: 'DELETE' })
  }

  return {
    require,
    async create(request: NewSessionRequest): Promise<NewSessionResponse> {
      requireFolder(request.cwd)
      const view = await requestJson<EditorSessionView>(link, '/api/sessions', { method: 'POST', body: {} })
      made.add(view.id)
      return { sessionId: view.id, ...(await open(view, request, () => Promise.resolve())) }
    },
    async load(request: LoadSessionRequest): Promise<LoadSessionResponse> {
      requireFolder(request.cwd)
      return await open(await readView(request.sessionId), request, (session) => session.replay())
    },
    async resume(request: ResumeSessionRequest): Promise<LoadSessionResponse> {
      requireFolder(request.cwd)
      return await open(await readView(request.sessionId), request, (session) => session.catchUp())
    },
    async list({ cursor, cwd }: ListSessionsRequest): Promise<ListSessionsResponse> {
      const offset = pageStart(cursor)
      const path = `/api/sessions?limit=${PAGE}&offset=${offset}`
      const rows = await requestList<EditorSessionView>(link, path, 'sessions')
      // A session belongs to no folder: it can be continued from any.
      const folder = cwd ?? (await readWorkspace())
      return {
        sessions: rows
          .filter(({ turns }) => turns > 0)
          .map(({ id, title, opening, updated }) => ({
            sessionId: id,
            cwd: folder,
            title: title ?? opening ?? null,
            updatedAt: updated,
          })),
        ...(rows.length < PAGE ? {} : { nextCursor: String(offset + PAGE) }),
      }
    },
    async prompt({ sessionId, prompt }: PromptRequest, signal: AbortSignal): Promise<PromptResponse> {
      const session = require(sessionId)
      const answer = await runCommand(sessionId, prompt)
      if (answer !== undefined) return answer
      const cancel = () => {
        if (isCancelled(signal)) void session.cancel().catch((error: unknown) => warn(errorMessage(error)))
      }
      signal.addEventListener('abort', cancel, { once: true })
      try {
        const outcome = await session.prompt(async () => {
          const { text, files } = await readPrompt(prompt)
          return { text, attachments: await uploadPromptFiles(link, sessionId, files) }
        })
        const reason = turnStopReason(outcome)
        if (reason !== undefined) return { stopReason: reason }
        const { code, message } = outcome as Extract<typeof outcome, { type: 'failed' }>
        throw new CommandFailure(code, message)
      } finally {
        signal.removeEventListener('abort', cancel)
      }
    },
    async cancel(id: string): Promise<void> {
      await sessions.get(id)?.cancel()
    },
    async close(id: string): Promise<Record<string, never>> {
      const session = require(id)
      await session.cancel()
      await session.settled()
      session.close()
      sessions.delete(id)
      await removeEmpty(id)
      return {}
    },
    async options(id: string): Promise<SessionConfigOption[]> {
      return await configOptions(link, await readView(id))
    },
    async end(): Promise<void> {
      for (const session of sessions.values()) session.close()
      sessions.clear()
      for (const id of made) await removeEmpty(id).catch(() => {})
    },
  }
}

const PAGE = 50

function pageStart(cursor: string | null | undefined): number {
  if (cursor === null || cursor === undefined) return 0
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  throw new CommandFailure(
    'invalid-input',
    `No list of sessions has the cursor ${JSON.stringify(cursor.slice(0, 100))}.`,
    { hint: 'Send the nextCursor of an earlier answer, or none.' },
  )
}

function requireFolder(cwd: string): void {
  if (isAbsolute(cwd)) return
  throw new CommandFailure('invalid-input', `cwd is ${JSON.stringify(cwd.slice(0, 200))}, which is no absolute path.`)
}

/** What a person has to know where the tools do not work in the folder that the editor has open. */
async function folderNotice(cwd: string, workspace: string): Promise<string | undefined> {
  const [open, own] = await Promise.all([cwd, workspace].map((path) => realpath(path).catch(() => path)))
  if (isWithin(own!, open!)) return undefined
  return (
    `The tools of this agent work in ${exactLine(workspace)}, not in ${exactLine(cwd)}. Files that you mention are read. ` +
    'To work in the open folder, start it with `foreword acp --workspace DIRECTORY`, with no gateway running on the same home.'
  )
}

/** What becomes of the MCP servers of the editor: Foreword starts only what its owner has configured. */
function serverNotice(servers: readonly McpServer[]): string | undefined {
  if (servers.length === 0) return undefined
  const names = servers.map(({ name }) => exactLine(name)).join(', ')
  return `MCP servers of the editor are not started here: ${names}. Add those that the agent should use to \`mcp.servers\` in config.json.`
}

/** Runs a handler of the protocol. What it throws becomes a JSON-RPC error with a sentence for a person and our code. */
export async function answering<Answer>(signal: AbortSignal, handle: () => Promise<Answer>): Promise<Answer> {
  try {
    return await handle()
  } catch (error) {
    if (error instanceof RequestError) throw error
    if (signal.aborted) throw RequestError.requestCancelled()
    throw requestError(error)
  }
}

/** The same error for an editor. It has no stack and no secret: `ForewordError` never has one. */
function requestError(error: unknown): RequestError {
  if (!(error instanceof ForewordError)) {
    return new RequestError(INTERNAL, `Foreword failed: ${errorMessage(error)}`, { code: 'internal' })
  }
  const { code, message, hint } = error
  return new RequestError(rpcCode(code), hint === undefined ? message : `${message} ${hint}`, {
    code,
    ...(hint === undefined ? {} : { hint }),
  })
}

/** Whether an editor has cancelled a request by its id. Turns go on when the connection ends. */
function isCancelled({ reason }: AbortSignal): boolean {
  return reason instanceof RequestError && reason.code === REQUEST_CANCELLED
}

const REQUEST_CANCELLED = -32_800
const INTERNAL = -32_603

function rpcCode(code: string): number {
  if (code === 'invalid-input' || code === 'usage') return -32_602
  return code === 'not-found' || code === 'model-not-found' ? -32_002 : INTERNAL
}
