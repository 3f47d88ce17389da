import type { AccessPreview } from '../../../src/capability.ts'

export const accessTitles = { allowed: 'Allowed', ask: 'Asks', refused: 'Denied' } as const

/** The colour of each access; the word says the same. */
export const accessLooks = { allowed: 'text-good', ask: 'text-warn', refused: 'text-soft' } as const

type Access = keyof typeof accessTitles

/** What decides about a tool or a command: the file, what it says, and in brackets where in the file that stands. */
export function ruleText({ rule, access }: { readonly rule: string; readonly access: Access }): string {
  const kind = rule.replace(/^tools\..+\.(enabled|approval)$/, 'tools.*.$1').replace(/ ".*"$/s, ' "*"')
  const words = (access === 'refused' ? refusals : permissions)[kind]
  if (words === undefined) return rule
  return isInFile(kind) ? `${words} (${rule}).` : `${words}.`
}

function isInFile(kind: string): boolean {
  return /^(global|tools)\./.test(kind)
}

const refusals: Readonly<Record<string, string>> = {
  'tool-access.json': 'tool-access.json has a mistake, so no tool may run',
  'global.enabled': 'tool-access.json switches all tools off',
  'global.mode': 'tool-access.json switches all tools off',
  'global.allowedTools': 'tool-access.json does not allow it',
  'tools.*.enabled': 'tool-access.json switches it off',
  'tools.shell.mode': 'tool-access.json does not allow it',
  'tools.shell.allowedPrefixes': 'tool-access.json does not allow it',
  withheld: 'Its definition is not the one that was accepted',
}

const permissions: Readonly<Record<string, string>> = {
  'global.mode': 'tool-access.json allows every tool that it does not deny',
  'global.allowedTools': 'tool-access.json allows it',
  'reads-context': 'It only reads what the conversation contains, which needs no rule',
  approval: 'tool-access.json allows it, and the tool asks before each call',
  'tools.*.approval': 'tool-access.json allows it, and asks before each call',
  'tools.shell.mode': 'tool-access.json allows any command',
  'tools.shell.allowedPrefixes "*"': 'tool-access.json allows it',
}

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
