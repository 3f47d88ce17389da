import { characters } from './character-references.ts'

const SCHEMES = new Set(['http:', 'https:', 'mailto:', 'tg:'])

/** The address of a link as Telegram takes it; `undefined` where it takes none of the kind. */
export function linkAddress(href: string): string | undefined {
  const address = characters(href).trim()
  if (!URL.canParse(address)) return undefined
  const { protocol, hostname, href: url } = new URL(address)
  if (!SCHEMES.has(protocol)) return undefined
  // Names without a dot, such as those of one's own network, mean nothing to Telegram.
  const isWeb = protocol === 'http:' || protocol === 'https:'
  return isWeb && !hostname.includes('.') ? undefined : url
}
