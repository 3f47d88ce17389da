import type { IncomingMessage } from 'node:http'
import type { BroughtToken } from '../../capability.ts'
import { readThroughAddress } from './address.ts'

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
  const key = KEY_HEADERS.map((name) => headers[name]).find((value) => typeof value === 'string' && value !== '')
  return key === undefined ? undefined : { value: keyIn(String(key)) }
}

/** Codex sends no header of ours, but that of its project with the value of a variable: `foreword:TOKEN` or `foreword:TOKEN:PROJECT`. */
export const PROJECT = 'openai-project'

export function besideProject(value: unknown): { readonly token: string; readonly project: string } | undefined {
  const [, token, project = ''] = (typeof value === 'string' && /^foreword:([\w-]+)(?::(.*))?$/.exec(value)) || []
  return token === undefined ? undefined : { token, project }
}

/** Where programs send the key of an API. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'ocp-apim-subscription-key']

/** Without the word `Bearer`. */
export function keyIn(value: string): string {
  return /^bearer\s+(.+)$/i.exec(value)?.[1] ?? value
}

/** The sign-in token of a subscription: `sk-ant-oat…` of Anthropic, a JSON Web Token of ChatGPT. No API key is one. */
export function isSignInToken(key: string): boolean {
  return /(?<![\w-])(?:sk-ant-oat|eyJ[\w-]+\.[\w-]+\.[\w-]*(?![\w.-]))/.test(key)
}
