import type { ForeignCallStart } from '../../capability.ts'
import type { KnownSecrets } from '../../platform.ts'
import { decodeBody } from './decode-body.ts'

/** The name of a secret in a body, or in the path of the call; `undefined` where there is none. */
export async function findSecret(
  { body, head }: Pick<ForeignCallStart, 'body' | 'head'>,
  { find, findInBytes }: Pick<KnownSecrets, 'find' | 'findInBytes'>,
): Promise<string | undefined> {
  const encoding = head.headers['content-encoding']
  // What is not in the encoding that it names is read as it is.
  const bytes = encoding === undefined ? body : await decodeBody(body, encoding).catch(() => body)
  return find(head.path) ?? findInBytes(bytes)
}
