import type { ReasoningMetadata } from '../../../model.ts'

/** What a provider needs back with its reasoning: Anthropic's own as it is, others' wrapped. Empty for nothing. */
export function signatureOf(metadata: ReasoningMetadata): string {
  const own = metadata['anthropic']?.['signature']
  if (typeof own === 'string') return own
  return WRAPPED + Buffer.from(JSON.stringify(metadata), 'utf8').toString('base64url')
}

export function redactedData(metadata: ReasoningMetadata): string | undefined {
  const data = metadata['anthropic']?.['redactedData']
  return typeof data === 'string' ? data : undefined
}

/** `undefined` for a signature that cannot be read. */
export function readSignature(signature: string): ReasoningMetadata | undefined {
  if (!signature.startsWith(WRAPPED)) return { anthropic: { signature } }
  try {
    const found: unknown = JSON.parse(Buffer.from(signature.slice(WRAPPED.length), 'base64url').toString('utf8'))
    return isMetadata(found) ? found : undefined
  } catch {
    return undefined
  }
}

/** No signature of Anthropic begins so: those are base64. */
const WRAPPED = 'foreword:'

function isMetadata(value: unknown): value is ReasoningMetadata {
  const isObject = (each: unknown) => typeof each === 'object' && each !== null && !Array.isArray(each)
  return isObject(value) && Object.values(value as object).every(isObject)
}
