import type { ForeignCallStart } from '../../capability.ts'
import type { KnownSecrets } from '../../platform.ts'
import { decodeBody } from './decode-body.ts'

/** The name of a secret in a body, or in the path of the call; `undefined` where there is none. */
export async function findSecret(
  { body, head }: Pick<ForeignCallStart, 'body' | 'head'>,
  { find }: Pick<KnownSecrets, 'find'>,
): Promise<string | undefined> {
  const encoding = head.headers['content-encoding']
  // What is not in the encoding that it names is read as it is.
  const bytes = encoding === undefined ? body : await decodeBody(body, encoding).catch(() => body)
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return find(head.path) ?? find(text)
}
