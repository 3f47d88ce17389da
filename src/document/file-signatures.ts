import { signatureType } from '../platform.ts'
import type { Unreadable } from './document.ts'

/** What the first bytes of a file give away, where its text is not taken out. */
export interface Refusal {
  readonly type: 'refused'
  readonly code: Unreadable['code']
  readonly reason: string
  readonly mediaType: string
}

/** What is known not to be read. Ask only for bytes that are no text: a sentence may begin with `MZ`. */
export function refusalOf(bytes: Uint8Array): Refusal | undefined {
  const mediaType = signatureType(bytes)
  return mediaType === undefined ? undefined : { type: 'refused', ...refusalFor(mediaType), mediaType }
}

function refusalFor(mediaType: string): Pick<Refusal, 'code' | 'reason'> {
  if (/^(?:audio|video)\/|\/ogg$/.test(mediaType)) {
    return { code: 'unsupported', reason: 'it is a recording; sound and film are not read' }
  }
  if (mediaType.startsWith('image/')) {
    const reason = 'it is an image of a kind that models do not take; save it as PNG or JPEG'
    return { code: 'unsupported', reason }
  }
  if (programs.has(mediaType)) return { code: 'binary', reason: 'it is a program' }
  if (mediaType === 'application/vnd.sqlite3') return { code: 'binary', reason: 'it is a database' }
  return { code: 'unsupported', reason: 'it is an archive; unpack it and hand in the files' }
}

const programs = new Set([
  'application/x-elf',
  'application/vnd.microsoft.portable-executable',
  'application/x-mach-binary',
  'application/wasm',
])
