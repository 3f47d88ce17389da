import { characters } from './character-references.ts'

/** Not `tg:`, which calls people and acts within Telegram. */
const SCHEMES = new Set(['http:', 'https:', 'mailto:'])

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

/** Whether words show an address, and lead elsewhere. */
export function misleads(words: string, url: string): boolean {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'mailto:') return false
  return Array.from(words.matchAll(SHOWN_ADDRESS), ([, host = '']) => host).some((host) => !isSameHost(host, hostname))
}

// Without a scheme only endings that are no endings of files.
const SHOWN_ADDRESS =
  /(?:https?:\/\/(?:[^\s/@]*@)?|\b(?=www\.)|\b(?=[\w.-]{1,250}\.(?:com|org|net|gov|edu)\b))([\p{L}\p{N}_.-]{1,253})/giu

function isSameHost(shown: string, host: string): boolean {
  const address = `http://${shown.replace(/[.-]+$/, '')}`
  return URL.canParse(address) && bare(new URL(address).hostname) === bare(host)
}

function bare(host: string): string {
  return host.toLowerCase().replace(/^www\./, '')
}
