/** Why a server could not be reached or did not answer, as a sentence that goes on from its name. */
export class ConnectionFault extends Error {
  override readonly name = 'ConnectionFault'
  /** The server ended when it was asked which protocols it knows. */
  readonly endedAtProbe: boolean
  /** The program cannot be started, now or in a while. */
  readonly isHopeless: boolean
  /** The connection is of no use any more. */
  readonly isLost: boolean
  /** The server has certainly not seen the request. */
  readonly isUnheard: boolean

  /** `ending`: how the connection ended, where it did. */
  constructor(error: unknown, ending: string | undefined) {
    super(ending ?? reasonOf(error), { cause: error })
    const chain = causes(error)
    const codes = new Set(chain.map(codeOf))
    this.endedAtProbe = codes.has('ERA_NEGOTIATION_FAILED') && ending !== undefined
    this.isHopeless = chain.some(isStartFailure)
    this.isUnheard = isForgottenSession(error) || REFUSALS.some((code) => codes.has(code))
    this.isLost =
      ending !== undefined || this.isUnheard || LOSSES.some((code) => codes.has(code)) || chain.some(isFetchFailure)
  }
}

const LOSSES = ['CONNECTION_CLOSED', 'SEND_FAILED']

const REFUSALS = ['NOT_CONNECTED', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']

/** The words that say most, on one line. */
function reasonOf(error: unknown): string {
  const { status, text } = answerOf(error)
  if (status === 401 || status === 403) return `it answered ${status}: the headers that it is sent do not let us in`
  if (status === 404) return 'it answered 404: no MCP server is at this address, or it has forgotten the session'
  if (status !== undefined) return oneLine(`it answered ${status}${text === '' ? '' : `: ${text}`}`)
  const chain = causes(error)
  if (codeOf(error) === 'UNSUPPORTED_RESULT_TYPE') return 'it asks back, and servers are given no way to do that'
  if (codeOf(error) === 'INVALID_RESULT') return 'it answered with something that the protocol does not know'
  // What the system says of a connection stands at the bottom.
  const told = chain.some(isFetchFailure) ? chain.at(-1) : error
  return oneLine(told instanceof Error ? told.message || codeOf(told) || told.name : String(told))
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 300)} …` : line
}

/** A server that was started anew knows no sessions. It should answer 404; some answer 400 and say why. */
function isForgottenSession(error: unknown): boolean {
  const { status, text } = answerOf(error)
  return status === 404 || (status === 400 && /session/i.test(text))
}

function isFetchFailure(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'fetch failed'
}

function isStartFailure(error: unknown): boolean {
  const call = (error as { readonly syscall?: unknown }).syscall
  return typeof call === 'string' && call.startsWith('spawn')
}

function causes(error: unknown): readonly unknown[] {
  const chain: unknown[] = []
  for (let next = error; next !== undefined && next !== null && chain.length < 8; next = causeOf(next)) chain.push(next)
  return chain
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code
  return typeof code === 'string' ? code : undefined
}

function answerOf(error: unknown): { readonly status: number | undefined; readonly text: string } {
  const data = (error as { readonly data?: { readonly status?: unknown; readonly text?: unknown } } | null)?.data
  const { status, text } = data ?? {}
  return { status: typeof status === 'number' ? status : undefined, text: typeof text === 'string' ? text : '' }
}
