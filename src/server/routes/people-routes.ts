import { z } from 'zod'
import {
  costService,
  jsonAnswer,
  personRoles,
  type Route,
  route,
  type Runtime,
  RuntimeError,
} from '../../capability.ts'
import { defined } from '../../platform.ts'
import { type GatewayTokens, isThere, type PeopleHomes, type Person, personNotFound } from '../../runtime.ts'

export interface PeopleRoutesOptions {
  readonly homes: PeopleHomes
  readonly tokens: GatewayTokens | undefined
  readonly pairings: Runtime['pairings']
  /** A token was made: this is the only moment at which it is known. */
  onMade(name: string, token: string): void
}

const scope = 'admin'
const tag = 'people'
const name = z.string().min(1).max(32)
const role = z.enum(personRoles).describe('`member`: talks and decides about calls of tools. `guest`: talks.')
const email = z.string().max(320)
const groups = z
  .array(z.string().trim().min(1).max(200))
  .max(100)
  .describe('What `sharedWith` of a record names with `group:`. A provider that they sign in with says it instead.')

const person = z.object({
  name,
  role,
  made: z.iso.datetime(),
  email: email.optional(),
  signsIn: z.boolean().describe('Whether they have signed in with a provider.'),
  groups: groups.optional(),
})

/** Absent where the capability of costs is left out. */
const ofCalls = z.object({
  sessions: z.number().int().describe('Sessions with calls.'),
  calls: z.number().int(),
  prompt: z.number().int().describe('Tokens of their prompts, as the providers reported them.'),
  output: z.number().int(),
  money: z.number().optional().describe('US dollars. Absent where no price is known.'),
  unpriced: z.number().int().describe('Calls whose money is not known.'),
})

const usage = ofCalls.partial().extend({
  storeBytes: z.number().int().describe('Of the files of their store, bytes.'),
  files: z.number().int().describe('Files that they have.'),
  fileBytes: z.number().int().describe('Of these files, bytes.'),
  updated: z.iso.datetime().optional().describe('Of their newest session.'),
})

const invitation = z.object({
  path: z.string().describe('Behind the address of the gateway: it signs one browser in, once.'),
  expires: z.iso.datetime(),
})

/** How long somebody can come with an invitation. */
const INVITATION = '7d'

/** The people of a gateway, for its owner: who they are and what they use, and never what they say. */
export function peopleRoutes(options: PeopleRoutesOptions): readonly Route[] {
  const { homes, tokens, pairings, onMade } = options
  const { people } = homes

  async function invite(who: string, by: string): Promise<z.output<typeof invitation> | undefined> {
    if (tokens === undefined) return undefined
    const { named } = tokens
    const own = `invitation-${who}`
    if (named.list().some((each) => each.name === own)) await named.revoke(own, by)
    const made = await named.make({ name: own, scope: 'talk', expires: INVITATION, person: who, invites: true }, by)
    onMade(own, made.token)
    return { path: `/?token=${made.token}`, expires: made.expires! }
  }

  async function usageOf({ name: who }: Person): Promise<z.output<typeof usage>> {
    return homes.look(who, usageIn)
  }

  return [
    route('GET /api/people', {
      scope,
      tag,
      summary: 'Lists the other people of this gateway, and what each of them uses',
      answers: () => jsonAnswer('The people', { people: z.array(person.extend({ usage: usage.optional() })) }),
      handle: async () => ({
        people: await Promise.all(
          people.list().flatMap((each) =>
            each.leaving
              ? []
              : [
                  usageOf(each)
                    .catch(() => undefined)
                    .then((used) => ({ ...shown(each), ...defined({ usage: used }) })),
                ],
          ),
        ),
      }),
    }),
    route('POST /api/people', {
      scope,
      tag,
      summary: 'Adds a person, with a home of their own and an invitation to it',
      body: z.strictObject({
        name: name.describe('Small letters, digits and single dashes.'),
        role: role.default('member'),
        email: email.optional(),
        groups: groups.optional(),
      }),
      answers: () => jsonAnswer('The person', person.extend({ invitation: invitation.optional() }), 201),
      async handle({ body, caller: { by } }) {
        const added = await homes.add(defined(body) as Parameters<typeof homes.add>[0], by)
        return { ...shown(added), ...defined({ invitation: await invite(added.name, by) }) }
      },
    }),
    route('PATCH /api/people/:person', {
      scope,
      tag,
      summary: 'Changes the role, the address or the groups of a person',
      body: z.strictObject({ role: role.optional(), email: email.optional(), groups: groups.optional() }),
      answers: () => jsonAnswer('The person', person),
      async handle({ param, body, caller }) {
        const found = people.find(param('person'))
        if (body.groups !== undefined && found?.identity !== undefined) throw groupsElsewhere(found.name)
        await people.change(param('person'), body, caller.by)
        return shown(people.find(param('person'))!)
      },
    }),
    route('POST /api/people/:person/invitation', {
      scope,
      tag,
      summary: 'Makes a new invitation for a person; an earlier one that nobody has used is worth nothing from then on',
      answers: () => jsonAnswer('The invitation', invitation, 201),
      async handle({ param, caller }) {
        const found = people.find(param('person'))
        if (!isThere(found)) throw personNotFound(param('person'))
        const { name: who } = found
        return (await invite(who, caller.by))!
      },
    }),
    route('DELETE /api/people/:person', {
      scope,
      tag,
      summary: 'Removes a person with their home: sessions, files, memory and what was counted. Backups keep theirs',
      answers: () =>
        jsonAnswer('What was removed', {
          removed: name,
          tokens: z.array(z.string()).describe('Names of their tokens, which are worth nothing any more.'),
        }),
      async handle({ param, caller: { by } }) {
        const { name: who } = await people.leave(param('person'), by)
        const own = tokens?.named.list().filter((each) => each.person === who) ?? []
        for (const each of own) await tokens!.named.revoke(each.name, by)
        await tokens?.browsers.endOf(who)
        for (const { channel, chat, home } of await pairings.list())
          if (home === who) await pairings.remove(channel, chat, by)
        await homes.remove(who)
        return { removed: who, tokens: own.map((each) => each.name) }
      },
    }),
  ]
}

async function usageIn(runtime: Runtime): Promise<z.output<typeof usage>> {
  const [calls, [newest], { storeBytes }, { files, bytes: fileBytes }] = await Promise.all([
    callsIn(runtime),
    runtime.store.sessions({ limit: 1 }),
    runtime.metrics(),
    runtime.store.fileTotals(),
  ])
  return { ...calls, storeBytes, files, fileBytes, ...defined({ updated: newest?.updated }) }
}

async function callsIn(runtime: Runtime): Promise<z.output<typeof ofCalls> | undefined> {
  const report = await runtime.capability(costService)?.usage({ by: 'session', limit: 1 })
  if (report === undefined) return undefined
  const more = 'rest' in report ? report.rest : undefined
  const { calls, prompt, output, money, unpriced } = report.total
  return { sessions: report.rows.length + (more?.rows ?? 0), calls, prompt, output, unpriced, ...defined({ money }) }
}

function groupsElsewhere(who: string): RuntimeError {
  const hint = 'Change them there, or name the person in `sharedWith`.'
  return new RuntimeError('invalid-input', `The provider says which groups ${who} is in.`, { person: who }, { hint })
}

function shown({ name: who, role: as, made, email: address, identity, groups: own }: Person): z.output<typeof person> {
  return {
    name: who,
    role: as,
    made,
    signsIn: identity !== undefined,
    ...defined({ email: address, groups: own && [...own] }),
  }
}
