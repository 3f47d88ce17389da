/** The address under which a client finds one thing of a kind, such as `foreword://sessions/ID`. */
export function resourceAddress(kind: string, id: string): string {
  return `foreword://${kind}/${encodeURIComponent(id)}`
}

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
