import { ownModelPrograms } from './own-model-programs.ts'
import {
  type WrappedProgram,
  type RunPlan,
  providerAddress,
  argsWithModel,
  TOKEN_HEADER,
  withTokenHeader,
  type WrappedRun,
  TOKEN_VARIABLE,
  providerAddressWithToken,
} from './wrapped-program.ts'
import { basename, dirname, join } from 'node:path'
import { CommandFailure } from '../../../cli.ts'
import { defined, isObject, parseJson } from '../../../platform.ts'

export const wrappedPrograms: readonly WrappedProgram[] = [
  /** Claude Code. What its settings files set wins over the environment, so that they are looked at, too. */
  {
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
  },
  /**
   * Settings of one run are arguments, which win over its files and keep its terminal from the daemon. Sessions stay
   * those of its provider `openai`, so that they can be resumed without the gateway. The token is in no argument,
   * because other users can list these: it is in the variable for the project, which that provider sends as a header.
   */
  {
    name: 'codex',
    title: 'Codex',
    command: 'codex',
    install: 'npm install -g @openai/codex',
    provider: 'openai',
    outlives: /\bcodex\b.*\bapp-server\b/,
    plan(run) {
      const { provider = 'openai', model, window, args, token, environment, gatewayKey } = run
      const isOwnProvider = !gatewayKey && provider === 'openai'
      const project = environment[PROJECT] ?? ''
      const [variable, value, before] = isOwnProvider
        ? [PROJECT, tokenBesideProject(token, project), project]
        : [TOKEN_VARIABLE, token, '']
      const settings: readonly (readonly [key: string, value: string | number])[] = [
        ...(isOwnProvider ? [['openai_base_url', `${providerAddress(run, provider)}/v1`] as const] : ownProvider(run)),
        // Codex writes the variables of its commands into files, which stay where it is killed: without this one.
        [`shell_environment_policy.set.${variable}`, before],
        ...(model === undefined ? [] : [['model', model] as const]),
        ...(model === undefined || window === undefined ? [] : [['model_context_window', window] as const]),
      ]
      return {
        variables: { [variable]: value },
        args: [...settings.flatMap(([key, each]) => ['-c', `${key}=${JSON.stringify(each)}`]), ...args],
        notes: isOwnProvider ? [] : ['Sessions of this run can be resumed only with the same `foreword wrap codex`.'],
      }
    },
  },
  {
    name: 'opencode',
    title: 'opencode',
    command: 'opencode',
    install: 'npm install -g opencode-ai',
    provider: 'anthropic',
    plan(run) {
      const { provider, model, environment } = run
      const given = parseJson(environment[OPENCODE_VARIABLE] ?? '{}')
      const before = isObject(given) ? given : {}
      const providers = isObject(before['provider']) ? before['provider'] : {}
      const names = provider === undefined ? ['anthropic', 'openai'] : [provider]
      const content = {
        ...before,
        provider: {
          ...providers,
          ...Object.fromEntries(names.map((name) => [name, opencodeProvider(run, name, providers[name])])),
        },
        ...(model === undefined ? {} : { model: model.includes('/') ? model : `${names[0]}/${model}` }),
      }
      return { variables: { [OPENCODE_VARIABLE]: JSON.stringify(content) }, args: run.args }
    },
  },
  /** pi. A temporary extension changes the addresses of its providers; the models and keys of these stay. */
  {
    name: 'pi',
    title: 'pi',
    command: 'pi',
    install: 'npm install -g @earendil-works/pi-coding-agent',
    provider: 'anthropic',
    plan(run) {
      const { provider, folder } = run
      const path = join(folder, 'foreword.mjs')
      const names = provider === undefined ? Object.keys(PI_ENDINGS) : [provider]
      const providers = Object.fromEntries(names.map((name) => [name, piProvider(run, name)]))
      return {
        variables: { [PI_VARIABLE]: JSON.stringify(providers) },
        args: ['--extension', path, ...(provider === undefined ? [] : ['--provider', provider]), ...argsWithModel(run)],
        files: [{ path, text: PI_EXTENSION }],
      }
    },
  },
  {
    name: 'aider',
    title: 'aider',
    command: 'aider',
    install: 'python -m pip install aider-install && aider-install',
    provider: 'openai',
    plan(run) {
      const { provider, token, gatewayKey } = run
      const openai = `${providerAddressWithToken(run, provider ?? 'openai')}/v1`
      const anthropic = providerAddressWithToken(run, provider ?? 'anthropic')
      return {
        variables: {
          OPENAI_API_BASE: openai,
          OPENAI_BASE_URL: openai,
          ANTHROPIC_API_BASE: anthropic,
          ANTHROPIC_BASE_URL: anthropic,
          ...(gatewayKey ? { OPENAI_API_KEY: token, ANTHROPIC_API_KEY: token } : {}),
        },
        args: argsWithModel(run),
      }
    },
  },
  /** OpenClaw. A temporary configuration includes the person's own and lays the addresses over it. */
  {
    name: 'openclaw',
    title: 'OpenClaw',
    command: 'openclaw',
    install: 'npm install -g openclaw',
    provider: 'anthropic',
    plan(run) {
      const { provider, model, environment, args } = run
      const state = environment['OPENCLAW_STATE_DIR'] || join(environment['HOME'] ?? '', '.openclaw')
      const own = environment['OPENCLAW_CONFIG_PATH'] || join(state, 'openclaw.json')
      // Folders of skills are beside the configuration, and their paths are in the prompt: elsewhere, each run would change it.
      const path = join(dirname(own), `${run.id}.json`)
      const names = provider === undefined ? ['anthropic', 'openai'] : [provider]
      const text = JSON.stringify({
        ...(run.readText(own) === undefined ? {} : { $include: `./${basename(own)}` }),
        models: {
          mode: 'merge',
          providers: Object.fromEntries(names.map((name) => [name, openclawProvider(run, name)])),
        },
        ...(model === undefined
          ? {}
          : { agents: { defaults: { model: { primary: model.includes('/') ? model : `${names[0]}/${model}` } } } }),
      })
      return {
        variables: { OPENCLAW_CONFIG_PATH: path, [TOKEN_VARIABLE]: run.token },
        args,
        files: [{ path, text }],
        notes: [
          'A gateway of OpenClaw that runs already keeps its addresses: with `agent --local` the run makes its calls itself.',
        ],
      }
    },
  },
  ...ownModelPrograms,
]

