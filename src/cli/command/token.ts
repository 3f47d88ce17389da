import { rowTable } from '../table.ts'
import { type CommandCall, type Io, type TokenScope, tokenScopes } from '../../capability.ts'
import { systemClock, defined, nearestHint } from '../../platform.ts'
import type { ListedToken } from '../../runtime.ts'
import { CommandFailure, usageFailure } from '../failure.ts'
import { note, print, printJson, printList, printAnswer, printChange } from '../io.ts'
import { addressWithToken } from '../start-screen.ts'
import { findGateway } from '../connection.ts'
import { commandWithSubcommands } from '../subcommand.ts'
import { timeText } from '../time-text.ts'
import { makeToken, withNamedTokens } from '../tokens.ts'

export const tokenCommand = commandWithSubcommands({
  name: 'token',
  group: 'set-up',
  summary: 'print the address with the token of the owner, and make tokens for others',
  details:
    'The token of the owner gives full access to this home. It is stored in the home in a file that only you can read. `new` makes a token ' +
    'for a program, a device or a person, with its own name and scope, and prints it once. `read` lets its holder see sessions, ' +
    'calls and usage; `talk` also send messages and files; `approve` also decide about calls and proposals; `admin` everything; ' +
    '`mcp` is for MCP clients alone. `revoke` ends a token at once, with what it holds open. WHEN is a span such as 12h, 30d or 8w, or a date.',
  options: {
    scope: { value: 'SCOPE', summary: `what the new token is for: ${tokenScopes.join(', ')}` },
    person: { value: 'PERSON', summary: 'whose home the new token opens (default: yours)' },
    expires: { value: 'WHEN', summary: 'when the new token expires (default: never)' },
  },
  first: 'show',
  subcommands: {
    show: { usage: '[--json]', forPersons: 'read the token', run: showToken },
    new: {
      usage: 'NAME --scope SCOPE [--person PERSON] [--expires WHEN] [--json]',
      forPersons: 'make a token',
      run: newToken,
    },
    list: { usage: '[--json]', run: listTokens },
    revoke: { usage: 'NAME [--json]', forPersons: 'revoke a token', run: revokeToken },
  },
})

async function showToken(call: CommandCall, io: Io): Promise<number> {
  const { readToken } = await import('../../runtime.ts')
  const value = await readToken(call.home)
  const running = await findGateway(call.home)
  const address = running.type === 'gateway' ? running.address : undefined
  if (!call.json && address === undefined) {
    throw new CommandFailure('no-gateway', `No gateway runs on the home ${call.home}.`, {
      hint: 'Start one with `foreword start`, which prints the address.',
    })
  }
  return printAnswer({ address, token: value }, () => addressWithToken(address!, value), call, io)
}

/** Prints the new token alone on the standard output, so that a pipe can carry it to where it belongs. */
async function newToken(call: CommandCall, io: Io): Promise<number> {
  const name = call.words[1]!
  const scope = readScope(call.text('scope'))
  const draft = { name, scope, ...defined({ expires: call.text('expires'), person: call.text('person') }) }
  const { token, hash: _hash, ...made } = await makeToken(call.home, io, draft)
  if (call.json) return printJson(io, { ...made, token })
  const until = made.expires === undefined ? 'It does not expire.' : `It expires ${timeText(made.expires, new Date())}.`
  const end = `end it with \`foreword token revoke ${name}\`.`
  note(io, `Made the token ${name} (${scope}). ${until} It is shown only now; ${end}`)
  print(io, token)
  return 0
}

function readScope(text: string | undefined): TokenScope {
  const names = tokenScopes.join(', ')
  if (text === undefined) throw usageFailure('--scope is missing.', `Use one of ${names}, the least that is enough.`)
  const scope = tokenScopes.find((name) => name === text)
  if (scope !== undefined) return scope
  const hint = nearestHint(text, tokenScopes, `Use one of ${names}.`, (near) => `\`--scope ${near}\``)
  throw usageFailure(`Unknown scope "${text}".`, hint)
}

async function listTokens(call: CommandCall, io: Io): Promise<number> {
  const { listedTokens, openTokenUses } = await import('../../runtime.ts')
  const tokens = await withNamedTokens(
    call.home,
    io,
    async (named) =>
      listedTokens(named.list(), await openTokenUses({ home: call.home, clock: systemClock }).all(), Date.now()),
    { reads: true },
  )
  const empty = 'No named tokens yet. Make one with `foreword token new NAME --scope SCOPE`.'
  return printList(tokens, { empty, table: tokenTable }, call, io)
}

function tokenTable(tokens: readonly ListedToken[], io: Io): string {
  const now = new Date()
  const rows = tokens.map(({ name, scope, person, made, expires, used, isExpired }) => ({
    token: name,
    scope,
    ...(tokens.some((each) => each.person !== undefined) && { person: person ?? '' }),
    made: timeText(made, now),
    expires: expires === undefined ? 'never' : `${isExpired ? 'expired ' : ''}${timeText(expires, now)}`,
    'last used': used === undefined ? 'never' : timeText(used, now),
  }))
  return rowTable(rows, io, { spare: ['made', 'last used'] })
}

async function revokeToken(call: CommandCall, io: Io): Promise<number> {
  const name = call.words[1]!
  await withNamedTokens(call.home, io, (named) => named.revoke(name, 'cli'))
  return printChange({ revoked: name }, `Revoked ${name}. Nobody gets in with it any more.`, call, io)
}
