import { t } from '../language/language.ts'

export const accessTitles = { allowed: t`Allowed`, ask: t`Asks`, refused: t`Refused` } as const

/** The colour of each access; the word says the same. */
export const accessLooks = { allowed: 'text-good', ask: 'text-warn', refused: 'text-soft' } as const

/** What happens to a call after texts of others. */
export const untrustedTitles = { ask: t`asks`, refuse: t`is refused`, allow: t`runs` } as const

/** As `untrustedTitles`, where the policy may leave it to the tool. */
export function untrustedTitle(value: keyof typeof untrustedTitles | undefined): string {
  return value === undefined ? t`as the tool decides` : untrustedTitles[value]
}

type Access = keyof typeof accessTitles

/** What decides about a tool or a command: the file, what it says, and in brackets where in the file that stands. */
export function ruleText({ rule, access }: { readonly rule: string; readonly access: Access }): string {
  const kind = rule.replace(/^tools\..+\.(enabled|approval|afterUntrusted)$/, 'tools.*.$1').replace(/ ".*"$/s, ' "*"')
  const words = (access === 'refused' ? refusals : permissions)[kind]
  if (words === undefined) return rule
  return /^(global|tools)\./.test(kind) ? `${words} (${rule}).` : `${words}.`
}

const refusals: Readonly<Record<string, string>> = {
  'tool-access.json': t`tool-access.json has a mistake, so no tool may run`,
  'global.enabled': t`tool-access.json switches all tools off`,
  'global.mode': t`tool-access.json switches all tools off`,
  'global.allowedTools': t`tool-access.json does not allow it`,
  'tools.*.enabled': t`tool-access.json switches it off`,
  'tools.shell.mode': t`tool-access.json does not allow it`,
  'tools.shell.presets': t`tool-access.json does not allow it`,
  'tools.shell.allowedPrefixes': t`tool-access.json does not allow it`,
  'tools.*.afterUntrusted': t`tool-access.json refuses it after the model has read texts of others`,
  withheld: t`Its definition is not the one that was accepted`,
}

const permissions: Readonly<Record<string, string>> = {
  'global.mode': t`tool-access.json allows every tool that it does not deny`,
  'global.allowedTools': t`tool-access.json allows it`,
  'reads-context': t`It only reads what the conversation contains, which needs no rule`,
  approval: t`tool-access.json allows it, and the tool asks before each call`,
  'tools.*.approval': t`tool-access.json allows it, and asks before each call`,
  afterUntrusted: t`tool-access.json allows it, and asks because the model had read texts of others`,
  'tools.*.afterUntrusted': t`tool-access.json allows it, and asks because the model had read texts of others`,
  'tools.shell.mode': t`tool-access.json allows any command`,
  'tools.shell.presets "*"': t`tool-access.json allows it`,
  'tools.shell.allowedPrefixes "*"': t`tool-access.json allows it`,
}
