import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type BodyBudget,
  type BroughtToken,
  RuntimeError,
  type RawRequest,
  type RawEndpoint,
  type TokenScope,
} from '../capability.ts'
import type { createBodyBudgets } from './body-budgets.ts'
import { defined, type KnownSecrets } from '../platform.ts'
import { redactFailure, toFailure } from './failure.ts'
import { type Guard, ownerOf, requireScope, type Visitor } from './guard.ts'
import type { Visits } from './visits.ts'

interface RawAnswerParts {
  readonly endpoints: readonly RawEndpoint[]
  readonly guard: Pick<Guard, 'enter' | 'holdsToken'>
  readonly ofPerson: (person: string) => Promise<RawAnswers>
  readonly visits: Visits
  readonly bodyBudgets: ReturnType<typeof createBodyBudgets>
  readonly secrets?: KnownSecrets | undefined
  readonly unexpected: (error: unknown, path: string) => void
}

export interface RawAnswers {
  /** The token that a request to one of the endpoints brings. */
  tokenOf(incoming: IncomingMessage): string | undefined
  /** Answers a request of a raw endpoint on the socket; `false` for the others. What it begins never rejects. */
  answer(incoming: IncomingMessage, outgoing: ServerResponse): boolean
  /** Answers somebody whom the guard has let in. `path` is that of the endpoint. */
  answerAs(visitor: Visitor, path: string, sockets: Omit<RawRequest, 'caller' | 'holdsToken'>): Promise<void>
}

export function createRawAnswers(parts: RawAnswerParts): RawAnswers {
  const { endpoints, guard } = parts
  return {
    tokenOf: (incoming) => endpoints.find(({ path }) => incoming.url?.startsWith(path))?.token(incoming)?.value,
    answer(incoming, outgoing) {
      const endpoint = endpoints.find(({ path }) => incoming.url?.startsWith(path))
      if (endpoint === undefined) return false
      void answerRaw(endpoint, parts, { incoming, outgoing })
      return true
    },
    async answerAs(visitor, path, sockets) {
      const endpoint = endpoints.find((each) => each.path === path)!
      await endpoint.answer({ ...sockets, caller: visitor, holdsToken: guard.holdsToken })
    },
  }
}

async function answerRaw(
  endpoint: RawEndpoint,
  { guard, ofPerson, visits, bodyBudgets, secrets, unexpected }: RawAnswerParts,
  sockets: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse },
): Promise<void> {
  const { incoming, outgoing } = sockets
  let bodyBudget: BodyBudget | undefined
  try {
    const brought = endpoint.token(incoming)
    const entry = await guard.enter(guardedRequest(incoming, brought), endpoint.path, incoming.socket.remoteAddress)
    if ('answer' in entry) throw new Error('the guard answered a request on the socket')
    const { visitor } = entry
    requireScope(visitor, endpoint.scope, endpoint.path)
    if (brought?.onlyScope !== undefined) requireOnlyScope(visitor, brought.onlyScope)
    outgoing.once(
      'close',
      visits.hold(visitor, () => outgoing.destroy()),
    )
    // A caller that has left meanwhile is not answered.
    if (outgoing.destroyed) return
    bodyBudget = bodyBudgets(ownerOf(visitor))
    if (visitor.person === undefined)
      await endpoint.answer({ ...sockets, caller: visitor, bodyBudget, holdsToken: guard.holdsToken })
    else await (await ofPerson(visitor.person)).answerAs(visitor, endpoint.path, { ...sockets, bodyBudget })
  } catch (error) {
    bodyBudget?.end()
    const failure = redactFailure(toFailure(error), secrets)
    // Its path may contain a token.
    if (failure.code === 'internal') unexpected(error, endpoint.path)
    if (outgoing.headersSent) outgoing.destroy()
    else endpoint.refuse(failure, sockets)
  }
}

/** What the guard reads of a request, with the token where it looks for one. */
function guardedRequest({ headers }: IncomingMessage, brought: BroughtToken | undefined): Request {
  const { host = '', origin } = headers
  const forwarded = headers['x-forwarded-for']
  return new Request('http://localhost/', {
    headers: {
      host,
      ...defined({ origin, 'x-forwarded-for': forwarded === undefined ? undefined : String(forwarded) }),
      ...(brought && { authorization: `Bearer ${brought.value}` }),
    },
  })
}

function requireOnlyScope({ scope, name, token }: Visitor, only: TokenScope): void {
  if (token === undefined || scope === only) return
  throw new RuntimeError(
    'forbidden',
    `An address may contain a token of the scope ${only} alone, and ${name ?? "the owner's token"} has the scope ${scope}.`,
    { scope: only },
    { hint: `\`foreword token new NAME --scope ${only}\` makes one. Others go into the header \`x-foreword-token\`.` },
  )
}
