import { type Clock, defined } from '../../platform.ts'
import type {
  Contributions,
  McpCatalogue,
  McpPrompt,
  McpTool,
  Runtime,
  McpResources,
  McpResourceSet,
  ResourceText,
} from '../../capability.ts'
import { outline, type TokenCounter, type AnyMessage, messageText, toolCalls } from '../../context.ts'
import {
  scenarioCounterId,
  runScenario,
  ScenarioError,
  smallCounters,
  scenarioJsonSchema,
} from '../../context/scenario.ts'
import { type SessionStore, type CallRecord, type Entry, type LogStore, withEdits } from '../../session.ts'
import { createMcpAudit } from './audit.ts'
import {
  allDefinitions,
  assembleDefinition,
  explainCallPrompt,
  parseResourceAddress,
  callTemplates,
  resourceAddress,
  scenarioAddress,
  sessionTemplate,
} from './definitions.ts'
import { failureEnvelope, failureReply, successEnvelope } from './envelope.ts'
import { invalidParams } from './protocol-server.ts'
import { toolRefusal } from './tool-permission.ts'
import type { Resource } from '@modelcontextprotocol/server'

/** What one capability adds to the MCP server of an open home. */
export type McpContributionSource = NonNullable<ReturnType<Contributions['mcp']>>

interface CatalogueOptions {
  readonly unexpected: (error: unknown) => void
  readonly additions: readonly McpContributionSource[]
}

/** What a runtime and its capabilities offer over MCP, in a fixed order. Rejects where two tools or prompts share a name. */
export async function openCatalogue(
  { store, access }: Pick<Runtime, 'store' | 'access'>,
  { unexpected, additions }: CatalogueOptions,
): Promise<McpCatalogue> {
  const { instructions } = allDefinitions(await Promise.all(additions.map(async (addition) => addition.definitions())))
  const added = await Promise.all(additions.map(async (addition) => addition.open()))
  const tools = [...added.flatMap((each) => each.tools ?? []), assembleTool(store.clock, unexpected)]
  const prompts = [...added.flatMap((each) => each.prompts ?? []), explainCall(store)]
  for (const offered of [tools, prompts]) checkNames(offered.map(({ definition }) => definition.name))
  return {
    instructions,
    tools,
    resources: pagedResources([...added.flatMap(({ resources = [] }) => resources), ...ownResources(store)]),
    prompts,
    refusal: async (tool) => toolRefusal(await access.inForce(), tool),
    refused: createMcpAudit({ store }).refused,
  }
}

function checkNames(names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new Error(`Two capabilities offer ${twice} over MCP. Leave one of them out.`)
}

/** The tool `assemble`: the request of a scenario and its manifest. Pure. A context that does not fit is an ordinary answer. */
function assembleTool(clock: Clock, unexpected: (error: unknown) => void): McpTool {
  return {
    definition: assembleDefinition,
    async call(input, call) {
      try {
        await call.progress(0, 2, 'The scenario is read.')
        const counters = await countersFor(input)
        // The assembly blocks the event loop. Other work, and a cancellation, go first.
        await clock.yield()
        if (call.signal.aborted) return failureEnvelope('cancelled', 'The call was cancelled.')
        const result = runScenario(input, counters)
        await call.progress(1, 2, 'The context is assembled.')
        await clock.yield()
        const answer = successEnvelope({ ...result, outline: outline(result.manifest) })
        await call.progress(2, 2, 'Done.')
        return answer
      } catch (error) {
        if (error instanceof ScenarioError)
          return failureEnvelope('invalid-input', error.message, { problems: error.problems })
        return failureReply(error, unexpected)
      }
    },
  }
}

/** Loads the counter with the large table only where a scenario names it, or names an unknown one. */
async function countersFor(input: unknown): Promise<readonly TokenCounter[]> {
  const id = scenarioCounterId(input)
  if (id === undefined || smallCounters.some((counter) => counter.id === id)) return smallCounters
  return [...smallCounters, (await import('../../context/o200k.ts')).o200k]
}

function explainCall(store: Pick<SessionStore, 'call'>): McpPrompt {
  return {
    definition: explainCallPrompt,
    async get({ call_id: given = '' }) {
      const address = parseResourceAddress(given)
      const id = address?.kind === 'calls' ? address.id : given
      const call = await store.call(id)
      if (call === undefined) throw invalidParams(`There is no call ${JSON.stringify(id)}.`)
      const uri = `foreword://calls/${encodeURIComponent(id)}/outline`
      const text = `${outline(call.manifest)}\n`
      return {
        description: `The call ${id}`,
        messages: [
          {
            role: 'user',
            content: {
              type: 'text',
              text:
                `Explain what ${call.model} was sent in the call ${id}. Each line of its outline is one piece: where it ` +
                'stands, its form, its tokens, its tokens in full, whether it was included, and why not. Say in plain ' +
                'words what was left out or shortened, and what that means for the answer.',
            },
          },
          { role: 'user', content: { type: 'resource', resource: { uri, mimeType: 'text/plain', text } } },
        ],
      }
    },
  }
}

const PAGE = 100
/** How many sessions the list has, newest activity first. Older ones can be read by their id. */
const SESSIONS = 500

const SCHEMA = 'application/schema+json'

const scenarioResource: Resource = {
  uri: scenarioAddress,
  name: 'scenario-schema',
  title: 'Format of a scenario',
  description: 'JSON Schema of what assemble accepts',
  mimeType: SCHEMA,
}

