import { join } from 'node:path'
import { CommandFailure } from '../../../cli.ts'
import { defined } from '../../../platform.ts'
import { isRecord, parseJson } from '../json-text.ts'
import { type RunPlan, providerAddress, TOKEN_HEADER, type WrappedProgram, type WrappedRun } from './wrapped-program.ts'

/** Claude Code. What its settings files set wins over the environment, so that they are looked at, too. */
export const claudeProgram: WrappedProgram = {
  name: 'claude',
  title: 'Claude Code',
  command: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  provider: 'anthropic',
  plan(run) {
    const elsewhere = CLOUDS.find((name) => isSet(run.environment[name]))
    if (elsewhere !== undefined) throw otherCloud(elsewhere)
    const settings = settingsVariables(run)
    const variables = claudeVariables(run, settings)
    const hidden = Object.keys(variables).filter((name) => name in settings)
    return { variables, ...(hidden.length === 0 ? { args: run.args } : overSettings(run, variables, hidden)) }
  },
}

/** With one of these, calls go to a cloud whose requests are signed for their address. */
const CLOUDS = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'] as const

function isSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value)
}

function otherCloud(name: string): CommandFailure {
  return new CommandFailure(
    'not-supported',
    `${name} is set: the calls of Claude Code would not go through the gateway.`,
    {
      hint: `Run it without: \`env -u ${name} foreword wrap claude\`.`,
    },
  )
}

function claudeVariables(run: WrappedRun, settings: Readonly<Record<string, string>>): RunPlan['variables'] {
  const { provider = 'anthropic', model, window, token, gatewayKey, environment } = run
  const headers = settings['ANTHROPIC_CUSTOM_HEADERS'] ?? environment['ANTHROPIC_CUSTOM_HEADERS']
  const isOwnModel = model === undefined || /^claude|^(?:opus|sonnet|haiku)\b/.test(model)
  return {
    ANTHROPIC_BASE_URL: providerAddress(run, provider),
    ANTHROPIC_CUSTOM_HEADERS: [...(headers ? [headers] : []), `${TOKEN_HEADER}: ${token}`].join('\n'),
    ...(gatewayKey ? { ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_API_KEY: undefined } : {}),
    ...defined({ ANTHROPIC_MODEL: model }),
    // Titles and other small calls would go to a model that another provider does not have.
    ...(isOwnModel ? {} : defined({ ANTHROPIC_DEFAULT_HAIKU_MODEL: model })),
    // Of a name that it does not know, it takes the window for 1,000,000 tokens.
    ...(isOwnModel || window === undefined ? {} : { CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(window) }),
  }
}

/** Variables that the settings files of Claude Code set: a later file wins. */
function settingsVariables({ environment, directory, readText }: WrappedRun): Readonly<Record<string, string>> {
  const own = environment['CLAUDE_CONFIG_DIR'] ?? join(environment['HOME'] ?? '', '.claude')
  const files = [
    join(own, 'settings.json'),
    ...['settings.json', 'settings.local.json'].map((file) => join(directory, '.claude', file)),
  ]
  return Object.assign({}, ...files.map((file) => variablesIn(readText(file)))) as Readonly<Record<string, string>>
}

function variablesIn(text: string | undefined): Readonly<Record<string, string>> {
  const settings = text === undefined ? undefined : parseJson(text)
  const variables = isRecord(settings) && isRecord(settings['env']) ? settings['env'] : {}
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]))
}

/** Settings of a run win over those of files. */
function overSettings(
  { args, folder }: WrappedRun,
  variables: RunPlan['variables'],
  hidden: readonly string[],
): Omit<RunPlan, 'variables'> {
  const names = hidden.join(', ')
  if (args.some((word) => word === '--settings' || word.startsWith('--settings='))) {
    const note = `Claude Code's settings set ${names}, which wins over this run. Take it out, or leave out \`--settings\`.`
    return { args, notes: [note] }
  }
  const path = join(folder, 'settings.json')
  const env = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value ?? '']))
  return {
    args: ['--settings', path, ...args],
    files: [{ path, text: JSON.stringify({ env }) }],
    notes: [`Claude Code's settings set ${names}; for this run they do not count.`],
  }
}
