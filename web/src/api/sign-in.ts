import { ApiError, errorBody } from './client.ts'
import { underway } from './underway.ts'

/** Exchanges a token of the gateway for its cookie. Returns why it is refused; `undefined` where it was right. */
export async function signIn(token: string): Promise<ApiError | undefined> {
  const response = await underway(fetch(`/?token=${encodeURIComponent(token.trim())}`, { redirect: 'manual' }))
  if (response.type === 'opaqueredirect') return undefined
  return new ApiError(response.status, await errorBody(response))
}
