import type { ForeignCallStart } from '../../capability.ts'
import type { KnownSecrets } from '../../platform.ts'
import { decodeBody } from './decode-body.ts'

/** The name of a secret in a body, or in the path of the call; `undefined` where there is none. */
export async function findSecret(
  { body, head }: Pick<ForeignCallStart, 'body' | 'head'>,
  { redact }: Pick<KnownSecrets, 'redact'>,
): Promise<string | undefined> {
  const encoding = head.headers['content-encoding']
  const bytes = encoding === undefined ? body : await decodeBody(body, encoding)
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return secretIn(head.path, redact) ?? secretIn(text, redact)
}

function secretIn(text: string, redact: KnownSecrets['redact']): string | undefined {
  const clean = redact(text)
  if (clean === text) return undefined
  let at = 0
  while (clean[at] === text[at]) at += 1
  // The name in brackets begins here, or just before, where the secret began with a bracket, too.
  return /\[([^\]]*)\]/.exec(clean.slice(Math.max(0, at - 1), at + 200))?.[1] ?? 'which has no name'
}
