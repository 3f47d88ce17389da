import { z } from 'zod'
import { type Route, jsonAnswer, route, type Runtime } from '../../capability.ts'
import { empty } from '../answer.ts'
import { HttpFailure } from '../failure.ts'
import { type HostedRuntime, isThere, noChatForGuests, type People, personNotFound } from '../../runtime.ts'

const channel = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, 'expected the name of a channel: lowercase letters, digits and hyphens')
  .describe('Name of the channel.')

const pairedChat = z.object({
  channel: z.string(),
  chat: z.string().describe("The channel's own id of the chat."),
  title: z.string().describe('Name of the chat or person in the channel.'),
  person: z.string().optional().describe("The channel's own id of the person who sent the code."),
  kind: z.enum(['person', 'group']),
  home: z.string().optional().describe('The person whose home it talks to. Absent: that of the owner.'),
  time: z.string(),
})

const pairingCode = z.object({
  channel: z.string(),
  code: z.string().describe('Anyone who sends it to the bot before it expires is paired. It is shown only once.'),
  expires: z.string(),
})

/** Chats that may talk to the agent. They are for people: no tool reaches these endpoints. */
export function pairingRoutes(runtime: Runtime, people?: Pick<People, 'find'>): readonly Route[] {
  return [
    route('GET /api/pairings', {
      scope: 'admin',
      personScope: 'approve',
      summary: 'Lists the paired chats, oldest pairing first',
      query: z.strictObject({ channel: channel.optional() }),
      answers: () =>
        jsonAnswer('The pairings', {
          channels: z.array(z.string()).describe('Names of those that are open: a chat of one of them can be paired.'),
          pairings: z.array(pairedChat),
        }),
      handle: async ({ query }) => ({
        channels: ((runtime as Partial<HostedRuntime>).channels ?? []).map(({ name }) => name),
        pairings: await runtime.pairings.list(query.channel),
      }),
    }),
    route('POST /api/pairings/code', {
      scope: 'admin',
      personScope: 'approve',
      summary: 'Creates a code that pairs one chat',
      description:
        'The code is valid for ten minutes and works once. It replaces an earlier code of the same channel for the same home. In the home ' +
        'of a person the chat will talk to that.',
      body: z.strictObject({
        channel,
        person: z
          .string()
          .optional()
          .describe('Whose home the chat will talk to, with the limits of that person: a chat of one, and no group.'),
      }),
      answers: () => jsonAnswer('The code', pairingCode, 201),
      handle({ body: { channel: name, person } }) {
        if (person !== undefined) {
          const found = people?.find(person)
          if (!isThere(found)) throw personNotFound(person)
          if (found.role !== 'member') throw noChatForGuests(person)
        }
        return runtime.pairings.newCode(name, person)
      },
    }),
    route('DELETE /api/pairings/:channel/:chat', {
      scope: 'admin',
      personScope: 'approve',
      summary: 'Removes a pairing: no message of this chat reaches a model any more',
      answers: { 204: { description: 'Removed' } },
      handle: async ({ caller, param }) => {
        if (await runtime.pairings.remove(param('channel'), param('chat'), caller.by)) return empty(204)
        throw pairingNotFound(param('channel'), param('chat'))
      },
    }),
  ]
}

function pairingNotFound(name: string, chat: string): HttpFailure {
  return new HttpFailure(
    'not-found',
    `No chat ${chat} is paired on ${name}. \`foreword pair list\` or GET /api/pairings lists them.`,
    { channel: name, chat },
  )
}
