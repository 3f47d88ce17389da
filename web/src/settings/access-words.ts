import type { AccessPreview } from '../../../src/capability.ts'

export const accessTitles = { allowed: 'Allowed', ask: 'Asks', refused: 'Denied' } as const

/** The colour of each access; the word says the same. */
export const accessLooks = { allowed: 'text-good', ask: 'text-warn', refused: 'text-soft' } as const

type Widened = AccessPreview['widens'][number]

/** What a change lets through, as a sentence. */
export function widenedText({ kind, name, before, after }: Widened): string {
  const asked = after === 'ask' ? ', after you approve each' : ''
  const since = before === 'ask' ? ' without asking' : ''
  switch (kind) {
    case 'tool':
      return `A model may call ${name}${since}${asked}.`
    case 'tools':
      return name.endsWith('*')
        ? `A model may call any other tool${name === '*' ? '' : ` whose name begins with ${name.slice(0, -1)}`}${since}${asked}, also those that are added later.`
        : `A model may call a tool ${name}${since}${asked}, if there is ever one.`
    case 'command':
      return name === '*'
        ? `A model may run any command${since}${asked}.`
        : `A model may run every command that begins with ${name}${since}${asked}.`
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
