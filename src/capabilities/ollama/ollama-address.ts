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
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/(?:api|v1)$/, '')}`
}