const OPENCODE_VARIABLE = 'OPENCODE_CONFIG_CONTENT'

function opencodeProvider(run: WrappedRun, name: string, given: unknown): object {
  const before = isObject(given) ? given : {}
  const options = isObject(before['options']) ? before['options'] : {}
  const headers = isObject(options['headers']) ? options['headers'] : {}
  return {
    ...before,
    options: {
      ...options,
      baseURL: `${providerAddress(run, name)}/v1`,
      headers: { ...headers, [TOKEN_HEADER]: run.token },
      ...defined({ apiKey: run.gatewayKey ? run.token : undefined }),
    },
  }
}

/** Its provider `openai` sends this variable as the header `openai-project`. */
const PROJECT = 'OPENAI_PROJECT'

/** The gateway takes the token out again (`relay/gateway-token.ts`). */
function tokenBesideProject(token: string, project: string): string {
  return `foreword:${token}${project === '' ? '' : `:${project}`}`
}

/** A provider beside those of Codex, which takes its key from a variable. */
function ownProvider(run: WrappedRun): readonly (readonly [key: string, value: string])[] {
  const table = 'model_providers.foreword'
  return [
    ['model_provider', 'foreword'],
    [`${table}.name`, 'Foreword'],
    [`${table}.base_url`, `${providerAddress(run, run.provider ?? 'openai')}/v1`],
    [`${table}.env_key`, TOKEN_VARIABLE],
    [`${table}.wire_api`, 'responses'],
  ]
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
    { hint: `Run it without: \`env -u ${name} foreword wrap claude\`.` },
  )
}

function claudeVariables(run: WrappedRun, settings: Readonly<Record<string, string>>): RunPlan['variables'] {
  const { provider = 'anthropic', model, window, token, gatewayKey, environment } = run
  const headers = settings['ANTHROPIC_CUSTOM_HEADERS'] ?? environment['ANTHROPIC_CUSTOM_HEADERS']
  const isOwnModel = model === undefined || /^claude|^(?:opus|sonnet|haiku)\b/.test(model)
  return {
    ANTHROPIC_BASE_URL: providerAddress(run, provider),
    ANTHROPIC_CUSTOM_HEADERS: withTokenHeader(headers, token, '\n'),
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
  const variables = isObject(settings) && isObject(settings['env']) ? settings['env'] : {}
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

const PI_VARIABLE = 'FOREWORD_WRAP_PROVIDERS'

/** What its clients of an API want behind the address. */
const PI_ENDINGS: Readonly<Record<string, string>> = { anthropic: '', openai: '/v1' }

function piProvider(run: WrappedRun, name: string): object {
  const { token, gatewayKey } = run
  return {
    baseUrl: `${providerAddress(run, name)}${PI_ENDINGS[name] ?? '/v1'}`,
    headers: { [TOKEN_HEADER]: token },
    ...defined({ apiKey: gatewayKey ? token : undefined }),
  }
}

const PI_EXTENSION = `// Of one run of \`foreword wrap pi\`.
export default function (pi) {
  const providers = JSON.parse(process.env.${PI_VARIABLE} ?? '{}')
  for (const [name, settings] of Object.entries(providers)) pi.registerProvider(name, settings)
}
`

/** Of a model that is not in its own list, it believes that it speaks Chat Completions unless it is told. */
const OPENCLAW_APIS: Readonly<Record<string, string>> = { anthropic: 'anthropic-messages', openai: 'openai-responses' }

/** It keeps copies of its configuration: these have the name of the variable. */
const OPENCLAW_TOKEN = `\${${TOKEN_VARIABLE}}`

function openclawProvider(run: WrappedRun, name: string): object {
  const ending = name === 'anthropic' ? '' : '/v1'
  return {
    ...defined({ api: OPENCLAW_APIS[name] }),
    baseUrl: `${providerAddress(run, name)}${ending}`,
    headers: { [TOKEN_HEADER]: OPENCLAW_TOKEN },
    ...(run.gatewayKey ? { apiKey: OPENCLAW_TOKEN } : {}),
  }
}
