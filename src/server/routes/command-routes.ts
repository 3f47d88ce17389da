import { z } from 'zod'
import { type Caller, type Route, route, type Runtime, type SlashCommandCall } from '../../capability.ts'
import { nearestName } from '../../platform.ts'
import { json } from '../answer.ts'
import { conversationCommands } from '../commands/chat-commands.ts'
import type { ServedCommand } from '../commands/served-command.ts'
import type { ServerContribution } from '../contributions.ts'
import { HttpFailure } from '../failure.ts'
import type { ChoiceDescriptions } from '../session-choices.ts'

interface CommandParts {
  readonly choices: ChoiceDescriptions
  readonly contributions: readonly ServerContribution[]
  /** Calls an endpoint as the caller who runs the command. */
  ask(caller: Caller): SlashCommandCall['ask']
}

/** Commands of a conversation, such as `/model`: those of the host, and those of capabilities. */
export function commandRoutes(runtime: Runtime, { choices, contributions, ask }: CommandParts): readonly Route[] {
  const contributed = contributions.flatMap(({ slashCommands = {} }) =>
    Object.entries(slashCommands).map(([name, { argument: usage, summary, shows, run }]): ServedCommand => ({
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
    route({
      method: 'GET',
      path: '/api/commands',
      scope: 'read',
      tag: 'commands',
      summary: 'Lists the commands that a conversation accepts, without their slash',
      answers: { 200: { description: 'Commands', schema: listSchema } },
      handle: () => json({ commands: commands.map(({ run: _run, ...command }) => command), scripts }),
    }),
    route({
      method: 'POST',
      path: '/api/commands/:command',
      scope: 'talk',
      tag: 'commands',
      summary: 'Runs a command in a conversation',
      body: z.strictObject({
        argument: z.string().max(10_000).default('').describe('What follows the command.'),
        session: z.string().min(1).optional().describe('Absent: a conversation without a message yet.'),
      }),
      answers: {
        200: {
          description: 'What it tells the person, and the session that it was about, which may be a new one',
          schema: z.object({ text: z.string().optional(), session: z.string().optional() }),
        },
      },
      handle: async ({ caller, param, body: { argument, session } }) => {
        const command = commands.find(({ name }) => name === param('command'))
        if (!command) throw unknownCommand(param('command'), commands)
        return json(await command.run({ argument: argument.trim(), session, caller }))
      },
    }),
  ]
}

function unknownCommand(name: string, commands: readonly ServedCommand[]): HttpFailure {
  const near = nearestName(
    name,
    commands.map((each) => each.name),
  )
  const help = near === undefined ? 'GET /api/commands lists the commands.' : `Did you mean /${near}?`
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
