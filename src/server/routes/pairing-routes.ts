import { z } from 'zod'
import { type Route, route, type Runtime } from '../../capability.ts'
import { empty, json } from '../answer.ts'
import { HttpFailure } from '../failure.ts'

const channel = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, 'expected the name of a channel, such as telegram')
  .describe('Name of the channel, such as telegram.')

const pairedChat = z.object({
  channel: z.string(),
  chat: z.string().describe("The channel's own id of the chat."),
  title: z.string().describe('What the chat or the person is called there.'),
  person: z.string().optional().describe("The channel's own id of the person who brought the code."),
  kind: z.enum(['person', 'group']),
  time: z.string(),
})

const pairingCode = z.object({
  channel: z.string(),
  code: z.string().describe('Whoever sends it to the bot within its time is let in. It is shown this once.'),
  expires: z.string(),
})

/** Chats that may talk to the agent. Only a person comes through here: no tool leads to these doors. */
export function pairingRoutes(runtime: Runtime): readonly Route[] {
  const tag = 'pairings'
  return [
    route({
      method: 'GET',
      path: '/api/pairings',
      tag,
      summary: 'Lists the chats that are paired, in the order in which they were',
      query: z.strictObject({ channel: channel.optional() }),
      answers: { 200: { description: 'All of them', schema: z.object({ pairings: z.array(pairedChat) }) } },
      handle: async ({ query }) => json({ pairings: await runtime.pairings.list(query.channel) }),
    }),
    route({
      method: 'POST',
      path: '/api/pairings/code',
      tag,
      summary: 'Makes a code that lets one chat in',
      description:
        'It holds for ten minutes and works once. A code that was made before for this channel works no longer.',
      body: z.strictObject({ channel }),
      answers: { 201: { description: 'The code', schema: pairingCode } },
      handle: async ({ body }) => json(await runtime.pairings.newCode(body.channel), 201),
    }),
    route({
      method: 'DELETE',
      path: '/api/pairings/:channel/:chat',
      tag,
      summary: 'Takes a chat out: what is said there reaches no model any more',
      answers: { 204: { description: 'It is out' } },
      handle: async ({ param }) => {
        if (await runtime.pairings.remove(param('channel'), param('chat'))) return empty(204)
        throw noSuchPairing(param('channel'), param('chat'))
      },
    }),
  ]
}

function noSuchPairing(name: string, chat: string): HttpFailure {
  return new HttpFailure(
    404,
    'not-found',
    `No chat ${chat} is paired on ${name}. \`foreword pair list\` or GET /api/pairings lists them.`,
    { channel: name, chat },
  )
}