function pagedResources(sets: readonly McpResourceSet[]): McpResources {
  return {
    templates: sets.flatMap(({ templates }) => templates),
    async list(cursor) {
      const start = pageStart(cursor)
      const all = (await Promise.all(sets.map((set) => set.list()))).flat()
      const next = start + PAGE
      return {
        resources: all.slice(start, next),
        ...(next < all.length ? { nextCursor: Buffer.from(`from ${next}`).toString('base64url') } : {}),
      }
    },
    async read(uri) {
      for (const set of sets) {
        const found = await set.read(uri)
        if (found !== undefined) return { contents: [{ uri, ...found }] }
      }
      return undefined
    },
    async complete(template, variable, typed) {
      const set = sets.find(({ templates }) => templates.some(({ uriTemplate }) => uriTemplate === template))
      if (set === undefined) throw invalidParams(`There is no resource template ${template}.`)
      const values = (await set.complete?.(template, variable)) ?? []
      return values.filter((value) => value.startsWith(typed))
    },
  }
}

/** The resources of the server itself: sessions, manifests of calls, and the format of scenarios. All are read-only. */
function ownResources(store: SessionStore): readonly McpResourceSet[] {
  const sessionIds = async () => (await store.sessions({ limit: SESSIONS })).map(({ id }) => id)
  return [
    {
      templates: [sessionTemplate],
      list: async () =>
        (await store.sessions({ limit: SESSIONS })).map(({ id, title, updated }) => ({
          uri: resourceAddress('sessions', id),
          name: id,
          ...defined({ title: title?.slice(0, 200) }),
          description: `What was said in the session ${id}`,
          mimeType: 'application/json',
          annotations: { lastModified: updated },
        })),
      async read(uri) {
        const address = parseResourceAddress(uri)
        if (address?.kind !== 'sessions' || address.part !== undefined) return undefined
        return readSession(store, address.id)
      },
      complete: async (_template, variable) => (variable === 'id' ? sessionIds() : []),
    },
    {
      templates: callTemplates,
      list: async () => [],
      async read(uri) {
        const address = parseResourceAddress(uri)
        return address?.kind === 'calls' ? callText(await store.call(address.id), address.part) : undefined
      },
      async complete(_template, variable) {
        if (variable !== 'id') return []
        const newest = (await sessionIds()).slice(0, 10)
        const calls = await Promise.all(newest.map((session) => store.calls(session, { last: 20 })))
        return calls.flatMap((each) => each.map(({ id }) => id).toReversed())
      },
    },
    {
      templates: [],
      list: async () => [scenarioResource],
      read: async (uri) =>
        uri === scenarioAddress ? { mimeType: SCHEMA, text: JSON.stringify(scenarioJsonSchema()) } : undefined,
    },
  ]
}

/** The manifest of a call as JSON (`manifest`) or as lines (`outline`). */
function callText(call: CallRecord | undefined, part: string | undefined): ResourceText | undefined {
  if (call === undefined) return undefined
  if (part === 'manifest') return { mimeType: 'application/json', text: JSON.stringify(call.manifest) }
  return part === 'outline' ? { mimeType: 'text/plain', text: `${outline(call.manifest)}\n` } : undefined
}

function pageStart(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const start = Number(/^from (\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1])
  if (!Number.isSafeInteger(start))
    throw invalidParams('The cursor is not one of this list. Leave it out to begin again.')
  return start
}

/** The most turns of a session in one answer, and the most characters of their messages. The newest are kept. */
const TURNS = 50
const CHARACTERS = 100_000

interface SessionTurn {
  readonly turn: string
  /** ISO 8601: the time of its input. */
  readonly time: string
  readonly state: string
  readonly messages: readonly { readonly role: string; readonly text: string; readonly calls?: readonly string[] }[]
}

/** The newest turns of a session, oldest first. `earlier` counts the turns before them. */
async function readSession(store: LogStore, id: string): Promise<ResourceText | undefined> {
  const session = await store.session(id)
  if (session === undefined) return undefined
  const turns: SessionTurn[] = []
  let room = CHARACTERS
  for (const { turn, inputTime, state } of await store.turns(id, { limit: TURNS })) {
    const said = turnMessages(withEdits(await store.entries(id, { turn, types: ['input', 'edit', 'message'] })))
    room -= said.reduce((sum, { text }) => sum + text.length, 0)
    if (room < 0 && turns.length > 0) break
    turns.unshift({ turn, time: inputTime, state, messages: room < 0 ? shortenMessages(said) : said })
    if (room < 0) break
  }
  const { title, created, updated, choices } = session
  const text = JSON.stringify({
    session: id,
    ...defined({ title }),
    ...choices,
    created,
    updated,
    earlier: session.turns - turns.length,
    turns,
  })
  return { mimeType: 'application/json', text }
}

function turnMessages(entries: readonly Entry[]): SessionTurn['messages'] {
  return entries.flatMap((entry) => {
    if (entry.type !== 'input' && entry.type !== 'message') return []
    const message: AnyMessage = entry.message
    // Tool results are long and stay in the log. The names of the called tools suffice here.
    if (message.role === 'tool') return []
    const calls = toolCalls(message).map(({ toolName }) => toolName)
    return [{ role: message.role, text: messageText(message), ...(calls.length === 0 ? {} : { calls }) }]
  })
}

/** Shortens the messages of a turn that alone is too long: each keeps its beginning. */
function shortenMessages(messages: SessionTurn['messages']): SessionTurn['messages'] {
  const share = Math.floor(CHARACTERS / messages.length)
  return messages.map((message) =>
    message.text.length <= share
      ? message
      : { ...message, text: `${message.text.slice(0, share)}… [${message.text.length - share} more characters]` },
  )
}
