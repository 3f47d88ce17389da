/** The addresses under which a client finds what stands here. */
export const subjectAddress = (id: string): string => `foreword://subjects/${encodeURIComponent(id)}`
export const sessionAddress = (id: string): string => `foreword://sessions/${encodeURIComponent(id)}`

/** `foreword://KIND/ID` or `foreword://KIND/ID/PART`, or `undefined` for any other text. */
export function parsedAddress(text: string): Address | undefined {
  const [, kind, id, part] = /^foreword:\/\/([a-z]+)\/([^/?#]+)(?:\/([a-z]+))?$/.exec(text) ?? []
  if (kind === undefined || id === undefined) return undefined
  try {
    return { kind, id: decodeURIComponent(id), part }
  } catch {
    return undefined
  }
}

export interface Address {
  readonly kind: string
  readonly id: string
  readonly part: string | undefined
}
