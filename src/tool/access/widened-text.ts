import type { WidenedAccess } from './compare-access.ts'

/** What a change of the policy lets through, as a sentence for its owner. The page says it too, so nothing of Node is here. */
export function widenedText({ kind, name, before, after, risk }: WidenedAccess): string {
  const asked = after === 'ask' ? ', after you approve each' : ''
  const since = before === 'ask' ? ' without asking' : ''
  switch (kind) {
    case 'tool':
      return `A model may call ${name}${since}${asked}.`
    case 'tools':
      return name.endsWith('*')
        ? `A model may call any other tool${name === '*' ? '' : ` whose name begins with ${name.slice(0, -1)}`}${since}${asked}, also those that are added later.`
        : `A model may call a tool ${name}${since}${asked}, if there is ever one.`
    case 'untrusted':
      return `A model may call ${toolNames(name)}${since}${asked} when it has read texts of others.`
    case 'command':
      return name === '*'
        ? `A model may run any command${since}${asked}.`
        : `A model may run${since} every command that begins with ${name}, whatever arguments follow${asked}.`
    case 'preset':
      return `A model may run the commands of the preset ${name}${since}${asked}${risk === undefined ? '' : `; ${risk}`}.`
    case 'folder':
      return `Commands may run in folders outside the workspace${asked}.`
    case 'sandbox':
      return `Programs may run without a sandbox${since}${asked}: they can read and change what you can.`
    case 'network':
      return `Commands that begin with ${name} may use the network${since}${asked}.`
    case 'read':
      return `Programs may read ${name}.`
    case 'write':
      return `Programs may change everything in ${name}, except files that agents and Git obey.`
  }
}

function toolNames(name: string): string {
  if (!name.endsWith('*')) return name
  return `any tool${name === '*' ? '' : ` whose name begins with ${name.slice(0, -1)}`}`
}
