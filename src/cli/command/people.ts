import {
  type CommandCall,
  exactMoneyText,
  type GatewayConnection,
  type Io,
  type PersonRole,
  personRoles,
} from '../../capability.ts'
import { numberText } from '../../context.ts'
import { nearestHint } from '../../platform.ts'
import { apiPath, requestJson, requestList, sendRequest } from '../answer.ts'
import { yesOption } from '../arguments.ts'
import { confirm, isInteractive } from '../approval/asking.ts'
import { listCommand } from '../gateway-commands.ts'
import { findGateway, withConnection } from '../connection.ts'
import { usageFailure } from '../failure.ts'
import { note, print, printChange, printJson } from '../io.ts'
import { commandWithSubcommands } from '../subcommand.ts'
import { sizeText } from '../state-text.ts'
import { rowTable } from '../table.ts'
import { timeText } from '../time-text.ts'

interface ListedPerson {
  readonly name: string
  readonly role: string
  readonly made: string
  readonly email?: string
  readonly groups?: readonly string[]
  readonly usage?: {
    /** Absent, as the tokens are: the gateway adds up no costs. */
    readonly sessions?: number
    readonly prompt?: number
    readonly output?: number
    readonly money?: number
    readonly storeBytes: number
    readonly files: number
    readonly fileBytes: number
    readonly updated?: string
  }
}

interface Invitation {
  readonly path: string
  readonly expires: string
}

export const peopleCommand = commandWithSubcommands({
  name: 'people',
  group: 'set-up',
  summary: 'let other people use this gateway, each with a home of their own',
  details:
    'Each person has sessions, files, memory and limits of their own, which no other person sees. `add` prints an invitation: a link that signs ' +
    'one browser in, once, within seven days; `invite` makes another one. A `member` talks and decides about calls of tools, a `guest` talks. ' +
    '`groups` says which groups somebody is in, with which an agent, a project or a template can be shared; without a group, none. ' +
    'A program gets a token with `foreword token new NAME --scope talk --person PERSON`. `remove` deletes a home with everything in it.',
  options: {
    role: { value: 'ROLE', summary: `what they may do: ${personRoles.join(' or ')} (default: member)` },
    email: { value: 'ADDRESS', summary: 'their address, to know them by' },
    yes: yesOption,
  },
  first: 'list',
  subcommands: {
    list: { usage: '[--json]', run: listPeople() },
    add: { usage: 'NAME [--role ROLE] [--email ADDRESS] [--json]', forPersons: 'let people in', run: addPerson },
    invite: { usage: 'NAME [--json]', forPersons: 'let people in', run: invitePerson },
    groups: { usage: 'NAME [GROUP…] [--json]', forPersons: 'change what people are offered', run: changeGroups },
    role: { usage: 'NAME ROLE [--json]', forPersons: 'change what people may do', run: changeRole },
    remove: { usage: 'NAME [--yes] [--json]', forPersons: 'remove people', run: removePerson },
  },
})

function listPeople() {
  return listCommand<ListedPerson>((connection) => requestList(connection, '/api/people', 'people'), {
    empty: 'Nobody but you yet. Add somebody with `foreword people add NAME`.',
    table: peopleTable,
  })
}

function peopleTable(people: readonly ListedPerson[], io: Io): string {
  const now = new Date()
  const rows = people.map(({ name, role, usage, email, groups }) => ({
    person: name,
    role,
    email: email ?? '',
    groups: groups?.join(', ') ?? '',
    sessions: usage === undefined ? 'not known' : String(usage.sessions ?? ''),
    tokens: usage?.prompt === undefined ? '' : numberText(usage.prompt + (usage.output ?? 0)),
    files: usage === undefined || usage.files === 0 ? '' : `${usage.files} (${sizeText(usage.fileBytes)})`,
    cost: usage?.money === undefined ? '' : exactMoneyText(usage.money),
    'last active': usage?.updated === undefined ? 'never' : timeText(usage.updated, now),
  }))
  return rowTable(rows, io, { spare: ['email', 'files', 'tokens'] })
}

