import type { IncomingMessage } from 'node:http'
import type { BroughtToken } from '../../capability.ts'
import { readThroughAddress } from './address.ts'
import { filterPairs, type HeaderPairs } from './forward.ts'

/**
 * The token of this gateway in a request: in `x-foreword-token`, beside the project of the caller, in the address, or
 * in the place of the API key. One beside a project or in the address has the scope `talk` alone: others log these.
 */
export function gatewayToken({ headers, url = '' }: IncomingMessage): BroughtToken | undefined {
  const own = headers['x-foreword-token']
  if (typeof own === 'string' && own !== '') return { value: own }
  const beside = besideProject(headers[PROJECT])
  if (beside !== undefined) return { value: beside.token, onlyScope: 'talk' }
  const { token } = readThroughAddress(url)
  if (token !== undefined) return { value: token, onlyScope: 'talk' }
  const key = callerKeys(headers)[0]
  return key === undefined ? undefined : { value: key }
}

/** Codex sends no header of ours, but that of its project with the value of a variable: `foreword:TOKEN` or `foreword:TOKEN:PROJECT`. */
const PROJECT = 'openai-project'

function besideProject(value: unknown): { readonly token: string; readonly project: string } | undefined {
  const [, token, project = ''] = (typeof value === 'string' && /^foreword:([\w-]+)(?::(.*))?$/.exec(value)) || []
  return token === undefined ? undefined : { token, project }
}

/** The keys that a caller sends, without the word `Bearer`. */
export function callerKeys(headers: Readonly<Record<string, unknown>>): readonly string[] {
  return KEY_HEADERS.flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' && value !== '' ? [keyIn(value)] : []
  })
}

const KEY_HEADERS = ['authorization', 'x-api-key', 'api-key'] as const

function keyIn(value: string): string {
  return /^bearer +(.+)$/i.exec(value)?.[1] ?? value
}

/** Headers without the token of this gateway, wherever it is. */
export function withoutGatewayToken(pairs: HeaderPairs, token: string | undefined): HeaderPairs {
  const isKept = (name: string, value: string): boolean =>
    name !== 'x-foreword-token' &&
    name !== 'x-foreword-mode' &&
    (token === undefined || keyIn(value) !== token) &&
    (name !== PROJECT || besideProject(value)?.project !== '')
  return filterPairs(pairs, isKept).map((each, at, kept) =>
    at % 2 === 1 && kept[at - 1]!.toLowerCase() === PROJECT ? (besideProject(each)?.project ?? each) : each,
  )
}

/** The sign-in token of a subscription: `sk-ant-oat…` of Anthropic, a JSON Web Token of ChatGPT. No API key is one. */
export function isSignInToken(key: string): boolean {
  return key.startsWith('sk-ant-oat') || /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(key)
}
