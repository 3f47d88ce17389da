import type { ProviderConfiguration } from './configuration.ts'
import { ANTHROPIC_URL } from './provider/anthropic.ts'
import { OPENAI_URL } from './provider/openai.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where a provider is reached, without a slash at its end: its configuration, the environment, the usual place. */
export function addressOf({ kind, baseURL }: ProviderConfiguration, environment: Environment): string | undefined {
  switch (kind) {
    case 'ollama':
      return ollamaAddress(baseURL ?? environment['OLLAMA_HOST'] ?? '')
    case 'openai':
      return versioned(baseURL ?? environment['OPENAI_BASE_URL'] ?? OPENAI_URL)
    case 'anthropic':
      return versioned(baseURL ?? environment['ANTHROPIC_BASE_URL'] ?? ANTHROPIC_URL)
    case 'openai-compatible':
      return baseURL === undefined ? undefined : versioned(baseURL)
    case 'rehearsal':
      return undefined
  }
}

/**
 * `OLLAMA_HOST` as Ollama itself reads it: a host, a port, both, or an address. It may be the address that a server binds;
 * 0.0.0.0 is then this machine.
 */
export function ollamaAddress(host: string): string {
  const given = host.trim()
  if (given === '') return 'http://127.0.0.1:11434'
  const text = /^https?:\/\//.test(given) ? given : `http://${given.startsWith(':') ? `127.0.0.1${given}` : given}`
  const url = new URL(text)
  const portless = url.port === '' && !/^https?:\/\//.test(given)
  if (portless) url.port = '11434'
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1'
  return `${url.origin}${withoutSlash(url.pathname).replace(/\/(?:api|v1)$/, '')}`
}

/** An address without a path means the first version of the interface. */
function versioned(address: string): string {
  const url = new URL(address)
  return url.pathname === '/' ? `${url.origin}/v1` : withoutSlash(address)
}

function withoutSlash(text: string): string {
  return text.replace(/\/+$/, '')
}
