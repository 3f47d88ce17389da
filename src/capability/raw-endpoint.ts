import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Failure } from './route.ts'
import type { Caller, TokenScope } from './token-scope.ts'

/**
 * An endpoint that answers on the socket, for every method and path below its own: what comes in and what goes out are raw
 * pairs of headers and raw bytes. It stands behind the guard and beside the routes. No cookie opens it.
 */
export interface RawEndpoint {
  /** Beginning of its paths, with a slash at its end: `/through/`. */
  readonly path: string
  /** What the token of a caller has to be for. */
  readonly scope: TokenScope
  /** The token of this gateway that a request brings; `undefined` where it brings none. */
  token(incoming: IncomingMessage): BroughtToken | undefined
  /** Answers. What it throws before it has answered is refused; afterwards, the connection is closed. */
  answer(call: RawRequest): Promise<void>
  /** Answers with a failure, in the form that its clients read. */
  refuse(failure: Failure, call: Pick<RawRequest, 'incoming' | 'outgoing'>): void
}

/** A token of the gateway, and how it came. */
export interface BroughtToken {
  readonly value: string
  /** Tokens of every other scope are refused: it came where others may read it, such as in an address. */
  readonly onlyScope?: TokenScope
}

/** One request on the socket. */
export interface RawRequest {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly caller: Caller
  /** For the body of the request. The endpoint ends it once it holds the body no more; where it throws, it is ended. */
  readonly bodyBudget: BodyBudget
  /** Whether a text or its bytes contain a token of this gateway, which has to go no further. */
  holdsToken(text: string | Uint8Array): boolean
}

/** Room for the body of one request, in the memory that the bodies of all requests share. */
export interface BodyBudget {
  /**
   * Resolves once there is room for so many bytes in all, so that they can be read.
   *
   * @throws RuntimeError `overloaded` where there is none within ten seconds
   */
  hold(bytes: number): Promise<void>
  /** Gives it back, once. */
  end(): void
}
