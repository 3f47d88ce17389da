import { phrase } from '../../context.ts'
import type { WidenedAccess } from './compare-access.ts'

/** What a change of the policy lets through, as a sentence for its owner. The page says it too, so nothing of Node is here. */
export function widenedText({ kind, name, before, after, risk }: WidenedAccess): string {
  const how = (what: string): string => {
    if (before === 'ask') return phrase`${what} without asking`
    return after === 'ask' ? phrase`${what}, after you approve each` : what
  }
  switch (kind) {
    case 'tool':
      return phrase`A model may call ${how(name)}.`
    case 'tools':
      return name.endsWith('*')
        ? phrase`A model may call ${how(otherTools(name))}, also those that are added later.`
        : phrase`A model may call a tool ${how(name)}, if there is ever one.`
    case 'untrusted':
      return phrase`A model may call ${how(toolNames(name))} when it has read texts of others.`
    case 'command':
      return name === '*'
        ? phrase`A model may run ${how(phrase`any command`)}.`
        : phrase`A model may run ${how(phrase`every command that begins with ${name}`)}, whatever arguments follow.`
    case 'preset':
      return `${phrase`A model may run ${how(phrase`the commands of the preset ${name}`)}`}${risk === undefined ? '' : `; ${risk}`}.`
    case 'folder':
      return phrase`Commands may run in ${how(phrase`folders outside the workspace`)}.`
    case 'sandbox':
      return phrase`Programs may run ${how(phrase`without a sandbox`)}: they can read and change what you can.`
    case 'network':
      return phrase`Commands that begin with ${name} may use ${how(phrase`the network`)}.`
    case 'read':
      return phrase`Programs may read ${name}.`
    case 'write':
      return phrase`Programs may change everything in ${name}, except files that agents and Git obey.`
  }
}

function toolNames(name: string): string {
  if (!name.endsWith('*')) return name
  return name === '*' ? phrase`any tool` : phrase`any tool whose name begins with ${name.slice(0, -1)}`
}

function otherTools(name: string): string {
  return name === '*' ? phrase`any other tool` : phrase`any other tool whose name begins with ${name.slice(0, -1)}`
}
