import { readFileSync } from 'node:fs'

export function version(): string {
  const facts: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return (facts as { version: string }).version
}