async function addPerson(call: CommandCall, io: Io): Promise<number> {
  const name = call.words[1]!
  const body = { name, role: readRole(call.text('role') ?? 'member'), email: call.text('email') }
  const made = await withConnection(call.home, io, 'write', (connection) =>
    requestJson<ListedPerson & { readonly invitation?: Invitation }>(connection, '/api/people', {
      method: 'POST',
      body,
    }),
  )
  if (call.json) return printJson(io, made)
  note(io, `Added ${name} (${made.role}).`)
  return printInvitation(name, made.invitation!, call, io)
}

async function invitePerson(call: CommandCall, io: Io): Promise<number> {
  const name = call.words[1]!
  const made = await withConnection(call.home, io, 'write', (connection) =>
    requestJson<Invitation>(connection, apiPath('/api/people/', name, '/invitation'), { method: 'POST', body: {} }),
  )
  return call.json ? printJson(io, made) : printInvitation(name, made, call, io)
}

/** Prints the link alone on the standard output, with the address that browsers use. Without that and without a gateway there is no address yet to put in front of it. */
async function printInvitation(
  name: string,
  { path, expires }: Invitation,
  call: CommandCall,
  io: Io,
): Promise<number> {
  const running = await findGateway(call.home)
  const { loadConfiguration } = await import('../../runtime.ts')
  const { configuration } = await loadConfiguration({
    home: call.home,
    environment: io.environment,
    capabilities: [],
  })
  const own = running.type === 'gateway' ? running.address : undefined
  const address = configuration.gateway.publicUrl?.replace(/\/$/, '') ?? own
  note(
    io,
    `Send this link to ${name}. It signs one browser in, once, until ${timeText(expires, new Date())}.` +
      (address === undefined ? ' No gateway runs: put the address of yours in front of it.' : ''),
  )
  print(io, `${address ?? ''}${path}`)
  return 0
}

async function changeRole(call: CommandCall, io: Io): Promise<number> {
  const [, name, word] = call.words as readonly [string, string, string]
  const role = readRole(word)
  await withConnection(call.home, io, 'write', (connection) =>
    sendRequest(connection, apiPath('/api/people/', name), { method: 'PATCH', body: { role } }),
  )
  return printChange({ person: name, role }, `${name} is ${role} now.`, call, io)
}

async function changeGroups(call: CommandCall, io: Io): Promise<number> {
  const [, name, ...groups] = call.words as readonly [string, string, ...string[]]
  await withConnection(call.home, io, 'write', (connection) =>
    sendRequest(connection, apiPath('/api/people/', name), { method: 'PATCH', body: { groups } }),
  )
  const text = groups.length === 0 ? `${name} is in no group now.` : `${name} is in ${groups.join(', ')} now.`
  return printChange({ person: name, groups }, text, call, io)
}

async function removePerson(call: CommandCall, io: Io): Promise<number> {
  const name = call.words[1]!
  if (!call.has('yes') && !call.json && isInteractive(io)) {
    note(io, `This removes ${name} with all sessions, files and memory. It cannot be undone.`)
    if (!(await confirm(io, `Remove ${name}?`))) {
      note(io, 'Nothing was removed.')
      return 1
    }
  }
  const removed = await withConnection(call.home, io, 'write', (connection: GatewayConnection) =>
    requestJson<{ readonly removed: string }>(connection, apiPath('/api/people/', name), { method: 'DELETE' }),
  )
  return printChange(removed, `Removed ${name}. Backups made before still have their words.`, call, io)
}

function readRole(text: string): PersonRole {
  const role = personRoles.find((each) => each === text)
  if (role !== undefined) return role
  const hint = nearestHint(text, personRoles, `Use ${personRoles.join(' or ')}.`, (near) => `\`${near}\``)
  throw usageFailure(`Unknown role "${text}".`, hint)
}
