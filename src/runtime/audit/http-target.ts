import { publicAddress } from '../../platform.ts'
import type { CheckpointTarget } from './checkpoint-target.ts'

/** How long one attempt may take, ms. */
const TIMEOUT_MS = 10_000

/** An address that receives each line as the body of a POST. Any answer from 200 to 299 confirms it. */
export function httpTarget(text: string): CheckpointTarget {
  const address = new URL(text)
  const { username, password } = address
  address.username = ''
  address.password = ''
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  return {
    name: publicAddress(text),
    async append(line, signal, clock) {
      const response = await fetch(address, {
        method: 'POST',
        body: `${line}\n`,
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          ...(username === '' ? {} : { authorization: `Basic ${credentials}` }),
        },
        signal: AbortSignal.any([signal, clock.timeoutSignal(TIMEOUT_MS)]),
      }).catch((error: unknown) => {
        throw new Error(`${address.host} cannot be reached`, { cause: error })
      })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`${address.host} answered ${response.status}`)
    },
  }
}
