import { sha256 } from '../platform.ts'

/** The longest name that every provider accepts, characters. */
const LONGEST = 64

/** Characters of the hash: enough that nobody meets another by chance. */
const HASH = 8

/**
 * The name under which a tool of a server is offered: `server__tool`. It depends on nothing but the two names, so no
 * other tool can change it or take it over: where a character had to be replaced, a part had to be cut, or it could not
 * be told where the server's name ends, it ends in a hash of both.
 */
export function serverToolName(server: string, tool: string): string {
  const plain = `${server}__${tool}`
  if (/^[A-Za-z0-9_-]+$/.test(plain) && plain.length <= LONGEST && tool !== '' && isUnmistakable(server)) return plain
  const digest = sha256(JSON.stringify([server, tool])).slice(0, HASH)
  return `${replaceUnsafe(plain).slice(0, LONGEST - HASH - 1)}_${digest}`
}

/** How the names of all tools of a server begin. */
export function serverToolPrefix(server: string): string {
  return replaceUnsafe(`${server}__`).slice(0, LONGEST - HASH - 1)
}

/** Whether the first `__` of a name ends this server's part of it. */
function isUnmistakable(server: string): boolean {
  return server !== '' && !server.includes('__') && !server.endsWith('_')
}

function replaceUnsafe(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/gu, '_')
}
