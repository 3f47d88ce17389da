import { z } from 'zod'
import {
  type Caller,
  type Route,
  jsonAnswer,
  route,
  type Runtime,
  type SlashCommandCall,
  callCosts,
  costText,
  MOST_COUNTED_CALLS,
  sumCosts,
  type SlashCommand,
} from '../../capability.ts'
import { nearestHint, defined, ForewordError } from '../../platform.ts'
import type { ServerContribution } from '../contributions.ts'
import { HttpFailure } from '../failure.ts'
import type { ChoiceDescriptions } from '../session-choices.ts'
import { calibratedManifest, exactLine, listedRows, outline } from '../../context.ts'
import { usedTokens } from '../../session.ts'

interface CommandParts {
  readonly choices: ChoiceDescriptions
  readonly contributions: readonly ServerContribution[]
  ask(caller: Caller): SlashCommandCall['ask']
}

/** Commands of a conversation, such as `/model`: those of the host, and those of capabilities. */
export function commandRoutes(runtime: Runtime, { choices, contributions, ask }: CommandParts): readonly Route[] {
  const contributed = contributions.flatMap(({ slashCommands = {} }) =>
    Object.entries(slashCommands)
      .filter(([, { sends }]) => !sends)
      .map(([name, { argument: usage, summary, shows, run }]): ServedCommand => ({
        name,
        summary,
        ...(usage === undefined ? {} : { argument: usage }),
        ...(shows === undefined ? {} : { shows }),
        async run(call) {
          const { argument, session } = call
          const answer = await run({ argument, session, ask: ask(call.caller) })
          return answer === undefined ? {} : { text: answer }
        },
      })),
  )
  const scripts = contributions.flatMap(({ providers = [] }) =>
    providers.flatMap(({ kind, script: words = [] }) => (words.length > 0 ? [{ provider: kind, words }] : [])),
  )
  const commands = [...conversationCommands(runtime, choices), ...contributed]
  return [
    route('GET /api/commands', {
      scope: 'read',
      summary: 'Lists the commands that a conversation accepts, without their slash',
      answers: () => jsonAnswer('Commands', listSchema),
      handle: () => ({ commands: commands.map(({ run: _run, ...command }) => command), scripts }),
    }),
    route('POST /api/commands/:command', {
      scope: 'talk',
      summary: 'Runs a command in a conversation',
      body: z.strictObject({
        argument: z.string().max(10_000).default('').describe('What follows the command.'),
        session: z.string().min(1).optional().describe('Absent: a conversation without a message yet.'),
      }),
      answers: () =>
        jsonAnswer('What it tells the person, and the session that it was about, which may be a new one', {
          text: z.string().optional(),
          session: z.string().optional(),
        }),
      handle: async ({ caller, param, body: { argument, session } }) => {
        const command = commands.find(({ name }) => name === param('command'))
        if (!command) throw unknownCommand(param('command'), commands)
        return await command.run({ argument: argument.trim(), session, caller })
      },
    }),
  ]
}

function unknownCommand(name: string, commands: readonly ServedCommand[]): HttpFailure {
  const names = commands.map((each) => each.name)
  const help = nearestHint(name, names, 'GET /api/commands lists the commands.', (near) => `/${near}`)
  return new HttpFailure('not-found', `Unknown command "/${name.slice(0, 100)}". ${help}`)
}

const commandSchema = z.object({
  name: z.string(),
  argument: z.string().optional().describe('What may follow it, for help: `[ID]`.'),
  summary: z.string(),
  shows: z
    .enum(['always', 'alone'])
    .optional()
    .describe('It only shows something (`alone`: where nothing follows it), so it need not wait for a turn.'),
})

const listSchema = z.object({
  commands: z.array(commandSchema),
  scripts: z
    .array(z.object({ provider: z.string(), words: z.array(z.string()) }))
    .describe('Words behind a slash that the models of a provider act on themselves: such a line is a message there.'),
})

function conversationCommands(runtime: Runtime, choices: ChoiceDescriptions): readonly ServedCommand[] {
  return [
    undoCommand(runtime),
    contextCommand(runtime),
    costCommand(runtime),
    modelCommand(runtime),
    ...Object.entries(choices).map(([name, choice]) => choiceCommand(runtime, name, choice)),
    toolsCommand(runtime),
  ]
}

const undoCommand = (runtime: Runtime): ServedCommand => ({
  name: 'undo',
  summary: 'undo the last message and its answer, so that the model no longer reads them',
  async run({ session }) {
    if (session === undefined) throw new HttpFailure('not-found', 'This conversation has no turn to undo yet.')
    const { text } = await runtime.undo(session)
    return { text: `Undone: ${exactLine(text).slice(0, 80)}\nThe model no longer reads it. Effects of tools remain.` }
  },
})

const contextCommand = (runtime: Runtime): ServedCommand => ({
  name: 'context',
  summary: 'show what the next call would send, piece by piece',
  shows: 'always',
  async run({ session }) {
    const { manifest: counted, figures } = await runtime.preview(defined({ session }))
    const manifest = calibratedManifest(counted, figures.total)
    const rows = listedRows(manifest)
    const names = new Map(rows.map(({ entry, name }) => [entry, name]))
    const lines = outline({ ...manifest, entries: [...names.keys()] }, (entry) => names.get(entry)!)
    const sentences = rows.flatMap(({ sentence }) => sentence ?? [])
    return { text: [lines, ...(sentences.length === 0 ? [] : ['', ...sentences])].join('\n') }
  },
})

const costCommand = (runtime: Runtime): ServedCommand => ({
  name: 'cost',
  summary: 'show what the calls of this session used and cost',
  shows: 'always',
  async run({ session }) {
    if (session === undefined) return { text: 'No calls yet.' }
    const calls = await runtime.store.calls(session, { last: MOST_COUNTED_CALLS })
    const costOf = await callCosts(runtime, calls)
    const counted = calls.map((call) => defined({ usage: usedTokens(call.outcome), paid: costOf(call) }))
    return { text: costText(sumCosts(counted)) }
  },
})

const modelCommand = (runtime: Runtime): ServedCommand => ({
  name: 'model',
  argument: '[ID]',
  summary: 'set the model of this session, or list the models',
  shows: 'alone',
  async run({ argument, session }) {
    if (argument === '') {
      const lines = (await runtime.models()).map(({ id, ready, why }) => (ready ? id : `${id} (${why ?? 'not ready'})`))
      return { text: lines.join('\n') }
    }
    const model = argument === 'none' ? undefined : argument
    if (session !== undefined) await runtime.setModel(session, model)
    const changed = session ?? (await runtime.newSession(defined({ model }))).id
    return { text: `Set the model of this session to ${model ?? 'the configured one'}.`, session: changed }
  },
})

/** A command such as `/agent`: lists the options, or sets one from the next turn on; `none` removes it. */
function choiceCommand(runtime: Runtime, choice: string, { none, find }: ChoiceDescriptions[string]): ServedCommand {
  return {
    name: choice,
    argument: '[ID]',
    summary: `set the ${choice} of this session (\`none\`: ${none}), or list the options`,
    shows: 'alone',
    async run({ argument, session }) {
      if (argument === '') return { text: await optionList(runtime, choice) }
      const id = argument === 'none' ? null : ((await find?.(argument)) ?? argument)
      if (session !== undefined) await runtime.choose(session, { [choice]: id })
      const chosen = id === null ? {} : { choices: { [choice]: id } }
      const changed = session ?? (await runtime.newSession(chosen)).id
      return { text: `Set the ${choice} of this session to ${id ?? none}.`, session: changed }
    },
  }
}

async function optionList(runtime: Runtime, choice: string): Promise<string> {
  const options = await runtime.choiceOptions(choice)
  if (options === undefined) return `The options cannot be listed. Write /${choice} ID.`
  if (options.length === 0) return `No ${choice}s yet.`
  return options
    .map(({ id, name, summary }) => [id, name, summary].flatMap((text) => (text ? [exactLine(text)] : [])).join(' · '))
    .join('\n')
}

const toolsCommand = (runtime: Runtime): ServedCommand => ({
  name: 'tools',
  summary: 'list the tools and their access',
  shows: 'always',
  run: async () => ({ text: (await runtime.tools()).map(({ name, access }) => `${name}: ${access}`).join('\n') }),
})

/** Calls endpoints within this process: no port has to be open. `fetch` answers without asking for a token. */
export function askServer(fetch: (request: Request) => Response | Promise<Response>): SlashCommandCall['ask'] {
  return async <Answer>(path: string, { method, body }: { readonly method?: string; readonly body?: unknown } = {}) => {
    const response = await fetch(
      new Request(`http://${ADDRESS}${path}`, {
        ...(method === undefined ? {} : { method }),
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      }),
    )
    if (!response.ok) throw await refusalError(response)
    return (response.status === 204 ? undefined : await response.json()) as Answer
  }
}

/** What such requests name as their host. */
const ADDRESS = '127.0.0.1'

/** The error of an answer that is no success: `{error: {code, message, hint?}}`. */
async function refusalError(response: Response): Promise<ForewordError> {
  const body = (await response.json().catch(() => undefined)) as { readonly error?: Refusal } | undefined
  const { code = 'internal', message = `The gateway answered ${response.status}.`, hint } = body?.error ?? {}
  return new ForewordError(code, message, { status: response.status }, { hint })
}

interface Refusal {
  readonly code?: string
  readonly message?: string
  readonly hint?: string
}

interface ServedCommand extends Pick<SlashCommand, 'argument' | 'summary' | 'shows'> {
  readonly name: string
  run(call: ServedCall): Promise<CommandAnswer>
}

interface ServedCall {
  readonly argument: string
  readonly session: string | undefined
  /** Who runs it: it may do no more than they may. */
  readonly caller: Caller
}

interface CommandAnswer {
  readonly text?: string
  /** The session that the command was about: it made one where none was named. */
  readonly session?: string
}
